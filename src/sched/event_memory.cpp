// Context: core and app.
#include "sched/event_memory.hpp"

#include <cstdlib>

#include <vif/memory.hpp>

namespace vif::sched {

namespace event_memory {

Event* take_otherwise(std::size_t bytes, memory::PlaceNumber runs_at) {
  void* room = runs_at == memory::no_place ? std::malloc(bytes) : memory::allocate_for(runs_at, bytes);
  if (room == nullptr) room = std::malloc(bytes);  // no block can be had, but perhaps one object
  if (room == nullptr) throw std::bad_alloc();
  auto* event = new (room) Event;
  event->of_library = !memory::Heap::owns(room);
  return event;
}

}  // namespace event_memory

CorePlace::~CorePlace() {
  if (place_ != nullptr && !entered_) memory::places::release(*place_);
}

void CorePlace::enter() noexcept {
  entered_ = true;
  if (place_ != nullptr) memory::places::enter(*place_);
}

void CorePlace::leave() noexcept {
  if (place_ != nullptr) memory::places::leave();
}

}  // namespace vif::sched
