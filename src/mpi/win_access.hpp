// What the calls of one-sided communication check alike. Context: app.
#pragma once

#include "mpi/datatype.hpp"
#include "mpi/win.hpp"

namespace vif::mpi {

// A buffer at the origin, or the description of one at the target.
struct Buffer {
  void* address;
  MPI_Count count;
  MPI_Datatype handle;
  Datatype* type = nullptr;
};

struct Target {
  int rank;
  MPI_Aint displacement;
  MPI_Win handle;
  Win* win = nullptr;
};

inline Buffer buffer_of(const void* address, MPI_Count count, MPI_Datatype type) noexcept {
  return {const_cast<void*>(address), count, type};
}

// Finds the window, checks rank, displacement and epoch. MPI_SUCCESS with a rank of MPI_PROC_NULL: nothing is to do.
int look_up_target(Target& target);
// Finds the type, checks it, the count and (unless the buffer is at the target) the address.
int look_up_buffer(Win& win, Buffer& buffer, bool at_target);

// The address at the target that a displacement means.
inline uint64_t address_of(const Target& target) noexcept {
  const Win& win = *target.win;
  const auto rank = static_cast<std::size_t>(target.rank);
  return win.core->peer(target.rank).base + static_cast<uint64_t>(target.displacement * win.units[rank]);
}

// Ends a call that gives a request: all of it is done already, but for what MPI_Win_flush waits for.
int give_done_request(Win& win, MPI_Request* request);

}  // namespace vif::mpi
