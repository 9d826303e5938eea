// The collectives on blocks of one size, each in the way of its Call. Context: app.
#pragma once

#include "mpi/collective.hpp"

namespace vif::mpi {

int barrier(MPI_Comm comm, const Call& call);
int bcast(Block data, int root, MPI_Comm comm, const Call& call);
int gather(Block send, Block receive, int root, MPI_Comm comm, const Call& call);
int scatter(Block send, Block receive, int root, MPI_Comm comm, const Call& call);
int allgather(Block send, Block receive, MPI_Comm comm, const Call& call);
int alltoall(Block send, Block receive, MPI_Comm comm, const Call& call);

}  // namespace vif::mpi
