// Ownership: "try, else hand over" (design §4, rule 2). One context at a time owns an engine or a core; nobody waits.
//
// How it is used:
//   inbox.push(record);                     // the work is published first
//   if (ownership.try_acquire()) {          // else: the owner has been told, it will look once more
//     do {
//       ... take everything from the inbox and treat it ...
//     } while (ownership.release());        // true: somebody came meanwhile and I am still (again) the owner
//   }
// A handler that interrupts the owner, even inside try_acquire() or release(), therefore loses nothing and never waits.
//
// Why the releasing owner looks at a mark and not at the inbox: a push that this very handler interrupted half-way
// makes the inbox non-empty for as long as the handler runs; "release until the inbox is empty" would never end. A mark
// is left only by somebody whose push is complete, so every turn of the loop above has a complete record to take. The
// half-way pusher calls try_acquire() itself when it goes on.
//
// Two ways of working, chosen by set_shared():
//   shared      several threads. `state_` alone is used, by read-modify-writes:
//                 free -> held             try_acquire() of anybody
//                 held -> wanted           try_acquire() of somebody who finds it held (the hand-over)
//                 held -> free             release(), nobody came
//                 wanted -> held           release(), somebody came; the owner goes round once more
//                 free -> wanted           try_acquire() that met a release half-way; owner, with one round too many
//   not shared  one thread and its handlers. No read-modify-write: a handler ends before its thread goes on, so
//               it leaves `state_` as it found it, or free. `wanted_` is then the mark, written by handlers (to true)
//               and by the owner (to false).
//
// Orderings of the shared way, each with its partner:
//   try_acquire: acq_rel on success   with release: what the last owner wrote is visible to the next one.
//   try_acquire: acq_rel on the mark  with release: the record pushed before the mark is visible to the owner.
// The signal fences of the other way keep the compiler from moving accesses across; they cost nothing.
//
// Context: every function is safe in a handler, except set_shared().
#pragma once

#include <cstdint>

#include "base/atoms.hpp"

namespace vif::base {

template <class Atoms = RealAtoms>
class Ownership {
 public:
  // True: the caller is the owner now. False: somebody else is, and will go round once more before it leaves.
  bool try_acquire() noexcept { return shared_.load(std::memory_order_relaxed) ? try_shared() : try_alone(); }

  // Owner only. False: the caller is not the owner any more and may go. True: it still is, and must look at its work
  // again.
  bool release() noexcept { return shared_.load(std::memory_order_relaxed) ? release_shared() : release_alone(); }

  // Owner only. As release(), and when nobody left a mark, has_work() is asked after the release and a full fence: for
  // work whose publishers ring no one and call no try_acquire(), such as rings written by other processes. It must not
  // count a half-done push as work (see above), and it runs while another owner may be at work: shared data only.
  template <class HasWork>
  bool release_and_look(HasWork has_work) noexcept {
    if (release()) return true;
    Atoms::fence();
    return has_work() && try_acquire();
  }

  // Owner only, for an owner that must stop with work left (a handler at the end of its budget). The mark is dropped:
  // the caller must have arranged that somebody looks later (re-raised its signal, say) before it calls this.
  void release_without_look() noexcept {
    wanted_.store(false, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    state_.store(free_state, std::memory_order_release);
  }

  // For assertions and for a handler that only wants to know whether it interrupted (or runs beside) an owner.
  bool held() const noexcept { return state_.load(std::memory_order_relaxed) != free_state; }

  // Owner only, and while no other thread uses this object: several threads will use it from now on, or one alone.
  // Not in a handler; handlers of the calling thread may come at any moment.
  void set_shared(bool shared) noexcept {
    shared_.store(shared, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    // A mark left in the old way is carried over to the new one. A handler that comes here marks in the new way.
    if (shared && wanted_.load(std::memory_order_relaxed)) {
      wanted_.store(false, std::memory_order_relaxed);
      state_.store(wanted_state, std::memory_order_relaxed);
    } else if (!shared && state_.load(std::memory_order_relaxed) == wanted_state) {
      wanted_.store(true, std::memory_order_relaxed);
      state_.store(held_state, std::memory_order_relaxed);
    }
  }

 private:
  static constexpr uint32_t free_state = 0;
  static constexpr uint32_t held_state = 1;
  static constexpr uint32_t wanted_state = 2;

  bool try_shared() noexcept {
    uint32_t seen = free_state;
    if (state_.compare_exchange_strong(seen, held_state, std::memory_order_acq_rel, std::memory_order_relaxed))
      return true;
    // An exchange even when a mark is there already: it is what carries our push to the owner.
    return state_.exchange(wanted_state, std::memory_order_acq_rel) == free_state;
  }

  bool release_shared() noexcept {
    uint32_t seen = held_state;
    if (state_.compare_exchange_strong(seen, free_state, std::memory_order_acq_rel, std::memory_order_relaxed))
      return false;
    state_.exchange(held_state, std::memory_order_acq_rel);
    return true;
  }

  bool try_alone() noexcept {
    if (state_.load(std::memory_order_relaxed) != free_state) {
      wanted_.store(true, std::memory_order_relaxed);
      return false;
    }
    state_.store(held_state, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return true;
  }

  bool release_alone() noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    state_.store(free_state, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (!wanted_.load(std::memory_order_relaxed)) return false;
    wanted_.store(false, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return try_alone();
  }

  // Written by whoever acquires, marks or releases.
  alignas(64) typename Atoms::template Atomic<uint32_t> state_{free_state};
  // Written by handlers of the owner's thread and by the owner; not used when shared.
  typename Atoms::template Atomic<bool> wanted_{false};
  // Written by set_shared().
  typename Atoms::template Atomic<bool> shared_{false};
};

}  // namespace vif::base
