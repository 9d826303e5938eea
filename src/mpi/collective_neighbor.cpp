// The neighbourhood collectives: one message along each edge of the topology. Context: app.
#include "mpi/collective_neighbor.hpp"

#include <algorithm>

#include "coll/inter.hpp"
#include "mpi/diary.hpp"
#include "mpi/topology.hpp"

namespace vif::mpi {

namespace {

struct Meeting {
  Comm* comm = nullptr;
  Neighborhood neighbors;
  Staging staging;
  coll::Exchange exchange;
};

int look_up(MPI_Comm handle, Meeting& it) {
  int error = MPI_SUCCESS;
  it.comm = comm_with(handle, MPI_UNDEFINED, error);
  if (it.comm == nullptr) return error;
  note_collective(*it.comm, -1);
  it.neighbors = neighborhood_of(*it.comm);
  return MPI_SUCCESS;
}

// A place for a neighbour that there is none of must keep what it holds.
Copies copies_of_receive(const std::vector<Neighbor>& neighbors) {
  const bool gaps = std::any_of(neighbors.begin(), neighbors.end(), [](const Neighbor& n) { return n.rank < 0; });
  return gaps ? Copies::both : Copies::after;
}

void add(std::vector<coll::Transfer>& list, const Neighbor& neighbor, void* at, uint64_t bytes) {
  if (neighbor.rank != MPI_PROC_NULL) list.push_back({neighbor.rank, neighbor.lane, at, bytes});
}

int add_same(Meeting& it, Block& block) {
  if (const int error = look_up_block(*it.comm, block); error != MPI_SUCCESS) return error;
  void* const at = it.staging.bytes_of(block, 1, Copies::before);
  for (const Neighbor& neighbor : it.neighbors.destinations) {
    add(it.exchange.sends, neighbor, at, static_cast<uint64_t>(block.bytes));
  }
  return MPI_SUCCESS;
}

int add_blocks(Meeting& it, Block& block, const std::vector<Neighbor>& neighbors, Copies copies,
               std::vector<coll::Transfer>& list) {
  if (neighbors.empty()) return MPI_SUCCESS;
  if (const int error = look_up_block(*it.comm, block); error != MPI_SUCCESS) return error;
  auto* at = static_cast<std::byte*>(it.staging.bytes_of(block, static_cast<int64_t>(neighbors.size()), copies));
  for (const Neighbor& neighbor : neighbors) {
    add(list, neighbor, at, static_cast<uint64_t>(block.bytes));
    if (at != nullptr) at += block.bytes;
  }
  return MPI_SUCCESS;
}

int add_spread(Meeting& it, const Spread& spread, const std::vector<Neighbor>& neighbors, Copies copies,
               std::vector<coll::Transfer>& list) {
  Laid laid;
  const int count = static_cast<int>(neighbors.size());
  const int error = lay_out(*it.comm, count, spread, copies, it.staging, laid);
  if (error != MPI_SUCCESS) return error;
  for (size_t i = 0; i < neighbors.size(); ++i) {
    add(list, neighbors[i], static_cast<std::byte*>(laid.buffer) + laid.displacements[i], laid.sizes[i]);
  }
  return MPI_SUCCESS;
}

int add_receives(Meeting& it, Block& block) {
  return add_blocks(it, block, it.neighbors.sources, copies_of_receive(it.neighbors.sources), it.exchange.receives);
}

int add_receives(Meeting& it, const Spread& spread) {
  return add_spread(it, spread, it.neighbors.sources, copies_of_receive(it.neighbors.sources), it.exchange.receives);
}

int run(Meeting& it, const Call& call) {
  coll::Group& group = it.comm->collectives;
  return run_collective(
      *it.comm, call, it.staging, [&] { return coll::exchange(group, it.exchange); },
      [&](coll::Lifetime lifetime) { return coll::make_exchange(group, it.exchange, lifetime); });
}

template <class Receive>
int gather_from_neighbors(Block& send, Receive& receive, MPI_Comm handle, const Call& call) {
  Meeting it;
  if (const int error = look_up(handle, it); error != MPI_SUCCESS) return error;
  if (const int error = add_same(it, send); error != MPI_SUCCESS) return error;
  if (const int error = add_receives(it, receive); error != MPI_SUCCESS) return error;
  return run(it, call);
}

}  // namespace

int neighbor_allgather(Block send, Block receive, MPI_Comm handle, const Call& call) {
  return gather_from_neighbors(send, receive, handle, call);
}

int neighbor_allgatherv(Block send, const Spread& receive, MPI_Comm handle, const Call& call) {
  return gather_from_neighbors(send, receive, handle, call);
}

int neighbor_alltoall(Block send, Block receive, MPI_Comm handle, const Call& call) {
  Meeting it;
  if (const int error = look_up(handle, it); error != MPI_SUCCESS) return error;
  int error = add_blocks(it, send, it.neighbors.destinations, Copies::before, it.exchange.sends);
  if (error == MPI_SUCCESS) error = add_receives(it, receive);
  return error == MPI_SUCCESS ? run(it, call) : error;
}

int neighbor_alltoallv(const Spread& send, const Spread& receive, MPI_Comm handle, const Call& call) {
  Meeting it;
  if (const int error = look_up(handle, it); error != MPI_SUCCESS) return error;
  int error = add_spread(it, send, it.neighbors.destinations, Copies::before, it.exchange.sends);
  if (error == MPI_SUCCESS) error = add_receives(it, receive);
  return error == MPI_SUCCESS ? run(it, call) : error;
}

}  // namespace vif::mpi
