#include "tracer.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "mpi/trace_door.hpp"

namespace vif::tracer {

namespace {

using trace::Event;
using trace::Reaction;
using trace::What;

// Written once, by the call that initialises the library.
mpi::TraceDoor door;
trace::Watchlist<> under_way;

// In the program's global scope, or in a library that something else has loaded for itself (as Python does).
void* find(const char* name) noexcept {
  if (void* found = dlsym(RTLD_NEXT, name); found != nullptr) return found;
  for (const char* library : {"libmpi_abi.so.1", "libmpi_abi.so.0"}) {
    void* loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (loaded == nullptr) continue;
    if (void* found = dlsym(loaded, name); found != nullptr) return found;
  }
  return nullptr;
}

void look(Reaction by, bool moved, int64_t now) noexcept {
  under_way.look(by, moved, now, [](uintptr_t handle) { return door.complete(reinterpret_cast<MPI_Request>(handle)); });
}

// Context: handler
void reacted(Reaction by, bool moved) noexcept { look(by, moved, trace::trace_clock()); }

void put_down(Event& event) noexcept { trace::record(*door.tape, event); }

bool succeeded(int code) noexcept { return code == MPI_SUCCESS || code == MPI_ERR_IN_STATUS; }

}  // namespace

void* next(const char* name) noexcept {
  void* found = find(name);
  if (found != nullptr) return found;
  std::fprintf(stderr, "vif trace: %s is called, but no MPI library has it.\n", name);
  std::abort();
}

Call::Call(uint16_t function, const void* site) noexcept
    : function_(function), site_(reinterpret_cast<uint64_t>(site)) {
  if (door.tape != nullptr) begin_ = trace::trace_clock();
}

void Call::initialised() noexcept {
  using Door = bool (*)(uint64_t, mpi::TraceDoor*);
  const auto open = reinterpret_cast<Door>(find("vif_trace_door"));
  mpi::TraceDoor opened;
  if (door.tape != nullptr || open == nullptr || !open(mpi::trace_interface, &opened)) return;
  if (opened.tape == nullptr) return;
  door = opened;
  door.watch_reactions(reacted);
}

Call::~Call() {
  if (begin_ == 0) return;
  Event event;
  event.what = What::call;
  event.function = function_;
  event.site = site_;
  event.begin = begin_;
  event.bytes = door.bytes();
  event.end = trace::trace_clock();
  look(Reaction::other_call, false, event.end);
  put_down(event);
}

void Call::started(int code, MPI_Request handle) noexcept { started(code, 1, &handle); }

void Call::started(int code, int count, const MPI_Request* handles) noexcept {
  if (begin_ == 0 || code != MPI_SUCCESS) return;
  for (int index = 0; index < count; ++index) {
    if (handles[index] == MPI_REQUEST_NULL) continue;
    trace::Watchlist<>::Place* place = under_way.take();
    if (place == nullptr) return;
    Event& event = place->event;
    event = {};
    event.what = What::operation;
    event.function = function_;
    event.site = site_;
    event.begin = begin_;
    event.bytes = door.bytes();
    event.started = trace::trace_clock();
    if (door.complete(handles[index])) {
      place->found_at.store(event.started, std::memory_order_relaxed);
      place->found.store(static_cast<uint32_t>(Reaction::at_once), std::memory_order_relaxed);
    }
    under_way.watch(*place, reinterpret_cast<uintptr_t>(handles[index]));
  }
}

Completion::Completion(const Call& call, int count, const MPI_Request* handles) noexcept : call_(call) {
  if (!call.records() || count <= 0 || handles == nullptr) return;
  look(Reaction::other_call, false, call.begin());
  count_ = count < most ? count : most;
  for (int index = 0; index < count_; ++index) {
    entries_[index] = {nullptr, reinterpret_cast<uintptr_t>(handles[index])};
    if (handles[index] == MPI_REQUEST_NULL) continue;
    entries_[index].place = under_way.take_off(entries_[index].handle);
    if (entries_[index].place != nullptr && entries_[index].place->found.load(std::memory_order_acquire) == 0) {
      ++incomplete_;
    }
  }
  copied_ = door.copied();
  long_waits_ = door.long_waits();
}

Completion::~Completion() {
  if (count_ == 0) return;
  const int64_t spent = trace::trace_clock() - call_.begin();
  for (int index = 0; index < count_; ++index) {
    Place* place = entries_[index].place;
    if (place == nullptr) continue;
    place->event.waited += incomplete_ == 0 ? 0 : spent / incomplete_;
    under_way.watch(*place, entries_[index].handle);
  }
}

// The time of the call is shared among those that it waited for: those that were complete before have cost nothing but
// this thread's noticing.
void Completion::finish(int index) noexcept {
  Place* place = index < count_ ? entries_[index].place : nullptr;
  if (place == nullptr) return;
  entries_[index].place = nullptr;
  if (end_ == 0) end_ = trace::trace_clock();
  Event event = place->event;
  event.awaited = call_.begin();
  event.end = end_;
  const auto found = static_cast<Reaction>(place->found.load(std::memory_order_acquire));
  if (found != Reaction::none) {
    event.reaction = found;
    event.complete = place->found_at.load(std::memory_order_relaxed);
    if (incomplete_ == 0) event.waited += end_ - call_.begin();
  } else {
    const bool ready = door.copied() == copied_ && door.long_waits() == long_waits_;
    event.reaction = ready ? Reaction::peer : Reaction::waiting;
    event.complete = ready ? event.awaited : place->progressed_at.load(std::memory_order_relaxed);
    event.waited += (end_ - call_.begin()) / incomplete_;
  }
  under_way.leave(*place);
  put_down(event);
}

void Completion::all(int code, bool complete) noexcept {
  if (!succeeded(code) || !complete) return;
  for (int index = 0; index < count_; ++index) finish(index);
}

void Completion::one(int code, int index) noexcept {
  if (succeeded(code) && index >= 0) finish(index);
}

void Completion::some(int code, int count, const int* indices) noexcept {
  if (!succeeded(code)) return;
  for (int at = 0; at < count; ++at) finish(indices[at]);
}

}  // namespace vif::tracer
