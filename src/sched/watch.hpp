// Watch: a timer, a descriptor or a signal, with the callable that runs when it fires.
//
// It is kept by the core that its colour belongs to (its home), in that core's Sources. When it fires, the home posts
// an event of its colour that runs the callable. Two counts: `uses` are the home's and those of events that are under
// way; the last one destroys the callable. `references` are that one and the user's handles; the last one frees the
// memory. Context: core; cancel() and the references: app.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sched/event.hpp"
#include "sched/watch_state.hpp"

namespace vif::sched {

class Scheduler;

enum class WatchKind : uint8_t { timer, readable, writable, signal };

// watch: run the callable, which may take a handle of it; nullptr: destroy it.
struct Watch;
using Notify = void (*)(void* callable, Watch* watch);

struct Watch {
  Scheduler* scheduler = nullptr;
  Notify notify = nullptr;
  ColourId colour = 0;
  WatchKind kind = WatchKind::timer;
  bool kept = false;                  // by its home; written by the home
  std::atomic<bool> pending{false};   // an event of it is queued: set by the home, cleared by the event when it has run
  std::atomic<bool> homeless{false};  // the runtime stops: its home keeps it no more, and need not know of a cancel()
  int number = -1;                    // descriptor or signal
  int64_t at_ns = 0;                  // of a timer: CLOCK_MONOTONIC
  int64_t period_ns = 0;              // of a timer that repeats
  std::size_t place = 0;              // in the heap of timers
  uint64_t turn = 0;                  // timers of one moment fire in the order in which they were made
  WatchState<> state;
  std::atomic<uint32_t> uses{1};
  std::atomic<uint32_t> references{1};  // of all uses together

  void* callable() noexcept { return this + 1; }
  static Watch* of_callable(void* callable) noexcept { return static_cast<Watch*>(callable) - 1; }

  // Its home will not keep it any more. Release, with the acquire of Scheduler::cancel(), which from now on does not
  // touch the scheduler.
  void lose_home() noexcept {
    homeless.store(true, std::memory_order_release);
    if (!pending.load(std::memory_order_acquire)) state.cancel();  // else its last run, or the end of that, does it
  }
  bool repeats() const noexcept { return kind != WatchKind::timer || period_ns != 0; }

  // A new watch with room for a callable, aligned to 16, and nobody's yet. Throws std::bad_alloc.
  static Watch* make(std::size_t callable_size);
  void add_reference() noexcept { references.fetch_add(1, std::memory_order_relaxed); }
  void drop_reference() noexcept;
  void add_use() noexcept { uses.fetch_add(1, std::memory_order_relaxed); }
  void drop_use() noexcept;
};
static_assert(sizeof(Watch) % 16 == 0);

}  // namespace vif::sched
