// Event: one record of the scheduler: a callable with its colour, or a message from one core to another.
//
// The callable lies behind the header, in the same piece of memory; `invoke` runs and destroys it, or only destroys it.
// An event is in one place at a time (an outgoing batch, an inbox, the queue of its colour), linked by `next`.
// Context: core; plain data.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/inbox.hpp"

namespace vif::sched {

using ColourId = uint64_t;

// run: call it, then destroy it; else: destroy it alone. Destroys it also when the call throws.
using Invoke = void (*)(void* payload, bool run);

enum class Kind : uint8_t {
  ordinary,     // at the tail of its colour
  front,        // at the head of its colour
  shared,       // at the tail; runs beside other shared events of its colour
  urgent,       // of a core, not of a colour: before every ordinary event
  granted,      // a shared event that the core of its colour lets another core run
  shared_done,  // a granted event that has run, on its way back
  colour_back,  // from a thief: the loan of a colour has been run
};

struct Event : base::InboxRecord<> {
  Invoke invoke = nullptr;
  ColourId colour = 0;
  Kind kind = Kind::ordinary;
  bool of_library = false;  // whether its memory is the C library's
  uint16_t core = 0;        // that the colour belongs to
  uint32_t reserved = 0;

  void* payload() noexcept { return this + 1; }
  static Event* of_payload(void* payload) noexcept { return static_cast<Event*>(payload) - 1; }

  // The link, as its single owner uses it: the owner changes by the inbox, whose orderings carry what was written.
  Event* following() const noexcept { return static_cast<Event*>(next.load(std::memory_order_relaxed)); }
  void lead_to(Event* event) noexcept { next.store(event, std::memory_order_relaxed); }
};
static_assert(sizeof(Event) == 32, "a small callable and its event share one cache line");

// First in, first out, with insertion at the head. For one owner.
class EventList {
 public:
  bool empty() const noexcept { return first_ == nullptr; }
  Event* first() const noexcept { return first_; }

  void push_back(Event& event) noexcept {
    event.lead_to(nullptr);
    if (first_ == nullptr) {
      first_ = &event;
    } else {
      last_->lead_to(&event);
    }
    last_ = &event;
  }
  void push_front(Event& event) noexcept {
    event.lead_to(first_);
    if (first_ == nullptr) last_ = &event;
    first_ = &event;
  }
  Event* pop() noexcept {
    Event* event = first_;
    if (event != nullptr) first_ = event->following();
    return event;
  }

 private:
  Event* first_ = nullptr;
  Event* last_ = nullptr;  // of a list that is not empty
};

}  // namespace vif::sched
