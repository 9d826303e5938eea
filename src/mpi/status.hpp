// What the library keeps in the hidden words of a status: [0] and [1] the bytes received, low half first; [2] whether
// the operation was cancelled. Any context.
#pragma once

#include <cstdint>

#include <mpi.h>

namespace vif::mpi {

inline uint64_t status_bytes(const MPI_Status& status) noexcept {
  return static_cast<uint32_t>(status.MPI_internal[0]) |
         static_cast<uint64_t>(static_cast<uint32_t>(status.MPI_internal[1])) << 32;
}

inline void set_status_bytes(MPI_Status& status, uint64_t bytes) noexcept {
  status.MPI_internal[0] = static_cast<int>(static_cast<uint32_t>(bytes));
  status.MPI_internal[1] = static_cast<int>(static_cast<uint32_t>(bytes >> 32));
}

inline bool status_cancelled(const MPI_Status& status) noexcept { return status.MPI_internal[2] != 0; }
inline void set_status_cancelled(MPI_Status& status, bool cancelled) noexcept { status.MPI_internal[2] = cancelled; }

}  // namespace vif::mpi
