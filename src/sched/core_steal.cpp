// The loop of the configuration with stealing, and the thief. Context: core.
//
// A theft takes whole colours: the thief unlinks all events that a colour has at this moment and runs them, in order,
// by itself (a loan); the colour stays with its home, marked as lent, and gathers what is posted meanwhile, which
// nobody runs. When the loan is done, a message tells the home, and the colour may run there again, or be lent again.
// So a colour is always found at its home, never runs twice at once and is never reordered.
#include <algorithm>
#include <utility>

#include <sched.h>

#include "sched/core.hpp"
#include "sched/scheduler.hpp"
#include "sched/ticks.hpp"

namespace vif::sched {

void Core::close_guard() noexcept {
  int attempts = 0;
  guard_.close([&attempts] {
    base::RealAtoms::pause();
    if (++attempts % 256 == 0) sched_yield();  // the thief may have been preempted
  });
}

void Core::run_stealing() {
  Turn turn;
  while (!scheduler_.ended()) {
    place_.collect();
    if (line_.signal_news.load(std::memory_order_relaxed) != 0) fire_signals();
    if (Event* event = choose_stealing(turn)) {
      run_chosen(*event, turn);
    } else {
      idle();
    }
  }
  if (!turn.loan.events.empty()) loans_.push_back(turn.loan);  // to be destroyed
}

void Core::run_chosen(Event& event, Turn& turn) {
  const bool is_loan = turn.is_loan;
  present_loan_ = is_loan ? &turn.loan : nullptr;
  invoke(event);
  present_loan_ = nullptr;
  // Before the colour can run elsewhere: what it posts there must not overtake what it posted here.
  hand_over_all();
  if (event.kind == Kind::granted) {
    event.kind = Kind::shared_done;
    post(event, event.core);
  } else {
    event_memory::give(&event);
  }
  if (is_loan && theft_began_ != 0) theft_.took(ticks() - std::exchange(theft_began_, 0) - theft_usual_);
  if (is_loan && turn.loan.events.empty()) {
    turn.is_loan = false;
    Event* message = scheduler_.allocate(0, turn.loan.colour);
    message->kind = Kind::colour_back;
    message->invoke = [](void*, bool) {};
    post(*message, message->core);
    hand_over_all();
  }
  account(nullptr, 1);
}

// What the last turn left may run again. Then the next event; its colour or its loan is the turn's.
Event* Core::choose_stealing(Turn& turn) {
  close_guard();
  if (turn.colour != nullptr) put_back(*std::exchange(turn.colour, nullptr));
  if (std::exchange(turn.is_loan, false)) loans_.push_back(turn.loan);
  turn.loan.events = {};
  take_in();
  Event* event = urgent_.pop();
  // Own colours, then what is borrowed from others, take turns.
  for (int source = 0; event == nullptr && source < 3; ++source) {
    next_source_ = (next_source_ + 1) % 3;
    if (next_source_ == 0) {
      event = choose_own(turn);
    } else if (next_source_ == 1) {
      event = granted_.pop();
    } else if (!loans_.empty()) {
      turn.loan = loans_.front();
      loans_.pop_front();
      turn.is_loan = true;
      event = turn.loan.events.pop();
    }
  }
  borrowed_.store(static_cast<uint32_t>(loans_.size()), std::memory_order_relaxed);
  guard_.open();
  return event;
}

Event* Core::choose_own(Turn& turn) {
  while (Colour* colour = ready_.take()) {
    if (colour->shared_running != 0 && colour->events.first()->kind != Kind::shared) {
      colour->state = Colour::State::held;
      continue;
    }
    Event* event = colour->events.pop();
    queued_.store(queued_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    if (!lend_shared(*colour, *event)) {
      colour->state = Colour::State::running;
      turn.colour = colour;
      return event;
    }
    put_back(*colour);
  }
  return nullptr;
}

// An event for this core by itself. Not into its state, which is a thief's as much as its own while a handler runs:
// what a handler posts goes into the inbox together, when the handler ends or has posted much.
void Core::post_stealing(Event& event) noexcept {
  // Before all events of the colour that have not begun: those of the loan come first.
  if (event.kind == Kind::front && present_loan_ != nullptr && present_loan_->colour == event.colour) {
    return present_loan_->events.push_front(event);
  }
  tally_.hands(1);
  if (running_ == nullptr) return line_.door.put(event, event);
  Batch& batch = batches_[index_];
  batch.append(event);
  ++held_;
  if (batch.count == BatchLimit::most) hand_over(index_);
}

// Whether there is nothing to run; the core then counts as idle.
bool Core::nothing_stealing() {
  close_guard();
  take_in();
  const bool nothing = !something_to_run();
  if (nothing) count_as_idle();
  guard_.open();
  return nothing;
}

// Nobody wakes a thief when a victim is stuck in a handler: it looks by itself, less and less often.
int64_t Core::until_next_theft() noexcept {
  constexpr int64_t shortest = 1'000'000, longest = 64'000'000;
  nap_ns_ = std::clamp(nap_ns_ * 2, shortest, longest);
  return nap_ns_;
}

// True: something was stolen.
bool Core::steal() {
  for (const int other : victims_) {
    Core& victim = scheduler_.core(static_cast<std::size_t>(other));
    const uint64_t ran = victim.events_run();
    Seen& seen = seen_[static_cast<std::size_t>(other)];
    const int64_t now = ticks();
    if (ran != seen.ran) seen = {ran, now};
    uint32_t events = victim.queued_.load(std::memory_order_relaxed) + victim.borrowed_.load(std::memory_order_relaxed);
    if (!victim.line_.door.untouched()) ++events;
    if (!theft_.pays(events, victim.mean_.load(std::memory_order_relaxed), now - seen.since)) continue;
    if (!victim.guard_.try_close()) continue;
    victim.take_in();
    const bool stolen = victim.lend(*this);
    victim.guard_.open();
    if (!stolen) continue;
    close_guard();
    tally_.took(1);
    for (const Loan& loan : stolen_) loans_.push_back(loan);
    borrowed_.store(static_cast<uint32_t>(loans_.size()), std::memory_order_relaxed);
    guard_.open();
    stolen_.clear();
    nap_ns_ = 0;
    theft_pause_ = 1;
    steals_.store(steals_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    theft_began_ = now;
    theft_usual_ = victim.mean_.load(std::memory_order_relaxed);
    return true;
  }
  return false;
}

// On the thief's thread, with this core's guard closed: half of the colours that are ready, rounded up, to `thief`;
// when there are none, half of what this core has borrowed itself.
bool Core::lend(Core& thief) {
  std::deque<Loan> stolen;
  ReadyList kept;
  const std::size_t half = std::min<std::size_t>((ready_.size() + 1) / 2, Theft::most_colours);
  while (Colour* colour = ready_.take_as_is()) {
    const bool lendable = colour->shared_running == 0 && colour->events.first()->kind != Kind::shared;
    if (lendable && stolen.size() < half) {
      stolen.push_back(borrow(*colour));
    } else {
      kept.push(*colour);
    }
  }
  ready_ = kept;
  for (std::size_t count = (loans_.size() + 1) / 2; stolen.empty() && count != 0; --count) {
    stolen.push_back(loans_.back());
    loans_.pop_back();
  }
  borrowed_.store(static_cast<uint32_t>(loans_.size()), std::memory_order_relaxed);
  if (stolen.empty()) return false;
  // A theft counts as a message of the thief to itself: who watches for quiet then notices that something has changed
  // its place. Handed before the guard opens, since this core cannot be seen idle earlier; taken under the thief's own
  // guard (steal()), since others may count there what they take for it.
  thief.tally_.hands(1);
  thief.stolen_.swap(stolen);
  return true;
}

// All events of a colour, up to the first shared one, which only the home hands out.
Core::Loan Core::borrow(Colour& colour) {
  Loan loan{colour.id, {}};
  uint32_t count = 0;
  for (; !colour.events.empty() && colour.events.first()->kind != Kind::shared; ++count) {
    loan.events.push_back(*colour.events.pop());
  }
  queued_.store(queued_.load(std::memory_order_relaxed) - count, std::memory_order_relaxed);
  colour.state = Colour::State::lent;
  return loan;
}

// Something waits here for longer than a wake-up takes: a core that sleeps may come and steal it.
void Core::wake_a_thief(int64_t each) noexcept {
  const uint32_t queued = queued_.load(std::memory_order_relaxed);
  if (queued < 2 || static_cast<int64_t>(queued) * each < 2 * waiting_.latency()) return;
  for (const int other : victims_) {
    Core& core = scheduler_.core(static_cast<std::size_t>(other));
    if (!core.line_.door.resting()) continue;
    core.ring();
    return;
  }
}

}  // namespace vif::sched
