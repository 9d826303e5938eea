// Colour: the queue of the events of one colour, kept by the core that the colour belongs to.
//
// States
//   idle     no events, and in no list
//   ready    in the ready lists of its core
//   running  its core runs an event of it
//   lent     another core runs, or has run, the events that it had then; the home has not been told of the end
//   held     its first event is exclusive and shared events of it still run elsewhere
// Context: core; for the owner of the core's state.
#pragma once

#include <cstdint>

#include "sched/event.hpp"

namespace vif::sched {

inline constexpr int highest_priority = 20;

struct Colour {
  enum class State : uint8_t { idle, ready, running, held, lent };

  explicit Colour(ColourId id_) noexcept : id(id_) {}

  ColourId id;
  EventList events;
  Colour* next_ready = nullptr;
  uint32_t shared_running = 0;  // granted to other cores and not back yet
  uint16_t quantum = 2;         // events of one turn; learnt
  uint8_t base_priority = 0;
  uint8_t current_priority = 0;
  State state = State::idle;
};

}  // namespace vif::sched
