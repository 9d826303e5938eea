// The door through which the recorder of `vif trace` (tools/tracer), a library of its own that is put before this one,
// learns what it cannot see in the program's calls. Context: as each member says.
#pragma once

#include <cstdint>

#include "mpi.h"
#include "trace/recording.hpp"

namespace vif::mpi {

inline constexpr uint64_t trace_interface = 1;

struct TraceDoor {
  trace::Tape<>* tape = nullptr;  // null: nothing is recorded
  // Any context. Whether what this active request stands for is done. False of kinds that only a call can ask.
  bool (*complete)(MPI_Request) noexcept = nullptr;
  // App. Of the message, or of one block of the collective, that this thread's last call was about.
  uint64_t (*bytes)() noexcept = nullptr;
  // App. Bytes of long messages that this process has copied so far.
  uint64_t (*copied)() noexcept = nullptr;
  uint64_t (*long_waits)() noexcept = nullptr;
  // App. Who is told of each interrupt and each run of the helper thread, from their context.
  void (*watch_reactions)(trace::ReactionWatcher) noexcept = nullptr;
};

}  // namespace vif::mpi

// False: another interface.
extern "C" bool vif_trace_door(uint64_t interface, vif::mpi::TraceDoor* door);
