// Gatherv, Scatterv, Allgatherv, Alltoallv, Alltoallw. Context: app.
#include "mpi/collective_vector.hpp"

#include <string>

#include "mpi/collective_inter.hpp"

namespace vif::mpi {

namespace {

// The block of one rank, looked up.
int block_at(Comm& comm, const Spread& spread, int rank, Block& block) {
  auto* base = static_cast<std::byte*>(spread.buffer);
  if (spread.types != nullptr) {
    // Displacements are bytes, and from MPI_BOTTOM they are addresses.
    block = block_of(base + spread.displacement(rank), spread.count(rank), spread.types[rank]);
    return look_up_block(comm, block);
  }
  block = block_of(base, spread.count(rank), spread.type);
  if (const int error = look_up_block(comm, block); error != MPI_SUCCESS) return error;
  block.buffer = base + spread.displacement(rank) * block.type->extent;
  return MPI_SUCCESS;
}

}  // namespace

int lay_out(Comm& comm, int count, const Spread& spread, Copies copies, Staging& staging, Laid& laid) {
  if (count > 0 && !spread.complete()) {
    return raise_null_argument(&comm, "that lists counts, displacements or datatypes");
  }
  const auto ranks = static_cast<size_t>(count);
  std::vector<Block> blocks(ranks);
  bool contiguous = true;
  uint64_t total = 0;
  for (size_t rank = 0; rank < ranks; ++rank) {
    if (const int error = block_at(comm, spread, static_cast<int>(rank), blocks[rank]); error != MPI_SUCCESS)
      return error;
    laid.sizes.push_back(static_cast<uint64_t>(blocks[rank].bytes));
    total += static_cast<uint64_t>(blocks[rank].bytes);
    contiguous = contiguous && blocks[rank].type->contiguous;
  }
  if (contiguous) {
    laid.buffer = spread.buffer;
    for (const Block& block : blocks) {
      laid.displacements.push_back(static_cast<std::byte*>(block.buffer) - static_cast<std::byte*>(spread.buffer));
    }
    return MPI_SUCCESS;
  }
  std::byte* packed = staging.packed_form(total);
  laid.buffer = packed;
  int64_t at = 0;
  for (const Block& block : blocks) {
    laid.displacements.push_back(at);
    if (packed != nullptr) staging.add(*block.type, block.count, block.buffer, packed + at, copies);
    at += block.bytes;
  }
  return MPI_SUCCESS;
}

int gatherv(Block send, const Spread& receive, int root, MPI_Comm handle, const Call& call) {
  Comm* comm;
  if (const int error = look_up_root(handle, comm, root); error != MPI_SUCCESS) return error;
  if (comm->is_inter()) return inter_gatherv(*comm, send, receive, root, call);
  const bool at_root = comm->rank == root;
  if (const int error = look_up_block_or_in_place(*comm, send, at_root); error != MPI_SUCCESS) return error;
  coll::Group& group = comm->collectives;
  Staging staging;
  Laid out;
  const bool in_place = send.in_place();
  const void* in = in_place ? coll::in_place : staging.bytes_of(send, 1, Copies::before);
  if (at_root) {
    const Copies copies = in_place ? Copies::both : Copies::after;
    if (const int error = lay_out(*comm, comm->size, receive, copies, staging, out); error != MPI_SUCCESS) return error;
  }
  const uint64_t length = in_place ? out.sizes[static_cast<size_t>(root)] : static_cast<uint64_t>(send.bytes);
  return run_collective(
      *comm, call, staging,
      [&] { return coll::gatherv(group, in, length, out.buffer, out.sizes.data(), out.displacements.data(), root); },
      [&](coll::Lifetime lifetime) {
        return coll::make_gatherv(group, in, length, out.buffer, out.sizes.data(), out.displacements.data(), root,
                                  lifetime);
      });
}

int scatterv(const Spread& send, Block receive, int root, MPI_Comm handle, const Call& call) {
  Comm* comm;
  if (const int error = look_up_root(handle, comm, root); error != MPI_SUCCESS) return error;
  if (comm->is_inter()) return inter_scatterv(*comm, send, receive, root, call);
  const bool at_root = comm->rank == root;
  if (const int error = look_up_block_or_in_place(*comm, receive, at_root); error != MPI_SUCCESS) return error;
  coll::Group& group = comm->collectives;
  Staging staging;
  Laid in;
  const bool in_place = receive.in_place();
  void* out = in_place ? coll::in_place : staging.bytes_of(receive, 1, Copies::after);
  if (at_root) {
    if (const int error = lay_out(*comm, comm->size, send, Copies::before, staging, in); error != MPI_SUCCESS)
      return error;
  }
  const uint64_t length = in_place ? in.sizes[static_cast<size_t>(root)] : static_cast<uint64_t>(receive.bytes);
  return run_collective(
      *comm, call, staging,
      [&] { return coll::scatterv(group, in.buffer, in.sizes.data(), in.displacements.data(), out, length, root); },
      [&](coll::Lifetime lifetime) {
        return coll::make_scatterv(group, in.buffer, in.sizes.data(), in.displacements.data(), out, length, root,
                                   lifetime);
      });
}

int allgatherv(Block send, const Spread& receive, MPI_Comm handle, const Call& call) {
  Comm* comm;
  if (const int error = look_up(handle, comm); error != MPI_SUCCESS) return error;
  if (comm->is_inter()) return inter_allgatherv(*comm, send, receive, call);
  if (const int error = look_up_block_or_in_place(*comm, send, true); error != MPI_SUCCESS) return error;
  coll::Group& group = comm->collectives;
  Staging staging;
  Laid out;
  const bool in_place = send.in_place();
  const void* in = in_place ? coll::in_place : staging.bytes_of(send, 1, Copies::before);
  const Copies copies = in_place ? Copies::both : Copies::after;
  if (const int error = lay_out(*comm, comm->size, receive, copies, staging, out); error != MPI_SUCCESS) return error;
  return run_collective(
      *comm, call, staging,
      [&] { return coll::allgatherv(group, in, out.buffer, out.sizes.data(), out.displacements.data()); },
      [&](coll::Lifetime lifetime) {
        return coll::make_allgatherv(group, in, out.buffer, out.sizes.data(), out.displacements.data(), lifetime);
      });
}

int alltoallv(const Spread& send, const Spread& receive, MPI_Comm handle, const Call& call) {
  Comm* comm;
  if (const int error = look_up(handle, comm); error != MPI_SUCCESS) return error;
  if (comm->is_inter()) return inter_alltoallv(*comm, send, receive, call);
  coll::Group& group = comm->collectives;
  Staging staging;
  Laid in;
  Laid out;
  const bool in_place = send.in_place();
  if (in_place) {
    in.buffer = coll::in_place;
  } else if (const int error = lay_out(*comm, comm->size, send, Copies::before, staging, in); error != MPI_SUCCESS) {
    return error;
  }
  const Copies copies = in_place ? Copies::both : Copies::after;
  if (const int error = lay_out(*comm, comm->size, receive, copies, staging, out); error != MPI_SUCCESS) return error;
  return run_collective(
      *comm, call, staging,
      [&] {
        return coll::alltoallv(group, in.buffer, in.sizes.data(), in.displacements.data(), out.buffer, out.sizes.data(),
                               out.displacements.data());
      },
      [&](coll::Lifetime lifetime) {
        return coll::make_alltoallv(group, in.buffer, in.sizes.data(), in.displacements.data(), out.buffer,
                                    out.sizes.data(), out.displacements.data(), lifetime);
      });
}

}  // namespace vif::mpi
