// The neighbourhood collectives, each in the way of its Call. Context: app.
#pragma once

#include "mpi/collective_vector.hpp"

namespace vif::mpi {

int neighbor_allgather(Block send, Block receive, MPI_Comm comm, const Call& call);
int neighbor_allgatherv(Block send, const Spread& receive, MPI_Comm comm, const Call& call);
int neighbor_alltoall(Block send, Block receive, MPI_Comm comm, const Call& call);
// Also alltoallw, with spreads that have a type for each neighbour.
int neighbor_alltoallv(const Spread& send, const Spread& receive, MPI_Comm comm, const Call& call);

}  // namespace vif::mpi
