// The watch list: operations of the program that are under way, for whoever may find one of them complete: a handler,
// the helper thread, the thread that began it.
//
// A place is empty, taken by the thread that fills or empties it, or watched. Who looks announces itself first
// (`lookers_`), and then asks only places that are watched; who takes an operation off the list empties its place and
// then waits until no looker is left that may have seen it. A handler looks on top of a thread that takes off, and is
// done before that one goes on: nobody waits for what it has interrupted.
//
//   handle: empty 0 -> taken 1 -> object -> taken 1 -> empty 0
// Orderings, each with its partner:
//   handle = object: release            handle: acquire by lookers. What is known of the operation is there.
//   handle = taken: seq_cst, then lookers_: seq_cst    lookers_ + 1: seq_cst, then handle: seq_cst. Either the looker
//                                       sees the place taken, or the taker the looker; else an object is asked that is
//                                       gone.
//   lookers_ - 1: release               lookers_: acquire (of the seq_cst load). The looker's accesses are over.
//   found: release (compare-and-swap)   found: acquire. The time is that of the finding.
// Context: look() handler; the others app.
#pragma once

#include <cstdint>

#include "base/atoms.hpp"
#include "trace/tape.hpp"

namespace vif::trace {

template <class Atoms = base::RealAtoms, int place_count = 256>
class Watchlist {
 public:
  struct Place {
    template <class T>
    using Atomic = typename Atoms::template Atomic<T>;
    Atomic<uintptr_t> handle{0};
    Atomic<uint32_t> found{0};         // a Reaction; none: not complete yet
    Atomic<int64_t> found_at{0};       // written by who sets `found`, or loses the race for it by an instant
    Atomic<int64_t> progressed_at{0};  // last time that something moved while it was under way
    // Of the thread that put it here.
    Event event;
  };

  // The place, to be given to watch(); null: there are too many.
  Place* take() noexcept {
    for (Place& place : places_) {
      uintptr_t nobody = empty;
      if (place.handle.load(std::memory_order_relaxed) == empty &&
          place.handle.compare_exchange_strong(nobody, taken, std::memory_order_acquire)) {
        used_.fetch_add(1, std::memory_order_relaxed);
        place.found.store(0, std::memory_order_relaxed);
        place.progressed_at.store(0, std::memory_order_relaxed);
        return &place;
      }
    }
    return nullptr;
  }
  void watch(Place& place, uintptr_t object) noexcept { place.handle.store(object, std::memory_order_release); }

  // The place of an operation, which no looker asks from now on; null: it is not on the list. To be given to leave().
  Place* take_off(uintptr_t object) noexcept {
    if (used_.load(std::memory_order_relaxed) == 0) return nullptr;
    for (Place& place : places_) {
      uintptr_t expected = object;
      if (place.handle.load(std::memory_order_relaxed) != object ||
          !place.handle.compare_exchange_strong(expected, taken, std::memory_order_seq_cst)) {
        continue;
      }
      while (lookers_.load(std::memory_order_seq_cst) != 0) Atoms::pause();
      return &place;
    }
    return nullptr;
  }
  void leave(Place& place) noexcept {
    place.handle.store(empty, std::memory_order_release);
    used_.fetch_sub(1, std::memory_order_relaxed);
  }

  // Asks all that are watched: `complete(object)`. `now` is the time, `by` what has happened just before.
  template <class Complete>
  void look(Reaction by, bool moved, int64_t now, Complete complete) noexcept {
    // What is put on the list at this moment is asked the next time.
    if (used_.load(std::memory_order_relaxed) == 0) return;
    lookers_.fetch_add(1, std::memory_order_seq_cst);
    for (Place& place : places_) {
      const uintptr_t object = place.handle.load(std::memory_order_seq_cst);
      if (object == empty || object == taken || place.found.load(std::memory_order_relaxed) != 0) continue;
      if (complete(object)) {
        uint32_t nobody = 0;
        place.found_at.store(now, std::memory_order_relaxed);
        place.found.compare_exchange_strong(nobody, static_cast<uint32_t>(by), std::memory_order_release);
      } else if (moved) {
        place.progressed_at.store(now, std::memory_order_relaxed);
      }
    }
    lookers_.fetch_sub(1, std::memory_order_release);
  }

 private:
  static constexpr uintptr_t empty = 0;
  static constexpr uintptr_t taken = 1;
  typename Atoms::template Atomic<uint32_t> lookers_{0};
  typename Atoms::template Atomic<uint32_t> used_{0};  // places that are not empty; a hint to who is not their thread
  Place places_[place_count];
};

}  // namespace vif::trace
