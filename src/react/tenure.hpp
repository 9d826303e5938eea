// The tenure of a helper thread: it is made when it is first needed, goes when nobody has needed it for a while, and
// never goes under the feet of somebody who counts on it.
//
// One word, of two bits
//   present  a helper runs, or is being started
//   wanted   somebody counts on it: it must not go
// Transitions
//   anybody: want()     present -> present+wanted, by compare-and-swap; fails when no helper is present
//            release()  clears wanted
//   starter: begin()    0 -> present, by compare-and-swap: of several at once, one starts the thread
//   helper:  may_go()   present -> 0, by compare-and-swap: fails when it is wanted
// All is in one word, so that want() and may_go() cannot both succeed; their order is that of the word, and no other
// data is passed by it: what the helper is to do is published by other means (an epoll set). Hence the acquire and
// release orderings only hand the thread's own state from one helper to its successor: may_go() releases it, begin()
// acquires it.
//
// Context: want() and release() any, handlers included; begin() and abandon() app; may_go() helper.
#pragma once

#include <cstdint>

#include "base/atoms.hpp"

namespace vif::react {

template <class Atoms = base::RealAtoms>
class Tenure {
 public:
  // True: a helper is present, and stays until release().
  bool want() noexcept {
    uint32_t seen = word_.load(std::memory_order_relaxed);
    while ((seen & present) != 0) {
      if (word_.compare_exchange_strong(seen, seen | wanted, std::memory_order_relaxed, std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  void release() noexcept { word_.fetch_and(~wanted, std::memory_order_relaxed); }

  // True: the caller must start the helper, or abandon().
  bool begin() noexcept {
    uint32_t seen = 0;
    // Acquire: partner of may_go(), so that what the last helper wrote is seen by the next one.
    return word_.compare_exchange_strong(seen, present, std::memory_order_acquire, std::memory_order_relaxed);
  }

  // No helper could be started. Who has wanted it meanwhile is told by the caller.
  void abandon() noexcept { word_.store(0, std::memory_order_relaxed); }

  // True: the helper must end now, and touch nothing any more.
  bool may_go() noexcept {
    uint32_t seen = present;
    return word_.compare_exchange_strong(seen, 0, std::memory_order_release, std::memory_order_relaxed);
  }

  bool is_present() const noexcept { return (word_.load(std::memory_order_relaxed) & present) != 0; }

 private:
  static constexpr uint32_t present = 1;
  static constexpr uint32_t wanted = 2;
  typename Atoms::template Atomic<uint32_t> word_{0};
};

}  // namespace vif::react
