// The scheduler of modelled threads.
#include "model/execution.hpp"

#include <algorithm>

#include "model/memory.hpp"

namespace vif::model {

namespace {
Execution* the_execution = nullptr;
}

Execution& Execution::now() { return *the_execution; }

Execution::Execution(const Limits& limits) : limits_(limits) { the_execution = this; }

Execution::~Execution() { the_execution = nullptr; }

std::string Execution::trace() const { return trace_.print(thread_names_); }

uint32_t Execution::clock() const { return current_->clock; }

void Execution::record(const char* operation, const void* address, uint64_t value, uint32_t stale) {
  if (current_ != nullptr) trace_.add({current_->index, current_->in_handler, operation, address, value, stale});
}

bool Execution::run(const std::function<void(Plan&)>& set_up, Chooser& chooser, int preemptions, int stale_reads) {
  chooser_ = &chooser;
  preemptions_left_ = preemptions;
  stale_reads_left_ = stale_reads;
  steps_left_ = limits_.steps;
  locations_ = 0;
  outside_ = {};
  sequential_ = {};
  waiters_.clear();
  threads_.clear();
  thread_names_.clear();
  failure_.clear();
  trace_.clear();
  Plan plan;
  set_up(plan);
  start(plan);
  if (failure_.empty() && collect_steps()) {
    // The first switch out of the main fiber; the last thread to do something switches back.
    std::size_t index = steps_.size() == 1 ? 0 : chooser_->choose_step(steps_);
    current_ = &threads_[steps_[index].thread];
    current_->action = steps_[index].action;
    Fiber::switch_to(main_, *current_->fiber);
  }
  current_ = nullptr;
  if (failure_.empty()) {
    for (auto& check : plan.at_end) check();
  }
  return failure_.empty();
}

// Every thread runs up to its first access, in order: nothing shared happens there, so nothing is to be chosen.
void Execution::start(Plan& plan) {
  for (ThreadPlan& thread_plan : plan.threads) {
    Thread& thread = threads_.emplace_back();
    thread.index = static_cast<uint16_t>(threads_.size() - 1);
    thread.plan = &thread_plan;
    thread.interrupts = thread_plan.handler ? thread_plan.interrupts : 0;
    thread.clock = new_location();
    thread.views = outside_;
    thread_names_.push_back(thread_plan.name);
    trace_.name(&thread, sizeof thread, thread_plan.name);
    if (fibers_.size() < threads_.size()) fibers_.push_back(std::make_unique<Fiber>());
    thread.fiber = fibers_[thread.index].get();
    thread.fiber->prepare(&Execution::enter_thread);
  }
  starting_ = true;
  for (Thread& thread : threads_) {
    current_ = &thread;
    Fiber::switch_to(main_, *thread.fiber);
    if (!failure_.empty()) break;
  }
  starting_ = false;
  current_ = nullptr;
}

void Execution::enter_thread() {
  Execution& execution = now();
  Thread& thread = *execution.current_;
  thread.plan->body();
  execution.record("ends", nullptr, 0);
  thread.state = State::finished;
  for (;;) {
    execution.dispatch();
    execution.run_handler(thread);
  }
}

void Execution::point() {
  if (!inside()) return;
  Thread& thread = *current_;
  for (;;) {
    dispatch();
    if (thread.action == Action::go) break;
    run_handler(thread);
  }
  for (Thread& other : threads_) {
    if (&other != &thread) other.yielded = false;
  }
  if (--steps_left_ < 0) {
    fail("The execution does not end: more than " + std::to_string(limits_.steps) +
         " accesses were made. Threads wait for each other without sleeping (livelock), or the limit is too low.");
  }
}

void Execution::handler_point() {
  if (!inside() || starting_) return;
  while (handler_may_land(*current_)) {
    if (chooser_->choose_value(2) == 0) return;
    run_handler(*current_);
  }
}

void Execution::yield() {
  if (inside()) current_->yielded = true;
}

bool Execution::handler_may_land(const Thread& thread) const {
  if (!thread.plan->handler || thread.in_handler) return false;
  return thread.raised > 0 || (thread.interrupts > 0 && thread.state != State::finished);
}

void Execution::run_handler(Thread& thread) {
  if (thread.raised > 0) {
    --thread.raised;
  } else {
    --thread.interrupts;
  }
  bool finished = thread.state == State::finished;
  thread.state = State::ready;
  thread.yielded = false;
  record("handler begins", nullptr, 0);
  thread.in_handler = true;
  thread.plan->handler();
  thread.in_handler = false;
  record("handler ends", nullptr, 0);
  if (finished) thread.state = State::finished;
}

void Execution::collect_threads(bool may_switch, bool current_can_go) {
  for (Thread& thread : threads_) {
    if (!may_switch && &thread != current_) continue;
    bool here = &thread == current_ && current_can_go;
    if (thread.state == State::ready && !thread.yielded && !here) steps_.push_back({thread.index, Action::go});
    if (handler_may_land(thread)) steps_.push_back({thread.index, Action::handler});
    if (thread.state == State::blocked && thread.timed && limits_.time_outs == TimeOuts::any) {
      steps_.push_back({thread.index, Action::time_out});
    }
  }
}

// Fills `steps_` with what may happen next, the least surprising first. False when nothing can.
bool Execution::collect_steps() {
  steps_.clear();
  bool can_go = current_ != nullptr && current_->state == State::ready && !current_->yielded;
  if (can_go) steps_.push_back({current_->index, Action::go});
  collect_threads(!can_go || preemptions_left_ != 0, can_go);
  // A thread that spins goes on when nothing else must happen. An interrupt that merely may land does not have to.
  bool forced = std::any_of(steps_.begin(), steps_.end(), [this](const Step& step) {
    return step.action != Action::handler || threads_[step.thread].raised > 0;
  });
  if (forced) return true;
  for (Thread& thread : threads_) {
    if (thread.state == State::ready && thread.yielded) steps_.push_back({thread.index, Action::go});
  }
  if (!steps_.empty() || limits_.time_outs != TimeOuts::when_idle) return !steps_.empty();
  for (Thread& thread : threads_) {
    if (thread.state == State::blocked && thread.timed) steps_.push_back({thread.index, Action::time_out});
  }
  return !steps_.empty();
}

void Execution::dispatch() {
  Thread& self = *current_;
  if (starting_) {
    Fiber::switch_to(*self.fiber, main_);
    return;  // the first step was chosen by run() or by another thread
  }
  if (!collect_steps()) {
    bool deadlock = std::any_of(threads_.begin(), threads_.end(), [](auto& t) { return t.state == State::blocked; });
    if (deadlock) fail(describe_deadlock());
    leave_for_good();
  }
  bool can_go = self.state == State::ready && !self.yielded;
  std::size_t index = steps_.size() == 1 ? 0 : chooser_->choose_step(steps_);
  Step step = steps_[index];
  Thread& next = threads_[step.thread];
  next.action = step.action;
  if (&next == &self) return;
  if (can_go && preemptions_left_ > 0) --preemptions_left_;
  current_ = &next;
  Fiber::switch_to(*self.fiber, *next.fiber);
}

void Execution::leave_for_good() {
  Fiber::switch_to(*current_->fiber, main_);
  __builtin_unreachable();
}

void Execution::fail(const std::string& why) {
  if (failure_.empty()) failure_ = why;
  if (inside()) leave_for_good();
}

std::string Execution::describe_deadlock() const {
  std::string text = "Deadlock: nobody can go on and nobody is left to wake";
  const char* separator = " ";
  for (const Thread& thread : threads_) {
    if (thread.state != State::blocked) continue;
    text += separator + thread.plan->name + (thread.in_handler ? " (in its handler)" : "");
    separator = ", ";
  }
  return text + ".";
}

void Execution::wait_on(Location& word, uint64_t expected, bool timed) {
  if (!inside()) return;
  Thread& thread = *current_;
  for (;;) {
    point();
    uint64_t value = word.newest();
    record(value == expected ? "wait, sleeps" : "wait, returns", &word, value);
    if (value != expected) return;
    thread.state = State::blocked;
    thread.waits_on = &word;
    thread.timed = timed;
    waiters_.push_back(&thread);
    dispatch();
    std::erase(waiters_, &thread);
    bool woken = thread.state == State::ready;
    bool over = thread.action == Action::time_out;
    thread.state = State::ready;
    if (over) record("wait, time is over", &word, value);
    if (thread.action == Action::handler) run_handler(thread);
    // Only a handler that landed in the sleep itself makes the call start again.
    if (woken || over) return;
  }
}

void Execution::wake(Location& word, int count) {
  if (!inside()) return;
  point();
  int woken = 0;
  for (auto waiter = waiters_.begin(); waiter != waiters_.end() && woken < count;) {
    if ((*waiter)->waits_on != &word) {
      ++waiter;
      continue;
    }
    (*waiter)->state = State::ready;
    (*waiter)->yielded = false;
    waiter = waiters_.erase(waiter);
    ++woken;
  }
  record("wake, woken:", &word, static_cast<uint64_t>(woken));
}

void Execution::raise(int thread) {
  if (!inside()) return;
  point();
  Thread& target = threads_[static_cast<std::size_t>(thread)];
  if (!target.plan->handler) fail("A signal was raised for a thread that has no handler: " + target.plan->name + ".");
  ++target.raised;
  record("raise", &target, static_cast<uint64_t>(target.raised));
}

std::size_t Execution::choose(std::size_t count) { return count < 2 ? 0 : chooser_->choose_value(count); }

std::size_t Execution::choose_stale(std::size_t visible) {
  if (!inside() || stale_reads_left_ == 0 || visible < 2) return 0;
  std::size_t stale = chooser_->choose_value(visible);
  if (stale != 0 && stale_reads_left_ > 0) --stale_reads_left_;
  return stale;
}

}  // namespace vif::model
