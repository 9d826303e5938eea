// WatchState: whether the handler of a timer, a descriptor or a signal may run, against cancel() from anywhere.
//
// States and transitions, by compare-and-swap
//   armed -> running            begin(): a run begins;                      nobody else can begin one
//   running -> armed | done     end(): it may run again, or it was the only run
//   armed -> cancelled          cancel(): no run is under way and none will begin: `prevented`
//   running -> ending           cancel(): one is under way and none will begin after it: `under_way`
//   ending -> cancelled         end()
// So between the end of cancel() and the end of time no run begins; and a cancel() that says `prevented` is not
// overtaken by one that has begun. Orderings: begin() acquires what end() of the run before released (runs of one watch
// on different cores), and cancel() acquires it too: what the last run did is visible to who cancelled. Context: core;
// cancel(): any but handlers of signals (what it leads to takes memory).
#pragma once

#include <cstdint>

#include "base/atoms.hpp"

namespace vif::sched {

template <class Atoms = base::RealAtoms>
class WatchState {
 public:
  bool begin() noexcept { return change(armed, running); }

  // `again`: it may run once more. True: it may, that is, nobody cancelled it meanwhile.
  bool end(bool again) noexcept {
    if (change(running, again ? armed : done)) return again;
    change(ending, cancelled);
    return false;
  }

  enum class Cancel : uint8_t { prevented, under_way, too_late };  // too late: it has been cancelled or has run

  Cancel cancel() noexcept {
    for (;;) {
      const uint32_t seen = word_.load(std::memory_order_acquire);
      if (seen == armed && change(armed, cancelled)) return Cancel::prevented;
      if (seen == running && change(running, ending)) return Cancel::under_way;
      if (seen != armed && seen != running) return Cancel::too_late;
    }
  }

  // A hint, unless the caller knows that nobody can change it.
  bool may_run() const noexcept { return word_.load(std::memory_order_relaxed) <= running; }

 private:
  static constexpr uint32_t armed = 0, running = 1, ending = 2, cancelled = 3, done = 4;

  bool change(uint32_t from, uint32_t to) noexcept {
    return word_.compare_exchange_strong(from, to, std::memory_order_acq_rel, std::memory_order_relaxed);
  }

  typename Atoms::template Atomic<uint32_t> word_{armed};
};

}  // namespace vif::sched
