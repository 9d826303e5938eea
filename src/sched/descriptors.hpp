// The descriptors that a core watches, by epoll. Context: core, except the constructor: app.
//
// Reading and writing are watched separately; a descriptor is in the epoll set once, with what its watches want. It
// stays there while a handler of it is queued: what it reports then is ignored. The set also holds the descriptor that
// wakes the core, so that one call waits for everything.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sched/watch.hpp"

namespace vif::sched {

class Descriptors {
 public:
  // wake: becomes readable when the core is to wake. Throws std::system_error.
  explicit Descriptors(int wake);
  ~Descriptors();
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

  bool empty() const noexcept { return watched_.empty(); }
  // Throws std::bad_alloc. False: the system does not watch such a descriptor (errno says why).
  bool add(Watch& watch);
  void remove(Watch& watch) noexcept;

  // Waits at most timeout_ns (0: not, < 0: for ever) and calls fire(watch) for each watch that is due.
  template <class Fire>
  void wait(int64_t timeout_ns, Fire fire) {
    const int count = wait_for_events(timeout_ns);
    for (int i = 0; i < count; ++i) {
      if (!report(static_cast<std::size_t>(i))) continue;
      for (Watch* watch : due_) fire(*watch);
    }
  }
  // One of those that are watched, or nullptr.
  Watch* any() const noexcept { return watched_.empty() ? nullptr : watched_.begin()->second.front(); }

 private:
  int wait_for_events(int64_t timeout_ns) noexcept;
  bool report(std::size_t event);
  bool update(int descriptor, const std::vector<Watch*>& watches) noexcept;

  int epoll_;
  int wake_;
  bool has_pwait2_ = true;
  std::unordered_map<int, std::vector<Watch*>> watched_;
  std::vector<Watch*> due_;
};

}  // namespace vif::sched
