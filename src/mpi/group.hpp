// Groups: ordered sets of processes. Immutable; counted (the handle, and whoever keeps one). Context: app.
#pragma once

#include <atomic>
#include <vector>

#include "mpi/handle.hpp"

namespace vif::mpi {

struct Group {
  static constexpr uint32_t alive = 0x47727570;

  uint32_t magic = alive;
  std::vector<int> processes;  // rank -> index in the job
  std::atomic<int64_t> references{1};

  int size() const noexcept { return static_cast<int>(processes.size()); }
};

// MPI_GROUP_EMPTY is an object as well; MPI_GROUP_NULL is none.
Group* group_of(MPI_Group handle) noexcept;

// A new handle for these processes (MPI_GROUP_EMPTY when there are none).
MPI_Group make_group(std::vector<int> processes);
void release(Group& group) noexcept;

// The rank of a process of the job in the group, or MPI_UNDEFINED.
int rank_in(const Group& group, int process) noexcept;

}  // namespace vif::mpi
