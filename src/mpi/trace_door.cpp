#include "mpi/trace_door.hpp"

#include "mpi/diary.hpp"
#include "mpi/process.hpp"
#include "mpi/request.hpp"

namespace vif::mpi {
namespace {

// Context: handler
bool complete_anywhere(MPI_Request handle) noexcept {
  RequestObject* request = request_of(handle);
  if (request == nullptr || !request->active) return false;
  if (request->kind == RequestKind::work && !request->is_collective) return false;
  return is_complete(*request);
}

uint64_t bytes_of_last_call() noexcept { return diary().note().bytes; }

uint64_t copied_bytes() noexcept {
  if (process() == nullptr) return 0;
  const net::Counters& counters = engine().counters();
  return counters.copied_waiting + counters.copied_app + counters.copied_handler;
}

uint64_t count_long_waits() noexcept { return trace::long_waits.load(std::memory_order_relaxed); }

void watch_reactions(trace::ReactionWatcher watcher) noexcept {
  trace::reaction_watcher.store(watcher, std::memory_order_release);
}

}  // namespace
}  // namespace vif::mpi

#pragma GCC visibility push(default)
extern "C" bool vif_trace_door(uint64_t interface, vif::mpi::TraceDoor* door) {
  if (interface != vif::mpi::trace_interface) return false;
  *door = {vif::trace::recording(), vif::mpi::complete_anywhere, vif::mpi::bytes_of_last_call,
           vif::mpi::copied_bytes,  vif::mpi::count_long_waits,  vif::mpi::watch_reactions};
  return true;
}
#pragma GCC visibility pop
