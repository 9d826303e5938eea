#include "net/tcp/addresses.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>

namespace vif::net::tcp {
namespace {

std::string digits_of(const Address& address) {
  char text[INET6_ADDRSTRLEN] = "";
  const void* raw = address.family() == AF_INET ? static_cast<const void*>(&address.value.four.sin_addr)
                                                : static_cast<const void*>(&address.value.six.sin6_addr);
  inet_ntop(address.family(), raw, text, sizeof text);
  return text;
}

// Whether an interface or its address is among the wanted ones.
bool is_wanted(const std::string& wanted, const std::string& interface, const std::string& digits) {
  for (size_t from = 0; from <= wanted.size();) {
    const size_t end = std::min(wanted.find(',', from), wanted.size());
    const std::string word = wanted.substr(from, end - from);
    if (!word.empty() && (word == interface || digits.compare(0, word.size(), word) == 0)) return true;
    from = end + 1;
  }
  return false;
}

bool usable(const ifaddrs& entry) {
  if (entry.ifa_addr == nullptr || (entry.ifa_flags & IFF_UP) == 0) return false;
  if (entry.ifa_addr->sa_family == AF_INET) return true;
  // A link-local address means nothing without the interface of the other side.
  return entry.ifa_addr->sa_family == AF_INET6 &&
         !IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(entry.ifa_addr)->sin6_addr);
}

// How many leading bits two addresses share; -1 when they are of different families.
int common_bits(const Address& one, const Address& other) {
  if (one.family() != other.family()) return -1;
  const bool four = one.family() == AF_INET;
  const auto* a = four ? reinterpret_cast<const uint8_t*>(&one.value.four.sin_addr)
                       : reinterpret_cast<const uint8_t*>(&one.value.six.sin6_addr);
  const auto* b = four ? reinterpret_cast<const uint8_t*>(&other.value.four.sin_addr)
                       : reinterpret_cast<const uint8_t*>(&other.value.six.sin6_addr);
  int bits = 0;
  for (int i = 0; i < (four ? 4 : 16); ++i, bits += 8) {
    if (a[i] != b[i]) return bits + __builtin_clz(static_cast<unsigned>(a[i] ^ b[i])) - 24;
  }
  return bits;
}

}  // namespace

void Address::set_port(uint16_t port) noexcept {
  (family() == AF_INET ? value.four.sin_port : value.six.sin6_port) = htons(port);
}

std::string Address::text() const {
  const std::string digits = digits_of(*this);
  const std::string port = std::to_string(ntohs(family() == AF_INET ? value.four.sin_port : value.six.sin6_port));
  if (port == "0") return digits;
  return family() == AF_INET ? digits + ':' + port : '[' + digits + "]:" + port;
}

bool Address::parse(const std::string& text, Address& address) {
  address = {};
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) return false;
  uint16_t port = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + colon + 1, end, port);
  if (parsed.ec != std::errc() || parsed.ptr != end || port == 0) return false;
  const bool six = text.front() == '[';
  if (six && (colon < 3 || text[colon - 1] != ']')) return false;
  const std::string digits = six ? text.substr(1, colon - 2) : text.substr(0, colon);
  address.value.any.sa_family = six ? AF_INET6 : AF_INET;
  void* raw = six ? static_cast<void*>(&address.value.six.sin6_addr) : static_cast<void*>(&address.value.four.sin_addr);
  address.set_port(port);
  return inet_pton(address.family(), digits.c_str(), raw) == 1;
}

bool find_addresses(const std::string& wanted, bool loopback, std::vector<Address>& found, std::string& error) {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) {
    error = std::string("The addresses of this host cannot be found: ") + std::strerror(errno) + ".";
    return false;
  }
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (!usable(*entry)) continue;
    Address address;
    address.value.any.sa_family = entry->ifa_addr->sa_family;
    std::memcpy(&address.value, entry->ifa_addr, address.length());
    const bool loops = (entry->ifa_flags & IFF_LOOPBACK) != 0;
    if (wanted.empty() ? loops == loopback : is_wanted(wanted, entry->ifa_name, digits_of(address))) {
      found.push_back(address);
    }
  }
  freeifaddrs(list);
  if (!found.empty()) return true;
  error = wanted.empty() ? "This host has no network address by which the other hosts of the job could reach it: bring "
                           "an interface up."
                         : "VIF_TCP_INTERFACES=" + wanted +
                               " matches no address of this host: give names of its interfaces, or the beginnings of "
                               "their addresses.";
  return false;
}

void prefer_near(const std::vector<Address>& mine, std::vector<Address>& theirs) {
  const auto nearness = [&mine](const Address& address) {
    int best = -1;
    for (const Address& own : mine) best = std::max(best, common_bits(own, address));
    return best;
  };
  std::stable_sort(theirs.begin(), theirs.end(),
                   [&](const Address& one, const Address& other) { return nearness(one) > nearness(other); });
}

}  // namespace vif::net::tcp
