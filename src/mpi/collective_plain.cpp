// Barrier, Bcast, Gather, Scatter, Allgather, Alltoall: the collectives on blocks of one size. Context: app.
#include "mpi/collective_plain.hpp"

#include "mpi/collective_inter.hpp"

namespace vif::mpi {

int barrier(MPI_Comm handle, const Call& call) {
  Comm* comm;
  if (const int error = look_up(handle, comm); error != MPI_SUCCESS) return error;
  coll::Group& group = comm->collectives;
  Staging staging;
  return run_collective(
      *comm, call, staging, [&] { return coll::barrier(group); },
      [&](coll::Lifetime lifetime) { return coll::make_barrier(group, lifetime); });
}

int bcast(Block data, int root, MPI_Comm handle, const Call& call) {
  Comm* comm;
  if (const int error = look_up_root(handle, comm, root); error != MPI_SUCCESS) return error;
  if (comm->is_inter()) return inter_bcast(*comm, data, root, call);
  if (const int error = look_up_block(*comm, data); error != MPI_SUCCESS) return error;
  coll::Group& group = comm->collectives;
  Staging staging;
  void* bytes = staging.bytes_of(data, 1, comm->rank == root ? Copies::before : Copies::after);
  const auto length = static_cast<uint64_t>(data.bytes);
  return run_collective(
      *comm, call, staging, [&] { return coll::bcast(group, bytes, length, root); },
      [&](coll::Lifetime lifetime) { return coll::make_bcast(group, bytes, length, root, lifetime); });
}

int gather(Block send, Block receive, int root, MPI_Comm handle, const Call& call) {
  Comm* comm;
  if (const int error = look_up_root(handle, comm, root); error != MPI_SUCCESS) return error;
  if (comm->is_inter()) return inter_gather(*comm, send, receive, root, call);
  const bool at_root = comm->rank == root;
  if (const int error = look_up_block_or_in_place(*comm, send, at_root); error != MPI_SUCCESS) return error;
  coll::Group& group = comm->collectives;
  Staging staging;
  const bool in_place = send.in_place();
  const void* in = in_place ? coll::in_place : staging.bytes_of(send, 1, Copies::before);
  void* out = nullptr;
  if (at_root) {
    if (const int error = look_up_block(*comm, receive); error != MPI_SUCCESS) return error;
    out = staging.bytes_of(receive, comm->size, in_place ? Copies::both : Copies::after);
  }
  const auto length = static_cast<uint64_t>(at_root ? receive.bytes : send.bytes);
  return run_collective(
      *comm, call, staging, [&] { return coll::gather(group, in, length, out, root); },
      [&](coll::Lifetime lifetime) { return coll::make_gather(group, in, length, out, root, lifetime); });
}

int scatter(Block send, Block receive, int root, MPI_Comm handle, const Call& call) {
  Comm* comm;
  if (const int error = look_up_root(handle, comm, root); error != MPI_SUCCESS) return error;
  if (comm->is_inter()) return inter_scatter(*comm, send, receive, root, call);
  const bool at_root = comm->rank == root;
  if (const int error = look_up_block_or_in_place(*comm, receive, at_root); error != MPI_SUCCESS) return error;
  coll::Group& group = comm->collectives;
  Staging staging;
  void* out = receive.in_place() ? coll::in_place : staging.bytes_of(receive, 1, Copies::after);
  const void* in = nullptr;
  if (at_root) {
    if (const int error = look_up_block(*comm, send); error != MPI_SUCCESS) return error;
    in = staging.bytes_of(send, comm->size, Copies::before);
  }
  const auto length = static_cast<uint64_t>(at_root ? send.bytes : receive.bytes);
  return run_collective(
      *comm, call, staging, [&] { return coll::scatter(group, in, length, out, root); },
      [&](coll::Lifetime lifetime) { return coll::make_scatter(group, in, length, out, root, lifetime); });
}

namespace {

// Allgather and alltoall differ in how many blocks are sent.
struct Everywhere {
  Comm* comm = nullptr;
  const void* in = nullptr;
  void* out = nullptr;
  uint64_t length = 0;
};

int look_up_everywhere(Block& send, Block& receive, bool all_blocks, MPI_Comm handle, Staging& staging,
                       Everywhere& it) {
  if (const int error = look_up(handle, it.comm); error != MPI_SUCCESS) return error;
  if (const int error = look_up_block_or_in_place(*it.comm, send, true); error != MPI_SUCCESS) return error;
  if (const int error = look_up_block(*it.comm, receive); error != MPI_SUCCESS) return error;
  const bool in_place = send.in_place();
  it.in = in_place ? coll::in_place : staging.bytes_of(send, all_blocks ? it.comm->size : 1, Copies::before);
  it.out = staging.bytes_of(receive, it.comm->size, in_place ? Copies::both : Copies::after);
  it.length = static_cast<uint64_t>(receive.bytes);
  return MPI_SUCCESS;
}

}  // namespace

int allgather(Block send, Block receive, MPI_Comm handle, const Call& call) {
  if (Comm* comm = comm_of(handle); comm != nullptr && comm->is_inter()) {
    return inter_allgather(*comm, send, receive, call);
  }
  Staging staging;
  Everywhere it;
  if (const int error = look_up_everywhere(send, receive, false, handle, staging, it); error != MPI_SUCCESS)
    return error;
  coll::Group& group = it.comm->collectives;
  return run_collective(
      *it.comm, call, staging, [&] { return coll::allgather(group, it.in, it.length, it.out); },
      [&](coll::Lifetime lifetime) { return coll::make_allgather(group, it.in, it.length, it.out, lifetime); });
}

int alltoall(Block send, Block receive, MPI_Comm handle, const Call& call) {
  if (Comm* comm = comm_of(handle); comm != nullptr && comm->is_inter()) {
    return inter_alltoall(*comm, send, receive, call);
  }
  Staging staging;
  Everywhere it;
  if (const int error = look_up_everywhere(send, receive, true, handle, staging, it); error != MPI_SUCCESS)
    return error;
  coll::Group& group = it.comm->collectives;
  return run_collective(
      *it.comm, call, staging, [&] { return coll::alltoall(group, it.in, it.length, it.out); },
      [&](coll::Lifetime lifetime) { return coll::make_alltoall(group, it.in, it.length, it.out, lifetime); });
}

}  // namespace vif::mpi
