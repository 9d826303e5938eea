// What the engine records while a trace is wanted. When none is, each place costs one load, and none of them lies on
// the way of a short message.
// Context: handler.
#pragma once

#include <atomic>
#include <ctime>
#include <string>

#include "trace/tape.hpp"

namespace vif::trace {

// Null: nothing is recorded. Written by start_recording() and stop_recording().
extern constinit std::atomic<Tape<>*> tape_in_use;

inline Tape<>* recording() noexcept { return tape_in_use.load(std::memory_order_acquire); }

// App context, at the start of the process in its job: records when the launcher asks for it (VIF_JOB_TRACE is a
// folder). A trace that cannot be written is complained of once; the program goes on.
void start_recording(int process) noexcept;
void stop_recording() noexcept;

// The clock of traces, which all processes of a host share.
inline int64_t trace_clock() noexcept {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}
// Adds thread and CPU.
void record(Tape<>& tape, Event& event) noexcept;

// How often a wait was longer than its first looks, while recording.
extern constinit std::atomic<uint64_t> long_waits;

// Called when an interrupt or the helper has run the engine, if anybody wants to know.
using ReactionWatcher = void (*)(Reaction, bool moved_something) noexcept;
extern constinit std::atomic<ReactionWatcher> reaction_watcher;

// A stretch of time, recorded at its end.
class Span {
 public:
  explicit Span(What what) noexcept : tape_(recording()) {
    if (tape_ == nullptr) [[likely]]
      return;
    event_.what = what;
    event_.begin = trace_clock();
  }
  ~Span() {
    if (tape_ != nullptr) [[unlikely]]
      end();
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  bool records() const noexcept { return tape_ != nullptr; }
  Event& event() noexcept { return event_; }

 private:
  [[gnu::cold]] void end() noexcept;
  Tape<>* tape_;
  Event event_;
};

}  // namespace vif::trace
