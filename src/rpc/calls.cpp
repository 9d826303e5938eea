// Calls as their callers see them: made, answered, cancelled, given up. Context: app.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <stdexcept>

#include "rpc/core.hpp"

namespace vif::rpc::detail {
namespace {

constexpr Error largest_error = Error::closed;

// Of this process, whatever its nodes: see last_tag in core.cpp.
std::atomic<uint64_t> last_id{0};

std::vector<std::byte> copy_of(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

std::string text_in(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace

std::shared_ptr<Called> Core::call(int rank, Service service, Bytes header, const Content& body,
                                   std::function<void(Reply)> done, const CallOptions& options) {
  if (rank < 0 || rank >= size()) {
    throw std::out_of_range("There is no rank " + std::to_string(rank) + ": this job has " + std::to_string(size()) +
                            ".");
  }
  if (header.size() > header_limit) {
    throw std::length_error("A header of " + std::to_string(header.size()) +
                            " bytes is too long for a remote call: at most " + std::to_string(header_limit) +
                            ", the rest belongs into the body.");
  }
  auto called = std::make_shared<Called>();
  called->core = weak_from_this();
  called->process = engine_->first() + rank;
  called->colour = options.colour.value_or(colour_);
  called->done = std::move(done);
  called->into = options.into;
  called->room = options.room;
  int64_t left = 0;  // a deadline before the call has passed
  if (options.deadline.count() != 0) left = std::clamp<int64_t>(options.deadline.count(), 1, longest_deadline_ns);
  if (left > 0) called->deadline = std::chrono::steady_clock::now() + std::chrono::nanoseconds(left);
  Error refused = Error::none;
  {
    const std::lock_guard guard(lock_);
    called->id = last_id.fetch_add(1, std::memory_order_relaxed) + 1;
    if (closed_) {
      refused = Error::closed;
    } else if (gone_.count(called->process) != 0) {
      refused = Error::peer_gone;
    } else if (engine_->has_failed(called->process)) {
      refused = Error::peer_dead;
    } else {
      calls_.emplace(called->id, called);
      peers_.insert(called->process);
    }
  }
  if (refused != Error::none) {
    called->reply.error = refused;
    finish(called);
    return called;
  }
  if (left > 0) {
    // Before the call is on its way: its answer may come at once, and cancels the timer.
    const std::weak_ptr<Called> weak = called;
    const std::lock_guard guard(called->lock);
    called->timer = runtime_.at(called->deadline, colour_, [weak] {
      const auto late = weak.lock();
      const auto core = late != nullptr ? late->core.lock() : nullptr;
      if (core != nullptr) core->cancel(*late, Error::deadline);
    });
  }
  send(called->process, Wire{.kind = Kind::call, .id = called->id, .service = service, .time_left_ns = left}, header,
       body);
  return called;
}

bool Core::cancel(Called& called, Error why) noexcept {
  std::shared_ptr<Called> taken;
  {
    const std::lock_guard guard(lock_);
    const auto found = calls_.find(called.id);
    if (found == calls_.end()) return false;
    taken = std::move(found->second);
    calls_.erase(found);
  }
  send(called.process, Wire{.kind = Kind::cancel, .id = called.id}, {}, {});
  taken->reply.error = why;
  finish(taken);
  return true;
}

void Core::take_answer(int process, const Wire& wire, Bytes header, Bytes body) {
  std::shared_ptr<Called> called;
  {
    const std::lock_guard guard(lock_);
    const auto found = calls_.find(wire.id);
    if (found != calls_.end() && found->second->process == process) {
      called = std::move(found->second);
      calls_.erase(found);
    }
  }
  if (called == nullptr) {  // cancelled, or late
    if (wire.body_tag != 0) drop_body(process, wire.body_tag);
    return;
  }
  Reply& reply = called->reply;
  if (std::chrono::steady_clock::now() > called->deadline) {  // it came before the timer, and too late all the same
    if (wire.body_tag != 0) drop_body(process, wire.body_tag);
    reply.error = Error::deadline;
    return finish(called);
  }
  reply.error = static_cast<Error>(std::min(wire.error, static_cast<uint8_t>(largest_error)));
  reply.code = wire.code;
  reply.body_bytes = wire.body_bytes;
  (reply.error == Error::none) ? void(reply.header = copy_of(header)) : void(reply.text = text_in(header));
  if (wire.body_tag != 0) return take_answer_body(called, process, wire);
  if (called->into == nullptr) {
    reply.body = copy_of(body);
  } else {
    net::copy_bytes(called->into, body.data(), std::min<uint64_t>(body.size(), called->room));
    if (body.size() > called->room) reply.error = Error::truncated;
  }
  finish(called);
}

void Core::take_answer_body(const std::shared_ptr<Called>& called, int process, const Wire& wire) {
  void* place = called->into;
  uint64_t room = called->room;
  if (place == nullptr) {
    try {
      called->reply.body.resize(wire.body_bytes);
      room = wire.body_bytes;
    } catch (const std::exception&) {  // no memory, or no such size
      room = 0;
    }
    place = called->reply.body.data();
  }
  const bool started = receive(process, wire.body_tag, place, room, [this, called](net::Outcome outcome, uint64_t) {
    if (outcome == net::Outcome::truncated) called->reply.error = Error::truncated;
    if (outcome == net::Outcome::peer_dead) called->reply.error = Error::peer_dead;
    if (outcome == net::Outcome::cancelled) called->reply.error = Error::closed;
    finish(called);
  });
  if (started) return;
  called->reply.error = Error::closed;
  finish(called);
}

// Once for each call: whoever takes it out of the table does.
void Core::finish(const std::shared_ptr<Called>& called) noexcept {
  if (called->reply.error != Error::none && called->reply.text.empty()) {
    called->reply.text = text_of(called->reply.error);
  }
  {
    const std::lock_guard guard(called->lock);
    called->timer.cancel();
    called->complete = true;
    called->changed.notify_all();
  }
  if (called->done == nullptr) return;
  runtime_.post(called->colour, [called] {
    const auto done = std::move(called->done);
    done(std::move(called->reply));
  });
}

void Core::fail_calls(int process, Error why) {
  std::vector<std::shared_ptr<Called>> lost;
  {
    const std::lock_guard guard(lock_);
    if (why == Error::peer_gone) gone_.insert(process);
    for (auto at = calls_.begin(); at != calls_.end();) {
      if (at->second->process == process) {
        lost.push_back(std::move(at->second));
        at = calls_.erase(at);
      } else {
        ++at;
      }
    }
  }
  for (const auto& called : lost) {
    called->reply.error = why;
    finish(called);
  }
}

}  // namespace vif::rpc::detail
