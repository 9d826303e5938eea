// The calls that access windows, and what they check alike. Context: app.
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

// Whether a call gives a request, and where to.
struct Receipt {
  bool wanted = false;
  MPI_Request* request = nullptr;
};

inline Receipt no_receipt() noexcept { return {}; }
inline Receipt receipt_in(MPI_Request* request) noexcept { return {true, request}; }

inline Buffer buffer_of(const void* address, MPI_Count count, MPI_Datatype type) noexcept {
  return {const_cast<void*>(address), count, type};
}

// Finds the window, checks rank, displacement, epoch and where the request goes. MPI_SUCCESS with a rank of
// MPI_PROC_NULL: nothing is to do.
int look_up_target(Target& target, const Receipt& receipt);
// Finds the type, checks it, the count and (unless the buffer is at the target) the address.
int look_up_buffer(Win& win, Buffer& buffer, bool at_target);

// The address at the target that a displacement means.
inline uint64_t address_of(const Target& target) noexcept {
  const Win& win = *target.win;
  const auto rank = static_cast<std::size_t>(target.rank);
  return win.core->peer(target.rank).base + static_cast<uint64_t>(target.displacement * win.units[rank]);
}

// Ends a call. Where it gives a request all of it is done already, but for what MPI_Win_flush waits for.
int give_receipt(Win& win, const Receipt& receipt);

// The accesses; generate.py writes their forms. `remote` describes the buffer at the target.
int put(const Buffer& origin, const Buffer& remote, const Target& target, const Receipt& receipt);
int get(const Buffer& origin, const Buffer& remote, const Target& target, const Receipt& receipt);
int accumulate(const Buffer& origin, const Buffer& remote, const Target& target, MPI_Op op, const Receipt& receipt);
int get_accumulate(const Buffer& origin, const Buffer& result, const Buffer& remote, const Target& target, MPI_Op op,
                   const Receipt& receipt);

}  // namespace vif::mpi
