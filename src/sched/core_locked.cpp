// The configuration of the source's baseline: one lock per core, which whoever posts takes, and the core for each
// event. Context: core, except receive_locked(): any thread.
#include "sched/core.hpp"
#include "sched/scheduler.hpp"

namespace vif::sched {

void Core::receive_locked(Event& newest, Event& oldest) {
  EventList in_order;
  Event* event = &newest;
  for (Event* older; event != &oldest; event = older) {
    older = event->following();
    in_order.push_front(*event);
  }
  in_order.push_front(oldest);
  {
    const std::lock_guard guard(lock_);
    uint64_t taken = 0;
    while (Event* next = in_order.pop()) {
      if (next->kind == Kind::shared) next->kind = Kind::ordinary;  // the baseline knows exclusive colours only
      enqueue(*next);
      ++taken;
    }
    tally_.took(taken);
    arrivals_.store(arrivals_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  if (current_ != this) ring();
}

// The next event, or nullptr. Its colour is in no list while it runs, so that it does not come up again.
Event* Core::choose_locked(Colour*& colour) {
  const std::lock_guard guard(lock_);
  if (Event* event = urgent_.pop()) return event;
  colour = ready_.take();
  if (colour == nullptr) return nullptr;
  Event* event = colour->events.pop();
  if (colour->events.empty()) {
    colour->state = Colour::State::idle;
  } else {
    make_ready(*colour);
  }
  return event;
}

void Core::run_locked() {
  while (!scheduler_.ended()) {
    place_.collect();
    Colour* colour = nullptr;
    if (line_.signal_news.load(std::memory_order_relaxed) != 0) fire_signals();
    if (Event* event = choose_locked(colour)) {
      invoke(*event);
      event_memory::give(event);
      account(nullptr, 1);
      continue;
    }
    idle();
  }
}

// Whether there is nothing to run; the core then counts as idle.
bool Core::nothing_locked() {
  const std::lock_guard guard(lock_);
  if (something_to_run()) return false;
  count_as_idle();
  return true;
}

}  // namespace vif::sched
