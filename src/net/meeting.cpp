#include "net/meeting.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/random.h>
#include <unistd.h>

namespace vif::net {
namespace {

const std::string secret_key = "vif-secret";

std::string card_key(int rank) { return "vif-card-" + std::to_string(rank); }

std::string text_of(const tcp::Secret& secret) {
  std::string text;
  for (const uint8_t byte : secret) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

bool parse(const std::string& text, tcp::Secret& secret) {
  if (text.size() != 2 * secret.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return false;
    secret[i / 2] = static_cast<uint8_t>(secret[i / 2] << 4 | digit);
  }
  return true;
}

}  // namespace

bool Meeting::any_far() const { return std::find(far.begin(), far.end(), true) != far.end(); }

bool Meeting::meet(launch::Bootstrap& bootstrap, const Settings& settings, std::string& error) {
  const bool one_host = bootstrap.segment_fd() >= 0;
  if (bootstrap.size() == 1 || (one_host && !settings.tcp_only)) return true;
  tcp::Card mine;
  mine.host = tcp::own_host(settings.host);
  mine.process = getpid();
  if (!one_host) mine.segment = origin.own = shm::Segment::new_file();
  if (!one_host && origin.own < 0) {
    error = std::string("The shared memory of the job cannot be made (memfd_create): ") + std::strerror(errno) + ".";
    return false;
  }
  listeners = std::make_unique<tcp::Listeners>();
  const bool found = tcp::find_addresses(settings.interfaces, one_host, mine.addresses, error) &&
                     listeners->open(mine.addresses, error);
  // A host without a network is well while all processes are on it; the others would find no address.
  if (!found && (one_host || !settings.interfaces.empty())) return false;
  if (!tell(bootstrap, mine, error) || !listen_to(bootstrap, error)) return false;
  int first = bootstrap.rank();
  for (int rank = 0; rank < bootstrap.size(); ++rank) {
    const tcp::Card& card = cards[static_cast<size_t>(rank)];
    const bool here = card.host == mine.host;
    far.push_back(rank != bootstrap.rank() && (settings.tcp_only || !here));
    if (here) first = std::min(first, rank);
    tcp::prefer_near(mine.addresses, cards[static_cast<size_t>(rank)].addresses);
  }
  if (!one_host && settings.tcp_only) first = bootstrap.rank();
  if (!one_host && first != bootstrap.rank()) {
    const tcp::Card& leader = cards[static_cast<size_t>(first)];
    close(origin.own);
    origin = {-1, leader.process, leader.segment};
  }
  if (!any_far()) listeners.reset();
  return true;
}

bool Meeting::tell(launch::Bootstrap& bootstrap, tcp::Card& mine, std::string& error) {
  bool told = true;
  if (bootstrap.rank() == 0) {
    if (getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size())) {
      error = std::string("There are no random numbers for the secret of the job: ") + std::strerror(errno) + ".";
      return false;
    }
    told = bootstrap.put(secret_key, text_of(secret));
  }
  told = told && bootstrap.put(card_key(bootstrap.rank()), mine.text()) && bootstrap.barrier();
  if (!told) error = bootstrap.error();
  return told;
}

bool Meeting::listen_to(launch::Bootstrap& bootstrap, std::string& error) {
  std::string value;
  if (!bootstrap.get(secret_key, value) || !parse(value, secret)) {
    error = "The launcher did not pass on the secret of the job: " + bootstrap.error();
    return false;
  }
  cards.resize(static_cast<size_t>(bootstrap.size()));
  for (int rank = 0; rank < bootstrap.size(); ++rank) {
    if (!bootstrap.get(card_key(rank), value)) {
      error = bootstrap.error();
      return false;
    }
    if (tcp::Card::parse(value, cards[static_cast<size_t>(rank)])) continue;
    error = "What rank " + std::to_string(rank) +
            " says about itself makes no sense here: do all ranks use the same version of Vif?";
    return false;
  }
  return true;
}

}  // namespace vif::net
