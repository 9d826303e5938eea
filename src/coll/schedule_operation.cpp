#include "coll/schedule_operation.hpp"

#include <algorithm>
#include <cstring>

namespace vif::coll {

namespace {
// What starting a message counts for in the bound of a turn: bookkeeping, and the copy of a short message.
constexpr uint64_t message_price = 512;
constexpr uint64_t message_price_limit = 8192;
}  // namespace

ScheduleOperation::ScheduleOperation(Group& group) noexcept : schedule_(group) {
  begin_task_.run = begin;
  user_task_.run = run_user_reductions;
  finish_task_.run = finish;
  go_on_task_.run = go_on;
  poller_.poll = poll;
  begin_task_.owner = user_task_.owner = finish_task_.owner = poller_.owner = this;
  go_on_task_.owner = this;
}

void ScheduleOperation::move_by(net::Progress progress) noexcept {
  by_thread_ = progress == net::Progress::thread;
  by_application_ = left_out_ = progress == net::Progress::poll;
}

void ScheduleOperation::start() noexcept {
  entrusted_ = by_thread_ && !schedule_.nodes_.empty() && schedule_.group().engine->entrust();
  start_after(net::Outcome::success, entrusted_);
}

void ScheduleOperation::start_after(net::Outcome before, bool by_thread) noexcept {
  outcome_ = before;
  remaining_ = static_cast<uint32_t>(schedule_.nodes_.size());
  net::Engine& engine = *schedule_.group().engine;
  if (remaining_ == 0) {
    if (then_ != nullptr) engine.submit(*then_);
    return;
  }
  done_.store(0, std::memory_order_relaxed);
  for (Node& node : schedule_.nodes_) {
    node.waiting_for = node.prerequisites;
    node.done = 0;
  }
  if (by_application_) {
    engine.submit_to_app(begin_task_);
  } else if (by_thread) {
    engine.submit_to_thread(begin_task_);
  } else {
    engine.submit(begin_task_);
  }
}

void ScheduleOperation::leave_to_anybody(net::Engine& engine) noexcept {
  by_application_ = false;
  for (std::size_t index = 0; index < schedule_.request_steps_.size(); ++index) {
    schedule_.requests_[index].by_application = false;
  }
  if (remaining_ != 0) advance(engine);
}

void ScheduleOperation::go_on(net::Engine& engine, net::Task& task) noexcept {
  ScheduleOperation& self = *static_cast<OwnTask&>(task).owner;
  self.go_on_waits_ = false;
  self.advance(engine);
}

void ScheduleOperation::begin(net::Engine& engine, net::Task& task) noexcept {
  ScheduleOperation& self = *static_cast<OwnTask&>(task).owner;
  for (Step step = 0; step < self.schedule_.nodes_.size(); ++step) {
    if (self.schedule_.nodes_[step].prerequisites == 0) self.make_ready(step);
  }
  self.advance(engine);
}

void ScheduleOperation::finish(net::Engine& engine, net::Task& task) noexcept {
  ScheduleOperation& self = *static_cast<OwnTask&>(task).owner;
  if (self.entrusted_) engine.relieve();
  if (self.then_ == nullptr) return self.done_.store(1, std::memory_order_release);
  net::Task& then = *self.then_;
  self.done_.store(1, std::memory_order_relaxed);
  then.run(engine, then);
}

void ScheduleOperation::message_done(net::Engine& engine, net::Request& request) noexcept {
  ScheduleOperation& self = *static_cast<ScheduleOperation*>(request.owner);
  const Step step = self.schedule_.request_steps_[static_cast<std::size_t>(&request - self.schedule_.requests_.get())];
  const Node& node = self.schedule_.nodes_[step];
  if (self.left_out_) engine.leave_out(-1);
  net::Outcome outcome = request.status.outcome;
  // The sender had nothing right to send.
  if (outcome == net::Outcome::success && node.kind == Schedule::Kind::receive && request.status.bytes < node.amount) {
    outcome = net::Outcome::peer_dead;
  }
  if (self.outcome_ == net::Outcome::success) self.outcome_ = outcome;
  self.step_done(step);
  self.advance(engine);
}

bool ScheduleOperation::poll(net::Engine& engine, net::Poller& poller) noexcept {
  ScheduleOperation& self = *static_cast<OwnPoller&>(poller).owner;
  self.run_ready(engine);
  if (self.has_work()) {
    engine.ring(engine.process());
    return false;
  }
  self.polling_ = false;
  if (self.remaining_ == 0) engine.submit(self.finish_task_);
  return true;
}

// The engine calls this while an application thread is in the library, so the user's function may take its time.
void ScheduleOperation::run_user_reductions(net::Engine& engine, net::Task& task) noexcept {
  ScheduleOperation& self = *static_cast<OwnTask&>(task).owner;
  self.user_waits_ = false;
  const Reduction& reduction = self.schedule_.reduction_;
  while (!self.user_.empty()) {
    const Step step = self.pop(self.user_);
    const Node& node = self.schedule_.nodes_[step];
    reduction.user(node.from, node.to, node.amount, reduction.argument);
    engine.worked(node.amount * reduction.element_size, true);
    self.step_done(step);
  }
  self.advance(engine);
}

void ScheduleOperation::push(List& list, Step step) noexcept {
  schedule_.nodes_[step].next = Schedule::none;
  if (list.empty()) {
    list.first = step;
  } else {
    schedule_.nodes_[list.last].next = step;
  }
  list.last = step;
}

ScheduleOperation::Step ScheduleOperation::pop(List& list) noexcept {
  const Step step = list.first;
  list.first = schedule_.nodes_[step].next;
  return step;
}

void ScheduleOperation::make_ready(Step step) noexcept {
  switch (schedule_.nodes_[step].kind) {
    case Schedule::Kind::send:
    case Schedule::Kind::receive:
      return push(messages_, step);
    case Schedule::Kind::reduce:
      return push(schedule_.reduction_.user != nullptr ? user_ : local_, step);
    case Schedule::Kind::copy:
    case Schedule::Kind::join:
      return push(local_, step);
  }
}

void ScheduleOperation::step_done(Step step) noexcept {
  const Node& node = schedule_.nodes_[step];
  --remaining_;
  for (uint32_t index = 0; index < node.successors; ++index) {
    const Step later = schedule_.successors_[node.first_successor + index];
    if (--schedule_.nodes_[later].waiting_for == 0) make_ready(later);
  }
}

void ScheduleOperation::start_message(net::Engine& engine, const Node& node) noexcept {
  net::Request& request = schedule_.requests_[node.request];
  request.on_complete = message_done;
  request.owner = this;
  request.by_application = by_application_;
  // What comes after a failure is not worth anything: an empty message says so, and all that depend on it learn of it.
  const bool spoilt = node.kind == Schedule::Kind::send && outcome_ != net::Outcome::success;
  request.length = spoilt ? 0 : node.amount;
  if (left_out_) engine.leave_out(+1);
  if (node.kind == Schedule::Kind::send) {
    engine.start_send(request);
  } else {
    engine.start_receive(request);
  }
}

// Does at most `room` bytes of a copy or reduction, at least one element. Returns the bytes done.
uint64_t ScheduleOperation::run_slice(Step step, uint64_t room) noexcept {
  Node& node = schedule_.nodes_[step];
  uint64_t bytes = 0;
  if (node.kind == Schedule::Kind::copy) {
    bytes = std::min(room, node.amount - node.done);
    std::memcpy(node.to + node.done, node.from + node.done, bytes);
    node.done += bytes;
  } else if (node.kind == Schedule::Kind::reduce) {
    const uint64_t element = schedule_.reduction_.element_size;
    const uint64_t fitting = std::max<uint64_t>(1, room / std::max<uint64_t>(1, element));
    const uint64_t count = std::min(fitting, node.amount - node.done);
    schedule_.reduction_.function(node.from + node.done * element, node.to + node.done * element, count);
    node.done += count;
    bytes = count * element;
  }
  schedule_.group().engine->worked(bytes, node.kind == Schedule::Kind::reduce);
  return bytes;
}

// Starts what is ready, messages first, within the bound.
void ScheduleOperation::run_ready(net::Engine& engine) noexcept {
  running_ = true;
  // What needs no message, and what is left to it, is done at once by the application: a poller would have anybody
  // continue it.
  const uint64_t app_room = schedule_.request_steps_.empty() || by_application_ ? UINT64_MAX : app_slice;
  uint64_t room = engine.in_handler() ? handler_slice : app_room;
  while (room != 0 && has_work()) {
    if (!messages_.empty()) {
      const Node& node = schedule_.nodes_[pop(messages_)];
      start_message(engine, node);
      room -= std::min(room, message_price + std::min(node.amount, message_price_limit));
    } else {
      const Step step = local_.first;
      room -= std::min(room, run_slice(step, room));
      if (schedule_.nodes_[step].done < schedule_.nodes_[step].amount) continue;
      pop(local_);
      step_done(step);
    }
  }
  running_ = false;
  if (!user_.empty() && !user_waits_) {
    user_waits_ = true;
    engine.run_in_app(user_task_);
  }
}

// Not re-entrant: a message that completes while it is being started comes back here through message_done(), leaves its
// successors in the lists and lets the outer frame go on. The finishing task is handed over once, and not while the
// poller is with the engine: then the poller does it.
void ScheduleOperation::advance(net::Engine& engine) noexcept {
  if (running_) return;
  if (by_application_ && has_work() && !engine.in_application()) {
    if (!go_on_waits_) engine.run_in_app(go_on_task_);
    go_on_waits_ = true;
    return;
  }
  run_ready(engine);
  if (has_work() && !polling_) {
    polling_ = true;
    engine.add_poller(poller_);
  }
  if (polling_) {
    if (has_work() || remaining_ == 0) engine.ring(engine.process());
  } else if (remaining_ == 0 && !go_on_waits_) {
    engine.submit(finish_task_);
  }
}

}  // namespace vif::coll
