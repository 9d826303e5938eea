// Addresses of this host and of others, IPv4 and IPv6. Context: app, except where said.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>

namespace vif::net::tcp {

// An address with its port. Small, and made for handlers: no memory of its own.
struct Address {
  union {
    sockaddr any;
    sockaddr_in four;
    sockaddr_in6 six;
  } value{};

  int family() const noexcept { return value.any.sa_family; }  // any context
  socklen_t length() const noexcept {
    return family() == AF_INET ? sizeof value.four : sizeof value.six;
  }  // any context
  void set_port(uint16_t port) noexcept;
  std::string text() const;  // 10.0.0.1:4711, [fd00::1]:4711; without a port 10.0.0.1, fd00::1
  static bool parse(const std::string& text, Address& address);
};

// The addresses at which others may reach this host. `wanted`: names of interfaces, or beginnings of addresses,
// separated by commas; empty: of all interfaces that are up, those of the loopback only when `loopback` says so. False
// with a sentence.
bool find_addresses(const std::string& wanted, bool loopback, std::vector<Address>& found, std::string& error);

// Sorts the addresses of another process so that those in a network of one of ours come first.
void prefer_near(const std::vector<Address>& mine, std::vector<Address>& theirs);

}  // namespace vif::net::tcp
