// What the processes that begin together tell each other through the launcher before they are linked: who is on which
// host, and where it can be reached. Context: app.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "launch/bootstrap.hpp"
#include "net/settings.hpp"
#include "net/shm/segment.hpp"
#include "net/tcp/card.hpp"
#include "net/tcp/tcp_link.hpp"

namespace vif::net {

struct Meeting {
  shm::Segment::Origin origin;
  std::vector<bool> far;  // by rank; empty: nobody is
  std::vector<tcp::Card> cards;
  tcp::Secret secret{};
  std::unique_ptr<tcp::Listeners> listeners;

  // Says nothing to anybody where the launcher has put all processes on one host. False with a sentence in `error`.
  bool meet(launch::Bootstrap& bootstrap, const Settings& settings, std::string& error);
  bool any_far() const;

 private:
  bool tell(launch::Bootstrap& bootstrap, tcp::Card& mine, std::string& error);
  bool listen_to(launch::Bootstrap& bootstrap, std::string& error);
};

}  // namespace vif::net
