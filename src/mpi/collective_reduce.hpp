// The collectives that combine, each in the way of its Call. Context: app.
#pragma once

#include "mpi/collective.hpp"

namespace vif::mpi {

// A reduction as the user gave it.
struct Reducing {
  const void* send;
  void* receive;
  MPI_Count count;
  MPI_Datatype type;
  MPI_Op op;
};

int reduce(const Reducing& what, int root, MPI_Comm comm, const Call& call);
int allreduce(const Reducing& what, MPI_Comm comm, const Call& call);
int scan(const Reducing& what, MPI_Comm comm, const Call& call);
int exscan(const Reducing& what, MPI_Comm comm, const Call& call);
int reduce_scatter_block(const Reducing& what, MPI_Comm comm, const Call& call);
// `what.count` is not used.
int reduce_scatter(const Reducing& what, const int* counts, MPI_Comm comm, const Call& call);
int reduce_scatter(const Reducing& what, const MPI_Count* counts, MPI_Comm comm, const Call& call);

}  // namespace vif::mpi
