// Guard: keeps a core and its thieves from touching the core's state at once, where stealing is on.
//
// Two states: open, closed. Thieves only try. The core itself waits, and only for a thief, which holds the guard for as
// long as it takes to unlink some colours: this is the one place where a core waits for another context, and why
// stealing is an option. A core holds its guard between two handlers, never while one runs.
// Orderings: open() releases with the acquire of close() and try_close(): what one did to the state is visible to the
// next. One exchange and one store for each event.
// Context: core.
#pragma once

#include <cstdint>

#include "base/atoms.hpp"

namespace vif::sched {

template <class Atoms = base::RealAtoms>
class Guard {
 public:
  bool try_close() noexcept {
    return closed_.load(std::memory_order_relaxed) == 0 && closed_.exchange(1, std::memory_order_acquire) == 0;
  }
  // `wait`: called between attempts.
  template <class Wait>
  void close(Wait wait) noexcept {
    while (closed_.exchange(1, std::memory_order_acquire) != 0) wait();
  }
  void open() noexcept { closed_.store(0, std::memory_order_release); }

 private:
  typename Atoms::template Atomic<uint32_t> closed_{0};
};

}  // namespace vif::sched
