// The memory of events: an event's memory is chosen by the core that will run it (O2 of the source, memory/place.hpp),
// or it is the C library's, as in the source's baseline. Context: core and app.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>

#include "memory/places.hpp"
#include "sched/event.hpp"

namespace vif::sched {

namespace event_memory {

// Not the plain case: the thread is no place yet, the callable is large, or memory is the C library's. Throws
// std::bad_alloc.
Event* take_otherwise(std::size_t bytes, memory::PlaceNumber runs_at);

// An event with room for `size` bytes of payload, aligned to 16, for the core of that place; no_place: memory of the C
// library. Throws std::bad_alloc.
inline Event* take(std::size_t size, memory::PlaceNumber runs_at) {
  // Smaller events would lie across two cache lines.
  const std::size_t bytes = std::max<std::size_t>(sizeof(Event) + size, 64);
  memory::Place* mine = memory::places::current();
  if (mine != nullptr && runs_at != memory::no_place && bytes <= memory::largest_class) [[likely]] {
    void* room = mine->allocate(memory::class_of(bytes), runs_at);
    if (room != nullptr) [[likely]]
      return new (room) Event;
  }
  return take_otherwise(bytes, runs_at);
}

inline void give(Event* event) noexcept {
  memory::Place* mine = memory::places::current();
  if (mine != nullptr && !event->of_library) [[likely]] {
    mine->free(event);
  } else {
    memory::release(event);
  }
}

}  // namespace event_memory

// The place of one core: it exists before the core's thread does, so that others can allocate for it.
class CorePlace {
 public:
  // library: events are in the memory of the C library.
  explicit CorePlace(bool library) noexcept : place_(library ? nullptr : memory::places::reserve()) {}
  ~CorePlace();
  CorePlace(const CorePlace&) = delete;
  CorePlace& operator=(const CorePlace&) = delete;

  memory::PlaceNumber number() const noexcept { return place_ != nullptr ? place_->number() : memory::no_place; }

  // The core's thread, as the first and the last thing that it does.
  void enter() noexcept;
  void leave() noexcept;

  // The core's thread. What others have freed of this core's objects is taken back before events are run; what it has
  // freed for others is handed over before it sleeps.
  void collect() noexcept {
    if (place_ != nullptr && place_->has_mail()) place_->collect();
  }
  void flush() noexcept {
    if (place_ != nullptr) place_->flush();
  }

 private:
  memory::Place* place_;  // nullptr: the C library
  bool entered_ = false;
};

}  // namespace vif::sched
