// The list of all functions of MPI and whether they are built. Generated; printed by `vif info --mpi`. Any context.
#pragma once

#include <cstddef>

namespace vif::mpi {

struct TableEntry {
  const char* name;  // MPI_...
  bool built;        // false: raises MPI_ERR_UNSUPPORTED_OPERATION
};

// All functions, sorted by name.
const TableEntry* table(std::size_t& count);

}  // namespace vif::mpi
