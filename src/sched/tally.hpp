// Tally: how the runtime learns that no event is left anywhere, while cores and outside threads post to each other.
//
// Each core counts the events that it has handed to other cores and those that it has taken, and says when it has
// nothing to do. The observer looks twice at everything; it is quiet when all were idle and all four sums are equal
// (the four-counter method: Mattern, Algorithms for distributed termination detection, 1987). One look is not enough:
// a core seen idle may be handed an event, and one seen later may have handed it and be idle by then.
//
// Order within a look, for each core: taken, then idle, then handed. So whatever a core did because of an event that is
// counted as taken is counted as handed, if it was seen idle.
//
// Orderings, each with its partner:
//   took():  idle := 0 relaxed, then taken release   with look: taken acquire: an event seen as taken shows the core
//                                                    busy, or idle again with what it did counted.
//   idle():  idle := 1 release                       with look: idle acquire: shows `handed` as of then.
// Outside threads count in `outside` before they push, and before they look whether the runtime still takes events:
// sequentially consistent, with the store of "stopping" by who ends the runtime. Who is refused counts in `refused`.
// Context: any, without waiting.
#pragma once

#include <climits>
#include <cstdint>

#include "base/atoms.hpp"

namespace vif::sched {

// Written by its core alone, but for `outside` and `refused`.
template <class Atoms = base::RealAtoms>
class Tally {
 public:
  // Core: before it pushes an event to another core.
  void hands(uint64_t events) noexcept {
    handed_.store(handed_.load(std::memory_order_relaxed) + events, std::memory_order_relaxed);
  }
  // Core: when it has taken events from its inbox.
  void took(uint64_t events) noexcept {
    idle_.store(0, std::memory_order_relaxed);
    taken_.store(taken_.load(std::memory_order_relaxed) + events, std::memory_order_release);
  }
  // Core: it runs something that came otherwise (a timer, a descriptor).
  void busy() noexcept { idle_.store(0, std::memory_order_relaxed); }
  // Core: it has nothing to run, and nothing held back for others. False: it has said so already.
  bool idle() noexcept {
    if (idle_.load(std::memory_order_relaxed) != 0) return false;
    idle_.store(1, std::memory_order_release);
    return true;
  }

  // Outside thread: before it looks whether events are still taken; and when they are not.
  void comes_from_outside() noexcept { outside_.fetch_add(1, std::memory_order_seq_cst); }
  void is_refused() noexcept { refused_.fetch_add(1, std::memory_order_seq_cst); }

 private:
  template <class, class Tallies>
  friend bool look_once(Tallies& tallies, uint64_t& handed, uint64_t& taken);

  typename Atoms::template Atomic<uint64_t> handed_{0};
  typename Atoms::template Atomic<uint64_t> taken_{0};
  typename Atoms::template Atomic<uint32_t> idle_{0};
  typename Atoms::template Atomic<uint64_t> outside_{0};
  typename Atoms::template Atomic<uint64_t> refused_{0};
};

// Observer. Tallies: a range of Tally<Atoms>*.
template <class Atoms, class Tallies>
bool look_once(Tallies& tallies, uint64_t& handed, uint64_t& taken) {
  bool all_idle = true;
  handed = taken = 0;
  for (auto* tally : tallies) {
    taken += tally->taken_.load(std::memory_order_acquire);
    taken += tally->refused_.load(std::memory_order_seq_cst);
    all_idle = tally->idle_.load(std::memory_order_acquire) != 0 && all_idle;
    handed += tally->handed_.load(std::memory_order_relaxed);
    handed += tally->outside_.load(std::memory_order_seq_cst);
  }
  return all_idle;
}

// Observer. True: at some moment during the call no event was queued, under way or running.
template <class Atoms, class Tallies>
bool all_quiet(Tallies& tallies) {
  uint64_t handed_before, taken_before, handed, taken;
  if (!look_once<Atoms>(tallies, handed_before, taken_before)) return false;
  Atoms::fence();
  if (!look_once<Atoms>(tallies, handed, taken)) return false;
  return handed_before == handed && taken_before == taken && handed == taken;
}

// Who waits until all is quiet, and the cores that tell him. The pair: a core that becomes idle says so in its tally,
// puts a full fence, and looks whether somebody watches; a watcher counts himself in, puts a full fence, and looks at
// the tallies. Either the watcher sees the core idle, or the core sees the watcher. The core then looks at the tallies
// itself, and tells the watcher only when all is quiet: cores become idle often. Of cores that become idle at the same
// time, the one whose fence is last sees all the others.
template <class Atoms = base::RealAtoms>
class Watchers {
 public:
  // Core, after Tally::idle() said true. quiet(): all_quiet() of all tallies.
  template <class Quiet>
  void core_is_idle(Quiet quiet) noexcept {
    Atoms::fence();
    if (watching_.load(std::memory_order_relaxed) != 0 && quiet()) tell();
  }
  void tell() noexcept {
    changes_.fetch_add(1, std::memory_order_release);
    Atoms::wake(changes_, INT_MAX);
  }

  // Returns when done() is true; looks again after each change.
  template <class Done>
  void watch(Done done) noexcept {
    watching_.fetch_add(1, std::memory_order_relaxed);
    Atoms::fence();
    for (;;) {
      const uint32_t seen = changes_.load(std::memory_order_acquire);
      if (done()) break;
      Atoms::wait(changes_, seen, -1);
    }
    watching_.fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  typename Atoms::template Atomic<uint32_t> watching_{0};
  typename Atoms::template Atomic<uint32_t> changes_{0};
};

}  // namespace vif::sched
