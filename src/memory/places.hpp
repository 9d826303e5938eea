// The places of the process: their numbers, and which one the running thread is.
//
// A place outlives its threads: when one ends, its place is trimmed and waits for the next thread, with the blocks that
// are still in use. So an object may be freed at any time, by anybody, however long ago its allocator ended.
// Context: core and app; of() and current() any.
#pragma once

#include <atomic>

#include "memory/place.hpp"

namespace vif::memory::places {

namespace detail {
// Written under the registry's lock; a number reaches other threads through the objects that bear it.
extern std::atomic<Place*> all[most_places];
extern thread_local constinit Place* mine __attribute__((tls_model("initial-exec")));
}  // namespace detail

// The place of the running thread; nullptr when it is none.
inline Place* current() noexcept { return detail::mine; }
// The same, and the thread becomes one at its first call. nullptr when all numbers are taken or memory is short.
Place* join() noexcept;

inline Place& of(PlaceNumber number) noexcept { return *detail::all[number].load(std::memory_order_acquire); }

// Whether some place has or had this number. Any context.
inline bool known(PlaceNumber number) noexcept {
  return number < most_places && detail::all[number].load(std::memory_order_relaxed) != nullptr;
}

// For a scheduler, which must know the places of its cores before their threads run:
// a place for a thread to come; nullptr as above.
Place* reserve() noexcept;
// The running thread, which is no place yet or had joined, becomes this one.
void enter(Place& place) noexcept;
// The running thread is no place any more. Its place is trimmed and free for others.
void leave() noexcept;
// Gives back a reserved place that no thread has entered.
void release(Place& place) noexcept;

}  // namespace vif::memory::places
