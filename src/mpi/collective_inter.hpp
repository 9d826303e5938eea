// The collectives of inter-communicators, each in the way of its Call. The communicator is looked up already.
// Context: app.
#pragma once

#include "mpi/collective_reduce.hpp"
#include "mpi/collective_vector.hpp"

namespace vif::mpi {

int inter_bcast(Comm& comm, Block data, int root, const Call& call);
int inter_gather(Comm& comm, Block send, Block receive, int root, const Call& call);
int inter_gatherv(Comm& comm, Block send, const Spread& receive, int root, const Call& call);
int inter_scatter(Comm& comm, Block send, Block receive, int root, const Call& call);
int inter_scatterv(Comm& comm, const Spread& send, Block receive, int root, const Call& call);
int inter_allgather(Comm& comm, Block send, Block receive, const Call& call);
int inter_allgatherv(Comm& comm, Block send, const Spread& receive, const Call& call);
int inter_alltoall(Comm& comm, Block send, Block receive, const Call& call);
int inter_alltoallv(Comm& comm, const Spread& send, const Spread& receive, const Call& call);

}  // namespace vif::mpi
