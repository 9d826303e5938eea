// Posting from anywhere, and the ways to stop. Context: app; core where the header says so.
#include "sched/scheduler.hpp"

#include <cstdio>
#include <utility>

namespace vif::sched {

Event* Scheduler::allocate(std::size_t size, ColourId colour) {
  const uint16_t core = core_of(colour);
  Event* event = event_memory::take(size, places_[core]);
  event->colour = colour;
  event->core = core;
  return event;
}

void Scheduler::abandon(Event* event) noexcept { event_memory::give(event); }

bool Scheduler::post(Event* event) { return post_to(event->core, event); }

bool Scheduler::post_to(uint16_t to, Event* event) {
  Core* core = Core::current();
  if (core != nullptr && &core->scheduler() == this) {
    core->post(*event, to);
    return true;
  }
  outside_.comes_from_outside();
  if (state_.load(std::memory_order_seq_cst) != running) {
    outside_.is_refused();
    watchers_.tell();
    event->invoke(event->payload(), false);
    abandon(event);
    return false;
  }
  cores_[to]->receive(*event, *event);
  return true;
}

void Scheduler::set_priority(ColourId colour, uint8_t priority) {
  struct Request {
    ColourId colour;
    uint8_t priority;
  };
  Event* event = allocate(sizeof(Request), colour);
  event->kind = Kind::urgent;
  event->invoke = [](void* payload, bool run) {
    const auto* request = static_cast<const Request*>(payload);
    if (run) Core::current()->set_priority(request->colour, request->priority);
  };
  new (event->payload()) Request{colour, priority};
  post_to(event->core, event);
}

bool Scheduler::advance(uint32_t state) noexcept {
  uint32_t seen = state_.load(std::memory_order_relaxed);
  while (seen < state) {
    if (state_.compare_exchange_weak(seen, state, std::memory_order_seq_cst)) {
      watchers_.tell();
      if (state == ended_state) {
        for (Core* core : cores_) core->ring();
      }
      return true;
    }
  }
  return false;
}

// Each core is told by an event, which counts as one: so all is quiet only when all watches are gone, and what their
// destructors post has run.
void Scheduler::stop() noexcept {
  std::vector<Event*> events;
  try {
    events.reserve(cores_.size());
    for (std::size_t core = 0; core < cores_.size(); ++core) {
      Event* event = event_memory::take(0, places_[core]);
      events.push_back(event);
      event->kind = Kind::urgent;
      event->invoke = [](void*, bool run) {
        if (run) Core::current()->let_go_of_all();
      };
    }
  } catch (const std::bad_alloc&) {
    // The watches of the others end when their cores are next idle, or with the runtime.
  }
  for (std::size_t i = 0; i < events.size(); ++i) outside_.comes_from_outside();
  const bool stops = advance(stopping_state);
  for (std::size_t core = 0; core < events.size(); ++core) {
    if (stops) {
      cores_[core]->receive(*events[core], *events[core]);
    } else {
      outside_.is_refused();
      abandon(events[core]);
    }
  }
  if (!stops) watchers_.tell();
}

void Scheduler::stop_now() noexcept { advance(ended_state); }

void Scheduler::join() noexcept {
  if (std::exchange(joined_, true) || forked_) return;
  watchers_.watch([this] { return stopping(); });
  watchers_.watch([this] { return ended() || quiet(); });
  advance(ended_state);
  stalls_.reset();  // it looks at the threads
  for (pthread_t thread : threads_) pthread_join(thread, nullptr);
  for (Core* core : cores_) core->hand_over_all();
  for (Core* core : cores_) core->clear();
}

void Scheduler::wait_idle() noexcept {
  watchers_.watch([this] { return ended() || quiet(); });
}

void Scheduler::core_is_idle() noexcept {
  watchers_.core_is_idle([this] { return quiet(); });
}

bool Scheduler::quiet() noexcept { return all_quiet<base::RealAtoms>(tallies_); }

void Scheduler::handler_threw(ColourId colour) noexcept {
  if (on_exception_) return on_exception_(std::current_exception(), colour);
  {
    const std::lock_guard guard(exception_lock_);
    if (exception_ == nullptr) exception_ = std::current_exception();
  }
  stop_now();
}

std::exception_ptr Scheduler::take_exception() noexcept {
  const std::lock_guard guard(exception_lock_);
  return std::exchange(exception_, nullptr);
}

}  // namespace vif::sched
