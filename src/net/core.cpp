// The engine's life, its doors for the application, and one pass of progress.
#include "net/core.hpp"

#include <cstring>

#include <sched.h>

namespace vif::net {

// Owned. False: an earlier request of this very thread may still be in the inbox, behind the half-done push of another
// thread, and must not be overtaken.
bool Core::nothing_before() const noexcept { return !multiple_ || inbox_.empty(); }

thread_local const Request* begun_last = nullptr;

void Core::send(Request& request) noexcept {
  begun_last = &request;
  request.done.store(0, std::memory_order_relaxed);
  if (own(Owner::app)) {
    const bool first = nothing_before();
    if (first) start_send(request);
    disown();
    if (first) return;
  }
  request.run = [](Engine& engine, Task& task) noexcept { engine.start_send(static_cast<Request&>(task)); };
  submit(request);
}

void Core::receive(Request& request) noexcept {
  begun_last = &request;
  request.done.store(0, std::memory_order_relaxed);
  if (own(Owner::app)) {
    const bool first = nothing_before();
    if (first) start_receive(request);
    disown();
    if (first) return;
  }
  request.run = [](Engine& engine, Task& task) noexcept { engine.start_receive(static_cast<Request&>(task)); };
  submit(request);
}

void Core::submit(Task& task) noexcept {
  inbox_.push(task);
  if (!own(bell::in_handler() ? Owner::handler : Owner::app)) return;  // the owner takes it
  turn();
  disown();
}

// The functions below need an answer: they wait for the engine, which no owner keeps longer than a pass.
void Core::wait_to_own() noexcept {
  for (int tries = 0; ownership_.held() || !own(Owner::app); ++tries) {
    if (tries < 1000) {
      base::RealAtoms::pause();
    } else {
      sched_yield();
    }
  }
}

template <class Action>
void Core::when_owned(Action action) noexcept {
  wait_to_own();
  refill();
  asked_ = true;  // a probe asks for progress as a test does
  turn();
  asked_ = false;
  action();
  disown();
}

void Core::receive_message(Request& request, Message* message) noexcept {
  request.done.store(0, std::memory_order_relaxed);
  when_owned([&] {
    request.begin(false);
    if (give(request, message->process, *message)) return;
    complete(request, Outcome::link_error);  // a sender that keeps to the protocol cannot withdraw what is kept
  });
}

void Core::look_for_the_dead() noexcept {
  when_owned([this] { check_peers(); });
}

void Core::cancel(Request& request) noexcept {
  when_owned([&] {
    if (request.complete()) return;
    request.cancel_wanted = true;
    if (request.is_send) {
      if (channel(request.process).far) {
        if (unqueue(request))
          complete(request, Outcome::cancelled);
        else
          link_->withdraw(request);
        return;
      }
      if (request.process == process_ && !unqueue(request)) {
        withdraw_from_self(request);
        return;
      }
      if (unqueue(request)) {
        if (request.transfer != 0) give_back_transfer(request);
        complete(request, Outcome::cancelled);
      } else if (request.transfer != 0) {
        withdraw(request);
      }
      return;
    }
    if (request.queue_link == nullptr || request.transfer != 0) return;  // matched already
    if (!take_back(request)) return;                                     // as good as matched
    posted_.remove(request);
    interest(-1);
    request.status = {};
    complete(request, Outcome::cancelled);
  });
}

void Core::withdraw_from_self(Request& request) noexcept {
  Message* message = unexpected_.find(request.context, request.source, request.tag);
  while (message != nullptr && message->send != &request) message = message->next;
  if (message == nullptr) return;
  unexpected_.remove(*message);
  free_message(*message);
  interest(-1);
  complete(request, Outcome::cancelled);
}

bool Core::probe(uint32_t context, int32_t source, int32_t tag, Status& status) noexcept {
  Message* found = nullptr;
  when_owned([&] { found = find_unexpected(context, source, tag, status); });
  return found != nullptr;
}

Message* Core::match_probe(uint32_t context, int32_t source, int32_t tag, Status& status) noexcept {
  Message* found = nullptr;
  when_owned([&] {
    do {
      found = find_unexpected(context, source, tag, status);
      if (found == nullptr) return;
      unexpected_.remove(*found);
    } while (!keep(*found));
  });
  return found;
}

// A message that a matched probe takes cannot be cancelled any more. False: at this very moment it was, and it is gone.
bool Core::keep(Message& message) noexcept {
  if (message.kind != Message::Kind::offered || transfer(message.transfer).keep()) return true;
  drop_withdrawn(message);
  return false;
}

Message* Core::find_unexpected(uint32_t context, int32_t source, int32_t tag, Status& status) noexcept {
  for (;;) {
    Message* message = unexpected_.find(context, source, tag);
    if (message == nullptr) return nullptr;
    if (message->kind == Message::Kind::offered &&
        transfer(message->transfer).load() == shm::Transfer<>::State::withdrawn) {
      unexpected_.remove(*message);
      drop_withdrawn(*message);
      continue;
    }
    status.source = message->source;
    status.tag = message->tag;
    status.bytes = message->length;
    status.outcome = Outcome::success;
    return message;
  }
}

// A program that asks again and again waits, too: with more processes than CPUs, whoever it waits for needs this one.
void Core::progress() noexcept {
  bool idle = true;
  if (!ownership_.held() && own(Owner::app)) {
    const uint64_t before = completions_;
    asked_ = true;
    turn();
    asked_ = false;
    idle = completions_ == before;
    disown();
  }
  if (!idle) return;
  // With a CPU for each, now and then: other programs may want this one (see core_wait.cpp).
  const uint32_t asked = idle_asks_.load(std::memory_order_relaxed) + 1;
  idle_asks_.store(asked, std::memory_order_relaxed);
  if (oversubscribed_ || asked % 64 == 0) sched_yield();
}

void Core::complete(Request& request, Outcome outcome) noexcept {
  request.status.outcome = outcome;
  ++completions_;
  // Read first and called last: once `done` is set, or on_complete runs, the request may be used again or be gone.
  if (candidate_ == &request) candidate_ = nullptr;
  const auto then = request.on_complete;
  request.done.store(1, std::memory_order_release);
  if (then != nullptr) then(*this, request);
}

// One pass over everything that may progress.
void Core::turn() noexcept {
  more_ = false;
  if (owner_ != Owner::handler) {
    if (broken_ != nullptr || nonsense_ != nullptr) report_broken();
    if (used_messages_ != nullptr || free_message_count_ < 16) refill();
  }
  if (unrung_ && (owner_ == Owner::waiting || asked_)) ring_for_offers();
  if (debt_count_ != 0) pay_debts(false);
  run_inbox();
  notice_connections();
  for (int i = 0; i < incoming_count_; ++i) poll(incoming_list_[i]);
  if (link_ != nullptr) look_at_link();
  if (queued_count_ != 0) flush_all();
  notice_matches();
  if (!outgoing_.empty()) advance_outgoing();
  const uint64_t matches = matches_;
  if (!incoming_.empty()) advance_incoming();
  for (Poller* at = pollers_; at != nullptr;) {
    Poller& poller = *at;
    at = poller.next;
    run_poller(poller);
  }
  if (owner_ != Owner::handler && owner_ != Owner::helper) {
    while (auto* record = app_inbox_.take()) {
      auto& task = static_cast<Task&>(*record);
      interest(-1);
      task.run(*this, task);
      ++completions_;  // it may have completed something that a sleeper waits for
    }
  }
  if (matches_ != matches) more_ = true;  // what was matched late in this pass has not moved yet
}

void Core::run_inbox() noexcept {
  while (auto* record = inbox_.take()) {
    auto& task = static_cast<Task&>(*record);
    task.run(*this, task);
    ++completions_;  // it may have completed something that a sleeper waits for
  }
  // A call that neither waits nor tests leaves to the progress thread what is that one's to begin.
  if (!entrusted() || owner_ == Owner::handler || (owner_ == Owner::app && !asked_)) return;
  while (auto* record = thread_inbox_.take()) {
    auto& task = static_cast<Task&>(*record);
    task.run(*this, task);
    ++completions_;
  }
}

// Unlinked while it runs: it may add pollers, and when it has finished its memory may be gone already.
void Core::run_poller(Poller& poller) noexcept {
  *poller.link = poller.next;
  if (poller.next != nullptr) poller.next->link = poller.link;
  interest(-1);
  if (poller.poll(*this, poller)) {
    ++completions_;
  } else {
    add_poller(poller);
  }
}

void Core::add_poller(Poller& poller) noexcept {
  poller.next = pollers_;
  poller.link = &pollers_;
  if (pollers_ != nullptr) pollers_->link = &poller.next;
  pollers_ = &poller;
  interest(+1);
}

// Who is told nothing because nobody waits (notify) must see the word, or this pass sees what it was not told.
void Core::demand(int change) noexcept {
  demanded_ += change;
  me_->demanding.store(demanded_ > 0 ? 1 : 0, std::memory_order_relaxed);
  base::RealAtoms::fence();
  more_ = more_ || change > 0;
}

void Core::run_in_app(Task& task) noexcept {
  interest(+1);
  app_inbox_.push(task);
  if (owner_ == Owner::app || owner_ == Owner::waiting) return;  // this pass runs it
  more_ = true;  // pollers that tell the application have had their turn
  if (me_->bell.peek() == bell::Posture::sleeping) wake_sleeper();
}

uint64_t Core::shared_allocate(uint64_t bytes, std::string& error) noexcept { return segment_.allocate(bytes, error); }

void Core::shared_free(uint64_t offset, uint64_t bytes) noexcept { segment_.release(offset, bytes); }

}  // namespace vif::net
