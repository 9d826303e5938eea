// Which poller is used. Context: app and core.
#include "sched/poller.hpp"

namespace vif::sched {

// None of the two is ahead everywhere (docs/decisions/0013-epoll-or-io-uring.md), and epoll is refused nowhere.
PollRule chosen_poller(std::string& why) {
  std::string refused;
  why = probe_ring(refused) ? "io_uring works here too: VIF_SCHED_POLL=io_uring; better for coroutines alone"
                            : "io_uring is not available: " + refused;
  return PollRule::epoll;
}

std::unique_ptr<Poller> Poller::make(PollRule rule) { return rule == PollRule::io_uring ? make_ring() : make_epoll(); }

}  // namespace vif::sched
