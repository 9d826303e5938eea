// The collectives of inter-communicators that move data. All but the broadcast are exchanges: each block goes from its
// owner to who wants it. Context: app.
#include "mpi/collective_inter.hpp"

#include "coll/inter.hpp"

namespace vif::mpi {

namespace {

int run_exchange(Comm& comm, const Call& call, Staging& staging, const coll::Exchange& exchange) {
  coll::Group& group = comm.collectives;
  return run_collective(
      comm, call, staging, [&] { return coll::exchange(group, exchange); },
      [&](coll::Lifetime lifetime) { return coll::make_exchange(group, exchange, lifetime); });
}

// Everybody begins with another one of the other side, so that not all send to one.
int peer_at(const coll::Sides& sides, const Comm& comm, int step) {
  return sides.other_begin + (comm.rank + step) % sides.other_size;
}

coll::Transfer one(const coll::Sides& sides, int remote_rank, const void* at, int64_t bytes) {
  return {sides.other_begin + remote_rank, 0, const_cast<void*>(at), static_cast<uint64_t>(bytes)};
}

// The same block to or from everybody on the other side.
void add_same(std::vector<coll::Transfer>& list, const Comm& comm, const void* at, int64_t bytes) {
  const coll::Sides sides(comm.collectives);
  for (int step = 0; step < comm.peers; ++step) {
    list.push_back({peer_at(sides, comm, step), 0, const_cast<void*>(at), static_cast<uint64_t>(bytes)});
  }
}

void add_blocks(std::vector<coll::Transfer>& list, const Comm& comm, const void* at, int64_t bytes) {
  const coll::Sides sides(comm.collectives);
  auto* first = static_cast<std::byte*>(const_cast<void*>(at));
  for (int step = 0; step < comm.peers; ++step) {
    const int peer = peer_at(sides, comm, step);
    list.push_back({peer, 0, first + (peer - sides.other_begin) * bytes, static_cast<uint64_t>(bytes)});
  }
}

void add_laid(std::vector<coll::Transfer>& list, const Comm& comm, const Laid& laid) {
  const coll::Sides sides(comm.collectives);
  for (int step = 0; step < comm.peers; ++step) {
    const int peer = peer_at(sides, comm, step);
    const auto rank = static_cast<size_t>(peer - sides.other_begin);
    list.push_back({peer, 0, static_cast<std::byte*>(laid.buffer) + laid.displacements[rank], laid.sizes[rank]});
  }
}

// One block to or from the root, from or to this process.
int look_up_mine(Comm& comm, Block& block, Copies copies, int root, Staging& staging,
                 std::vector<coll::Transfer>& list) {
  if (const int error = look_up_block(comm, block); error != MPI_SUCCESS) return error;
  list.push_back(one(coll::Sides(comm.collectives), root, staging.bytes_of(block, 1, copies), block.bytes));
  return MPI_SUCCESS;
}

int look_up_blocks(Comm& comm, Block& block, Copies copies, Staging& staging, std::vector<coll::Transfer>& list) {
  if (const int error = look_up_block(comm, block); error != MPI_SUCCESS) return error;
  add_blocks(list, comm, staging.bytes_of(block, comm.peers, copies), block.bytes);
  return MPI_SUCCESS;
}

int look_up_spread(Comm& comm, const Spread& spread, Copies copies, Staging& staging,
                   std::vector<coll::Transfer>& list) {
  Laid laid;
  if (const int error = lay_out(comm, comm.peers, spread, copies, staging, laid); error != MPI_SUCCESS) return error;
  add_laid(list, comm, laid);
  return MPI_SUCCESS;
}

int look_up_same(Comm& comm, Block& block, Staging& staging, std::vector<coll::Transfer>& list) {
  if (const int error = look_up_block(comm, block); error != MPI_SUCCESS) return error;
  add_same(list, comm, staging.bytes_of(block, 1, Copies::before), block.bytes);
  return MPI_SUCCESS;
}

}  // namespace

int inter_bcast(Comm& comm, Block data, int root, const Call& call) {
  coll::Group& group = comm.collectives;
  Staging staging;
  void* bytes = nullptr;
  const int place = inter_root(root);
  if (place != coll::beside_the_root) {
    if (const int error = look_up_block(comm, data); error != MPI_SUCCESS) return error;
    bytes = staging.bytes_of(data, 1, root == MPI_ROOT ? Copies::before : Copies::after);
  }
  const auto length = static_cast<uint64_t>(data.bytes);
  return run_collective(
      comm, call, staging, [&] { return coll::inter_bcast(group, bytes, length, place); },
      [&](coll::Lifetime lifetime) { return coll::make_inter_bcast(group, bytes, length, place, lifetime); });
}

int inter_gather(Comm& comm, Block send, Block receive, int root, const Call& call) {
  Staging staging;
  coll::Exchange exchange;
  int error = MPI_SUCCESS;
  if (root == MPI_ROOT) {
    error = look_up_blocks(comm, receive, Copies::after, staging, exchange.receives);
  } else if (root != MPI_PROC_NULL) {
    error = look_up_mine(comm, send, Copies::before, root, staging, exchange.sends);
  }
  return error == MPI_SUCCESS ? run_exchange(comm, call, staging, exchange) : error;
}

int inter_gatherv(Comm& comm, Block send, const Spread& receive, int root, const Call& call) {
  Staging staging;
  coll::Exchange exchange;
  int error = MPI_SUCCESS;
  if (root == MPI_ROOT) {
    error = look_up_spread(comm, receive, Copies::after, staging, exchange.receives);
  } else if (root != MPI_PROC_NULL) {
    error = look_up_mine(comm, send, Copies::before, root, staging, exchange.sends);
  }
  return error == MPI_SUCCESS ? run_exchange(comm, call, staging, exchange) : error;
}

int inter_scatter(Comm& comm, Block send, Block receive, int root, const Call& call) {
  Staging staging;
  coll::Exchange exchange;
  int error = MPI_SUCCESS;
  if (root == MPI_ROOT) {
    error = look_up_blocks(comm, send, Copies::before, staging, exchange.sends);
  } else if (root != MPI_PROC_NULL) {
    error = look_up_mine(comm, receive, Copies::after, root, staging, exchange.receives);
  }
  return error == MPI_SUCCESS ? run_exchange(comm, call, staging, exchange) : error;
}

int inter_scatterv(Comm& comm, const Spread& send, Block receive, int root, const Call& call) {
  Staging staging;
  coll::Exchange exchange;
  int error = MPI_SUCCESS;
  if (root == MPI_ROOT) {
    error = look_up_spread(comm, send, Copies::before, staging, exchange.sends);
  } else if (root != MPI_PROC_NULL) {
    error = look_up_mine(comm, receive, Copies::after, root, staging, exchange.receives);
  }
  return error == MPI_SUCCESS ? run_exchange(comm, call, staging, exchange) : error;
}

int inter_allgather(Comm& comm, Block send, Block receive, const Call& call) {
  Staging staging;
  coll::Exchange exchange;
  int error = look_up_same(comm, send, staging, exchange.sends);
  if (error == MPI_SUCCESS) error = look_up_blocks(comm, receive, Copies::after, staging, exchange.receives);
  return error == MPI_SUCCESS ? run_exchange(comm, call, staging, exchange) : error;
}

int inter_allgatherv(Comm& comm, Block send, const Spread& receive, const Call& call) {
  Staging staging;
  coll::Exchange exchange;
  int error = look_up_same(comm, send, staging, exchange.sends);
  if (error == MPI_SUCCESS) error = look_up_spread(comm, receive, Copies::after, staging, exchange.receives);
  return error == MPI_SUCCESS ? run_exchange(comm, call, staging, exchange) : error;
}

int inter_alltoall(Comm& comm, Block send, Block receive, const Call& call) {
  Staging staging;
  coll::Exchange exchange;
  int error = look_up_blocks(comm, send, Copies::before, staging, exchange.sends);
  if (error == MPI_SUCCESS) error = look_up_blocks(comm, receive, Copies::after, staging, exchange.receives);
  return error == MPI_SUCCESS ? run_exchange(comm, call, staging, exchange) : error;
}

int inter_alltoallv(Comm& comm, const Spread& send, const Spread& receive, const Call& call) {
  Staging staging;
  coll::Exchange exchange;
  int error = look_up_spread(comm, send, Copies::before, staging, exchange.sends);
  if (error == MPI_SUCCESS) error = look_up_spread(comm, receive, Copies::after, staging, exchange.receives);
  return error == MPI_SUCCESS ? run_exchange(comm, call, staging, exchange) : error;
}

}  // namespace vif::mpi
