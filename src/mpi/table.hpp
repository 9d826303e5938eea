// The list of all functions of MPI. Generated; printed by `vif info --mpi`. Any context.
#pragma once

#include <cstddef>

namespace vif::mpi {

// The names, MPI_..., sorted.
const char* const* table(std::size_t& count);

}  // namespace vif::mpi
