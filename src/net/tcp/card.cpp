#include "net/tcp/card.hpp"

#include <charconv>
#include <fstream>
#include <string_view>

#include <sys/stat.h>
#include <unistd.h>

namespace vif::net::tcp {
namespace {

constexpr std::string_view prefix = "vif1";
constexpr size_t most_addresses = 8;

// The text up to the next separator, which is taken away with it.
std::string_view next_word(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

bool parse_number(std::string_view text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

std::string name_space(const char* path) {
  struct stat about {};
  return stat(path, &about) == 0 ? std::to_string(about.st_ino) : "?";
}

}  // namespace

std::string Card::text() const {
  std::string text(prefix);
  text += ' ' + host + ' ' + std::to_string(process) + ' ' + std::to_string(segment);
  for (size_t i = 0; i < addresses.size() && i < most_addresses; ++i) text += ' ' + addresses[i].text();
  return text;
}

bool Card::parse(const std::string& text, Card& card) {
  std::string_view left = text;
  card = {};
  if (next_word(left, ' ') != prefix) return false;
  card.host = next_word(left, ' ');
  if (card.host.empty() || !parse_number(next_word(left, ' '), card.process) || card.process <= 0) return false;
  if (!parse_number(next_word(left, ' '), card.segment) || card.segment < -1) return false;
  while (!left.empty()) {
    Address address;
    if (card.addresses.size() == most_addresses || !Address::parse(std::string(next_word(left, ' ')), address)) {
      return false;
    }
    card.addresses.push_back(address);
  }
  return true;
}

std::string own_host(const std::string& given) {
  if (!given.empty()) {
    std::string name = "named:";
    for (const char c : given) name += c > ' ' && c < 127 ? c : '_';
    return name;
  }
  std::string kernel;
  if (!std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), kernel)) {
    char name[256] = "?";
    gethostname(name, sizeof name - 1);
    kernel = name;
  }
  return kernel + ':' + name_space("/proc/self/ns/pid") + ':' + name_space("/proc/self/ns/net");
}

}  // namespace vif::net::tcp
