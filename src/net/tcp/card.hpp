// What a process tells the others of its job before any link exists, through the launcher's key-value space: on which
// host it is, and where it can be reached. Context: app.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "net/tcp/addresses.hpp"

namespace vif::net::tcp {

struct Card {
  std::string host;  // processes with the same one share memory
  int process = 0;   // pid
  int segment = -1;  // descriptor of the shared memory that it would offer to its host; -1: the launcher gives one
  std::vector<Address> addresses;

  std::string text() const;
  // False when the text is not a card.
  static bool parse(const std::string& text, Card& card);
};

// What tells this host from others: the name given in VIF_HOST; else the running kernel, and the name spaces of
// processes and of the network. Containers that share both, and hence can share memory, are one host.
std::string own_host(const std::string& given);

}  // namespace vif::net::tcp
