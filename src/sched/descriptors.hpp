// The descriptors that a core watches. Context: core, except the constructor: app.
//
// Reading and writing are watched separately; a descriptor is asked about once, with what its watches want. It stays
// watched while a handler of it is queued: what it reports then is ignored. The poller also watches the descriptor that
// wakes the core, so that one call waits for everything.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sched/poller.hpp"
#include "sched/watch.hpp"

namespace vif::sched {

class Descriptors {
 public:
  // wake: becomes readable when the core is to wake. Throws std::system_error.
  Descriptors(int wake, PollRule rule);
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

  bool empty() const noexcept { return watched_.empty(); }
  // Throws std::bad_alloc. False: the system does not watch such a descriptor (errno says why).
  bool add(Watch& watch);
  void remove(Watch& watch) noexcept;

  // Waits at most timeout_ns (0: not, < 0: for ever) and calls fire(watch) for each watch that is due.
  template <class Fire>
  void wait(int64_t timeout_ns, Fire fire) {
    Poller::Ready ready[Poller::at_once];
    const int count = poller_->wait(timeout_ns, ready);
    for (int i = 0; i < count; ++i) {
      if (!report(ready[i])) continue;
      for (Watch* watch : due_) fire(*watch);
    }
  }
  // One of those that are watched, or nullptr.
  Watch* any() const noexcept { return watched_.empty() ? nullptr : watched_.begin()->second.front(); }

 private:
  bool report(const Poller::Ready& ready);

  std::unique_ptr<Poller> poller_;
  int wake_;
  std::unordered_map<int, std::vector<Watch*>> watched_;
  std::vector<Watch*> due_;
};

}  // namespace vif::sched
