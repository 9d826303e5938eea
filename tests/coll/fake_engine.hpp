// A job of several processes inside one: engines that exchange messages by memory, in an order drawn from a seed.
//
// What it does on purpose, because a real engine may:
//   - a short message is copied when it is sent, another one is read only when the receive meets it;
//   - a send may complete inside start_send() (and call on_complete from there), or at any time later;
//   - events run as if in a handler or not, at random; tasks for the application only when not;
//   - submit() runs at once or later, never inside another event of the same engine.
// Messages between two processes arrive in order; everything else is shuffled.
//
// One thread: call step() until what you wait for has happened. Several: each process has a thread, which waits in
// wait_until(); all of the job is under one lock then.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "net/engine.hpp"

namespace vif::test {

class FakeJob;

// True while an event runs that a real engine might run in a handler.
inline thread_local bool in_fake_handler = false;

class FakeEngine final : public net::Engine {
 public:
  FakeEngine(FakeJob& job, int process, int processes) : job_(job) {
    process_ = process;
    processes_ = processes;
    oversubscribed_ = true;
  }

  void send(net::Request& request) noexcept override;
  void receive(net::Request& request) noexcept override;
  void receive_message(net::Request&, net::Message*) noexcept override { std::abort(); }
  void submit(net::Task& task) noexcept override;
  void cancel(net::Request&) noexcept override { std::abort(); }
  bool probe(uint32_t, int32_t, int32_t, net::Status&) noexcept override { std::abort(); }
  net::Message* match_probe(uint32_t, int32_t, int32_t, net::Status&) noexcept override { std::abort(); }
  void progress() noexcept override;
  void wait_until(bool (*condition)(void*), void* argument) noexcept override;
  void enter() noexcept override {}
  void leave() noexcept override {}
  void start_send(net::Request& request) noexcept override;
  void start_receive(net::Request& request) noexcept override;
  void add_poller(net::Poller& poller) noexcept override { pollers_.push_back(&poller); }
  void run_in_app(net::Task& task) noexcept override { app_tasks_.push_back(&task); }
  bool in_handler() const noexcept override { return in_fake_handler; }
  bool entrust() noexcept override { return ++entrusted_, true; }
  void relieve() noexcept override { --entrusted_; }
  void submit_to_thread(net::Task& task) noexcept override;
  void leave_out(int change) noexcept override { left_out_ += change; }
  void ring(int process) noexcept override;
  std::byte* shared_base() noexcept override;
  uint64_t shared_allocate(uint64_t bytes, std::string& error) noexcept override;
  void shared_free(uint64_t, uint64_t) noexcept override {}
  int failures() const noexcept override { return dead_process >= 0 ? 1 : 0; }
  bool has_failed(int process) const noexcept override { return process == dead_process; }

  int64_t now_ns() noexcept override { return clock_ns >= 0 ? clock_ns : Engine::now_ns(); }

  int dead_process = -1;  // found to have ended
  int64_t clock_ns = -1;  // the time; -1: the real one

  // Runs one event of this engine, if there is one. The job's lock is held.
  bool step() noexcept;
  bool idle() const noexcept;
  uint64_t rings = 0;  // that this process got

 private:
  friend class FakeJob;

  struct Incoming {
    net::Request* send = nullptr;  // null: copied, and the sender may be gone
    FakeEngine* sender = nullptr;
    std::vector<std::byte> copy;
    uint32_t context = 0;
    int32_t source = 0;
    int32_t tag = 0;
    uint64_t length = 0;
  };

  static bool matches(const net::Request& receive, const Incoming& message) noexcept {
    return receive.context == message.context &&
           (receive.source == net::any_source || receive.source == message.source) &&
           (receive.tag == net::any_tag || receive.tag == message.tag);
  }
  void complete(net::Request& request, net::Outcome outcome) noexcept;
  void meet(net::Request& receive, Incoming& message) noexcept;
  void arrive(Incoming message) noexcept;
  template <class Event>
  void run(bool may_be_handler, Event event) noexcept;

  FakeJob& job_;
  std::vector<std::deque<Incoming>> channels_;  // by sender
  std::deque<net::Request*> posted_;
  std::deque<Incoming> unexpected_;
  std::deque<net::Request*> sent_;  // sends to be completed
  std::deque<net::Task*> inbox_;
  std::deque<net::Task*> app_tasks_;
  std::vector<net::Poller*> pollers_;
  bool owned_ = false;
  std::atomic<int> entrusted_{0};
  int left_out_ = 0;
};

class FakeJob {
 public:
  FakeJob(int processes, uint64_t seed, uint64_t shared_bytes = 0) : random(seed), shared_(shared_bytes / 64 + 2) {
    for (int process = 0; process < processes; ++process) {
      engines_.push_back(std::make_unique<FakeEngine>(*this, process, processes));
      engines_.back()->channels_.resize(static_cast<std::size_t>(processes));
    }
  }

  FakeEngine& engine(int process) { return *engines_[static_cast<std::size_t>(process)]; }

  // One event of some process. False when nothing can happen but polls that found nothing.
  void step() noexcept { engines_[random() % engines_.size()]->step(); }

  bool idle() const noexcept {
    return std::all_of(engines_.begin(), engines_.end(), [](const auto& engine) { return engine->idle(); });
  }

  std::mt19937_64 random;
  std::recursive_mutex lock;

 private:
  friend class FakeEngine;
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<std::unique_ptr<FakeEngine>> engines_;
  std::vector<Line> shared_;
  uint64_t shared_used_ = 64;
};

inline void FakeEngine::send(net::Request& request) noexcept {
  const std::lock_guard guard(job_.lock);
  run(false, [&] { start_send(request); });
}

inline void FakeEngine::receive(net::Request& request) noexcept {
  const std::lock_guard guard(job_.lock);
  run(false, [&] { start_receive(request); });
}

inline void FakeEngine::submit(net::Task& task) noexcept {
  const std::lock_guard guard(job_.lock);
  if (owned_ || job_.random() % 2 == 0) {
    inbox_.push_back(&task);
  } else {
    run(true, [&] { task.run(*this, task); });
  }
}

inline void FakeEngine::submit_to_thread(net::Task& task) noexcept {
  const std::lock_guard guard(job_.lock);
  inbox_.push_back(&task);
}

inline void FakeEngine::progress() noexcept {
  const std::lock_guard guard(job_.lock);
  step();
}

inline void FakeEngine::wait_until(bool (*condition)(void*), void* argument) noexcept {
  while (!condition(argument)) {
    progress();
    std::this_thread::yield();
  }
}

inline void FakeEngine::ring(int process) noexcept {
  const std::lock_guard guard(job_.lock);
  ++job_.engine(process).rings;
}

inline std::byte* FakeEngine::shared_base() noexcept { return job_.shared_.data()->bytes; }

inline uint64_t FakeEngine::shared_allocate(uint64_t bytes, std::string& error) noexcept {
  const uint64_t offset = job_.shared_used_;
  if (offset + bytes > job_.shared_.size() * 64) {
    error = "The job of this test was made with too little shared memory.";
    return 0;
  }
  job_.shared_used_ += (bytes + 63) / 64 * 64;
  return offset;
}

template <class Event>
void FakeEngine::run(bool may_be_handler, Event event) noexcept {
  owned_ = true;
  in_fake_handler = may_be_handler && job_.random() % 2 == 0;
  event();
  in_fake_handler = false;
  owned_ = false;
}

inline void FakeEngine::complete(net::Request& request, net::Outcome outcome) noexcept {
  request.status.outcome = outcome;
  const auto then = request.on_complete;
  request.done.store(1, std::memory_order_release);
  if (then != nullptr) then(*this, request);
}

inline void FakeEngine::start_send(net::Request& request) noexcept {
  if (!owned_) std::abort();
  request.done.store(0, std::memory_order_relaxed);
  Incoming message;
  message.context = request.context;
  message.source = request.source;
  message.tag = request.tag;
  message.length = request.length;
  const bool copied = job_.random() % 2 == 0;
  if (copied) {
    const auto* from = static_cast<const std::byte*>(request.buffer);
    message.copy.assign(from, from + request.length);
  } else {
    message.send = &request;
    message.sender = this;
  }
  job_.engine(request.process).channels_[static_cast<std::size_t>(process_)].push_back(std::move(message));
  if (!copied) return;
  if (job_.random() % 2 == 0) {
    complete(request, net::Outcome::success);
  } else {
    sent_.push_back(&request);
  }
}

inline void FakeEngine::start_receive(net::Request& request) noexcept {
  if (!owned_) std::abort();
  request.done.store(0, std::memory_order_relaxed);
  const auto found = std::find_if(unexpected_.begin(), unexpected_.end(),
                                  [&](const Incoming& message) { return matches(request, message); });
  if (found == unexpected_.end()) {
    posted_.push_back(&request);
    return;
  }
  Incoming message = std::move(*found);
  unexpected_.erase(found);
  meet(request, message);
}

inline void FakeEngine::arrive(Incoming message) noexcept {
  const auto found = std::find_if(posted_.begin(), posted_.end(),
                                  [&](const net::Request* receive) { return matches(*receive, message); });
  if (found == posted_.end()) {
    unexpected_.push_back(std::move(message));
    return;
  }
  net::Request& receive = **found;
  posted_.erase(found);
  meet(receive, message);
}

inline void FakeEngine::meet(net::Request& receive, Incoming& message) noexcept {
  receive.status.source = message.source;
  receive.status.tag = message.tag;
  receive.status.bytes = std::min(message.length, receive.length);
  const void* from = message.send != nullptr ? message.send->buffer : message.copy.data();
  if (receive.status.bytes != 0) std::memcpy(receive.buffer, from, receive.status.bytes);
  if (message.send != nullptr) message.sender->sent_.push_back(message.send);
  complete(receive, message.length > receive.length ? net::Outcome::truncated : net::Outcome::success);
}

inline bool FakeEngine::idle() const noexcept {
  return posted_.empty() && unexpected_.empty() && sent_.empty() && inbox_.empty() && app_tasks_.empty() &&
         pollers_.empty() && entrusted_ == 0 && left_out_ == 0 &&
         std::all_of(channels_.begin(), channels_.end(), [](const auto& channel) { return channel.empty(); });
}

inline bool FakeEngine::step() noexcept {
  std::vector<std::size_t> choices;  // 0: a send completes, 1: inbox, 2: application, 3: a poller, 4...: a message
  if (!sent_.empty()) choices.push_back(0);
  if (!inbox_.empty()) choices.push_back(1);
  if (!app_tasks_.empty()) choices.push_back(2);
  if (!pollers_.empty()) choices.push_back(3);
  for (std::size_t sender = 0; sender < channels_.size(); ++sender) {
    if (!channels_[sender].empty()) choices.push_back(4 + sender);
  }
  if (choices.empty()) return false;
  const std::size_t choice = choices[job_.random() % choices.size()];
  const auto take = [](auto& queue) {
    auto first = std::move(queue.front());
    queue.pop_front();
    return first;
  };
  run(choice != 2, [&] {
    if (choice == 0) {
      complete(*take(sent_), net::Outcome::success);
    } else if (choice == 1 || choice == 2) {
      net::Task& task = *take(choice == 1 ? inbox_ : app_tasks_);
      task.run(*this, task);
    } else if (choice == 3) {
      const std::size_t which = job_.random() % pollers_.size();
      net::Poller& poller = *pollers_[which];
      pollers_.erase(pollers_.begin() + static_cast<std::ptrdiff_t>(which));
      if (!poller.poll(*this, poller)) pollers_.push_back(&poller);
    } else {
      arrive(take(channels_[choice - 4]));
    }
  });
  return true;
}

}  // namespace vif::test
