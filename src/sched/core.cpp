// The state of a core: what is ready, and one turn of a colour. Context: core.
#include "sched/core.hpp"

#include <algorithm>

#include "sched/scheduler.hpp"
#include "sched/ticks.hpp"

namespace vif::sched {

namespace {

constexpr int64_t longest_quantum = 64;
constexpr int64_t most_turns_unseen = 16;
constexpr int64_t looks_in_a_turn = 4;

// At most an hour, so that sums and products stay far from overflow.
int64_t in_ticks(int64_t ns) {
  return static_cast<int64_t>(static_cast<double>(std::min<int64_t>(ns, 3'600'000'000'000)) * ticks_per_ns());
}

}  // namespace

thread_local Core* Core::current_ = nullptr;

Core::Core(Scheduler& scheduler, uint16_t index, CoreLine& line)
    : scheduler_(scheduler),
      line_(line),
      index_(index),
      locked_(scheduler.settings().queue == QueueRule::lock),
      next_reader_(index),
      place_(scheduler.settings().memory == MemoryRule::library),
      batches_(static_cast<std::size_t>(scheduler.settings().cores)),
      limit_(scheduler.settings().batch),
      waiting_(scheduler.settings().wait, in_ticks(10'000), in_ticks(scheduler.settings().wait_threshold_ns)),
      turn_ticks_(std::max<int64_t>(1, in_ticks(scheduler.settings().turn_ns))),
      stealing_(scheduler.settings().steal && scheduler.settings().cores > 1),
      seen_(batches_.size()),
      theft_(in_ticks(1'000)),
      poll_ticks_(in_ticks(50'000)),
      contested_ticks_(in_ticks(50'000)) {
  due_.reserve(batches_.size());
  if (scheduler.settings().wake == WakeRule::pipe) open_pipe();
}

void Core::run() {
  current_ = this;
  place_.enter();
  looked_at_ = resumed_at_ = ticks();
  if (locked_) {
    run_locked();
  } else if (stealing_) {
    run_stealing();
  } else {
    while (!scheduler_.ended()) {
      place_.collect();
      take_in();
      if (line_.signal_news.load(std::memory_order_relaxed) != 0) fire_signals();
      if (run_extras()) continue;
      if (Colour* colour = ready_.take()) {
        run_turn(*colour);
      } else {
        idle();
      }
    }
  }
  place_.leave();
  current_ = nullptr;
}

void Core::take_in() {
  uint64_t taken = 0;
  while (auto* record = line_.door.take(tray_)) {
    enqueue(static_cast<Event&>(*record));
    ++taken;
  }
  if (taken != 0) tally_.took(taken);
}

void Core::enqueue(Event& event) {
  switch (event.kind) {
    case Kind::urgent:
      return urgent_.push_back(event);
    case Kind::granted:
      return granted_.push_back(event);
    case Kind::shared_done:
      return shared_is_back(event);
    case Kind::colour_back: {
      Colour& colour = colours_.find(event.colour);
      put_back(colour);
      return event_memory::give(&event);
    }
    default:
      break;
  }
  Colour& colour = colours_.find(event.colour);
  if (event.kind == Kind::front) {
    colour.events.push_front(event);
  } else {
    colour.events.push_back(event);
  }
  if (stealing_) queued_.store(queued_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (colour.state == Colour::State::idle) make_ready(colour);
}

// A colour that runs no more, here or elsewhere.
void Core::put_back(Colour& colour) noexcept {
  if (colour.events.empty()) {
    colour.state = Colour::State::idle;
  } else {
    make_ready(colour);
  }
}

void Core::make_ready(Colour& colour) noexcept {
  colour.state = Colour::State::ready;
  ready_.push(colour);
}

void Core::set_priority(ColourId id, uint8_t priority) {
  if (stealing_) close_guard();
  Colour& colour = colours_.find(id);
  colour.base_priority = priority;
  // Where it is in the lists it stays until its next turn.
  if (colour.state != Colour::State::ready) colour.current_priority = priority;
  if (stealing_) guard_.open();
}

void Core::run_turn(Colour& colour) {
  colour.state = Colour::State::running;
  uint32_t ran = 0;
  do {
    if (colour.shared_running != 0 && colour.events.first()->kind != Kind::shared) {
      colour.state = Colour::State::held;
      return account(&colour, ran);
    }
    Event* event = colour.events.pop();
    if (lend_shared(colour, *event)) continue;  // all that follow each other are handed out before one runs here
    invoke(*event);
    event_memory::give(event);
    ++ran;
  } while (ran < colour.quantum && !colour.events.empty() && !scheduler_.ended());
  put_back(colour);
  account(&colour, ran);
}

// Shared events go to the cores in turn, this one among them. Exclusive ones wait until all are back.
bool Core::lend_shared(Colour& colour, Event& event) {
  if (event.kind != Kind::shared || batches_.size() == 1) return false;
  next_reader_ = static_cast<uint16_t>((next_reader_ + 1U) % batches_.size());
  ++colour.shared_running;
  event.kind = Kind::granted;
  if (next_reader_ == index_) {
    granted_.push_back(event);
  } else {
    hand_over_all();  // what exclusive events of the colour have posted comes before what this one posts elsewhere
    tally_.hands(1);
    scheduler_.core(next_reader_).receive(event, event);
  }
  return true;
}

void Core::shared_is_back(Event& message) {
  Colour& colour = colours_.find(message.colour);
  --colour.shared_running;
  event_memory::give(&message);
  if (colour.shared_running == 0 && colour.state == Colour::State::held) make_ready(colour);
}

// Urgent events, all; granted shared events, one, so that the core's own colours have their turns.
bool Core::run_extras() {
  bool ran = false;
  while (Event* event = urgent_.pop()) {
    invoke(*event);
    event_memory::give(event);
    ran = true;
  }
  if (Event* event = granted_.pop()) {
    invoke(*event);
    hand_over_all();  // before the exclusive events that wait for this one post theirs
    event->kind = Kind::shared_done;
    post(*event, event->core);
    account(nullptr, 1);
    if (Colour* colour = ready_.take()) run_turn(*colour);
    ran = true;
  }
  return ran;
}

void Core::invoke(Event& event) noexcept {
  running_ = &event;
  work_.begins(event);
  try {
    event.invoke(event.payload(), true);
  } catch (...) {
    scheduler_.handler_threw(event.colour);
  }
  work_.ends();
  running_ = nullptr;
  if (!due_.empty()) hand_over_due();
}

// The clock is read after turns of several events, and else after some turns, the fewer the longer handlers are.
void Core::account(Colour* colour, uint32_t events) {
  events_since_look_ += events;
  if (--turns_to_look_ == 0 || events >= 4) look_around(colour);
}

void Core::look_around(Colour* colour) {
  const int64_t now = ticks();
  const int64_t lasted = std::max<int64_t>(1, now - looked_at_);
  const int64_t events = std::max(1U, events_since_look_);
  // One division: they are what a look costs.
  const int64_t of_a_turn = turn_ticks_ * events / lasted;
  if (colour != nullptr) {
    colour->quantum = static_cast<uint16_t>(std::clamp<int64_t>(of_a_turn, 1, longest_quantum));
  }
  turns_to_look_ = static_cast<uint32_t>(std::clamp<int64_t>(of_a_turn / looks_in_a_turn, 1, most_turns_unseen));
  events_since_look_ = 0;
  looked_at_ = now;
  if (held_ != 0) hand_over_old(now);
  if (stealing_) {
    const int64_t each = std::max<int64_t>(1, lasted / events);
    mean_.store(each, std::memory_order_relaxed);
    wake_a_thief(each);
  }
  if (has_sources() && now - polled_at_ > poll_ticks_) {
    polled_at_ = now;
    poll_sources(0);
  }
}

void Core::clear() noexcept {
  let_go_of_all();
  const auto destroy = [](EventList& events) {
    while (Event* event = events.pop()) {
      event->invoke(event->payload(), false);
      event_memory::give(event);
    }
  };
  while (auto* record = line_.door.take(tray_)) {
    auto& event = static_cast<Event&>(*record);
    // What has run already, and is on its way back.
    if (event.kind == Kind::shared_done || event.kind == Kind::colour_back) {
      event_memory::give(&event);
      continue;
    }
    urgent_.push_back(event);
  }
  for (Loan& loan : loans_) destroy(loan.events);
  destroy(urgent_);
  destroy(granted_);
  colours_.each([&destroy](Colour& colour) { destroy(colour.events); });
}

}  // namespace vif::sched
