#include "trace/recording.hpp"

#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "trace/tape_file.hpp"

namespace vif::trace {

constinit std::atomic<Tape<>*> tape_in_use{nullptr};
constinit std::atomic<uint64_t> long_waits{0};
constinit std::atomic<ReactionWatcher> reaction_watcher{nullptr};

namespace {

constexpr uint64_t usual_events = 1 << 20;

// Written in app context, at the start.
Tape<> own_tape;
int own_process = 0;

}  // namespace

// Context: app
void start_recording(int process) noexcept {
  const char* folder = std::getenv("VIF_JOB_TRACE");
  if (folder == nullptr || recording() != nullptr) return;
  const char* wanted = std::getenv("VIF_JOB_TRACE_EVENTS");
  const uint64_t capacity = wanted == nullptr ? usual_events : std::strtoull(wanted, nullptr, 10);
  std::string error;
  TapeHead* head = make_tape(folder, process, capacity, error);
  if (head == nullptr) {
    std::fprintf(stderr, "vif: rank %d: %s\n", process,
                 error.c_str());  // style: allow banned-call, because app context
    return;
  }
  own_tape = Tape<>(slots_of(*head), capacity, &head->used);
  own_process = process;
  keep_map(folder, process);
  // release: partner of the acquire in recording().
  tape_in_use.store(&own_tape, std::memory_order_release);
}

// Context: app. Handlers and the helper may still be about: the memory of the tape stays.
void stop_recording() noexcept {
  if (recording() == nullptr) return;
  if (const char* folder = std::getenv("VIF_JOB_TRACE")) keep_map(folder, own_process);
  reaction_watcher.store(nullptr, std::memory_order_release);
  tape_in_use.store(nullptr, std::memory_order_release);
}

void record(Tape<>& tape, Event& event) noexcept {
  static thread_local uint32_t thread = 0;
  if (thread == 0) thread = static_cast<uint32_t>(gettid());
  event.thread = thread;
  event.cpu = static_cast<uint16_t>(sched_getcpu());
  tape.add(event);
}

void Span::end() noexcept {
  event_.end = trace_clock();
  record(*tape_, event_);
}

}  // namespace vif::trace
