// What all topologies have in common: their communicators, their neighbourhoods. Context: app.
#include "mpi/topology.hpp"

#include <map>

#include "api.hpp"
#include "mpi/comm_create.hpp"
#include "mpi/errors.hpp"

namespace vif::mpi {

namespace {

const char* name_of(int kind) noexcept {
  switch (kind) {
    case MPI_CART:
      return "a Cartesian topology";
    case MPI_GRAPH:
      return "a graph topology";
    case MPI_DIST_GRAPH:
      return "a distributed graph topology";
    default:
      return "a topology";
  }
}

// The k-th send to a process belongs to the k-th receive from the other side.
std::vector<Neighbor> counted_lanes(const int* ranks, size_t count) {
  std::map<int, unsigned> seen;
  std::vector<Neighbor> neighbors;
  for (size_t i = 0; i < count; ++i) neighbors.push_back({ranks[i], seen[ranks[i]]++});
  return neighbors;
}

// What goes down along a dimension comes in from above, also where both neighbours are one process.
Neighborhood cartesian_neighborhood(const Topology& grid, int rank) {
  Neighborhood all;
  for (int dimension = 0; dimension < grid.dimensions(); ++dimension) {
    const int below = shifted(grid, rank, dimension, -1);
    const int above = shifted(grid, rank, dimension, 1);
    const auto lane = static_cast<unsigned>(2 * dimension);
    all.destinations.push_back({below, lane});
    all.destinations.push_back({above, lane + 1});
    all.sources.push_back({below, lane + 1});
    all.sources.push_back({above, lane});
  }
  return all;
}

}  // namespace

Comm* comm_with(MPI_Comm handle, int kind, int& error) {
  Comm* comm = intra_comm_of(handle, error);
  if (comm == nullptr) return nullptr;
  if (comm->topology != nullptr && (kind == MPI_UNDEFINED || comm->topology->kind == kind)) return comm;
  error = raise(comm, MPI_ERR_TOPOLOGY, describe(*comm) + " does not have " + name_of(kind));
  return nullptr;
}

int make_with_topology(Comm& parent, int nodes, Topology&& topology, MPI_Comm* out) {
  auto kept = std::make_shared<const Topology>(std::move(topology));
  const int error = split(parent, parent.rank < nodes ? 0 : MPI_UNDEFINED, parent.rank, out);
  if (error == MPI_SUCCESS && *out != MPI_COMM_NULL) comm_of(*out)->topology = std::move(kept);
  return error;
}

Neighborhood neighborhood_of(const Comm& comm) {
  const Topology& topology = *comm.topology;
  if (topology.kind == MPI_CART) return cartesian_neighborhood(topology, comm.rank);
  if (topology.kind == MPI_DIST_GRAPH) {
    return {counted_lanes(topology.sources.data(), topology.sources.size()),
            counted_lanes(topology.destinations.data(), topology.destinations.size())};
  }
  const int first = comm.rank == 0 ? 0 : topology.ends[static_cast<size_t>(comm.rank) - 1];
  const auto count = static_cast<size_t>(topology.ends[static_cast<size_t>(comm.rank)] - first);
  const std::vector<Neighbor> neighbors = counted_lanes(topology.edges.data() + first, count);
  return {neighbors, neighbors};
}

namespace api {

int Topo_test(MPI_Comm comm, int* status) {
  const Comm* object = comm_of(comm);
  if (object == nullptr) return raise_no_comm();
  *status = object->topology == nullptr ? MPI_UNDEFINED : object->topology->kind;
  return MPI_SUCCESS;
}

}  // namespace api

}  // namespace vif::mpi
