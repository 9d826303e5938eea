// Virtual topologies: who is whose neighbour in a communicator. Immutable; shared by a communicator and its duplicates.
// Context: app.
#pragma once

#include <vector>

#include "mpi.h"
#include "mpi/comm.hpp"

namespace vif::mpi {

struct Topology {
  int kind = MPI_UNDEFINED;  // MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH

  // Cartesian: for each dimension its length, and whether it closes to a ring.
  std::vector<int> lengths;
  std::vector<int> periods;

  // Graph: the neighbours of rank r are edges[ends[r - 1]] .. edges[ends[r] - 1].
  std::vector<int> ends;
  std::vector<int> edges;

  // Distributed graph: the neighbours of this process, in the order that the program gave them.
  std::vector<int> sources;
  std::vector<int> destinations;
  std::vector<int> source_weights;
  std::vector<int> destination_weights;
  bool weighted = false;

  int dimensions() const noexcept { return static_cast<int>(lengths.size()); }
};

// The communicator of a handle with a topology of that kind (MPI_UNDEFINED: of any); null, with the error raised, when
// it is none or has another one.
Comm* comm_with(MPI_Comm handle, int kind, int& error);

// Makes a communicator of the first `nodes` processes of the parent, and gives it the topology. Collective.
int make_with_topology(Comm& parent, int nodes, Topology&& topology, MPI_Comm* out);

// Cartesian: ranks and coordinates, the last dimension running fastest. The coordinates must be inside.
int rank_of(const Topology& grid, const int* coordinates) noexcept;
void coordinates_of(const Topology& grid, int rank, int* coordinates) noexcept;
// The rank that lies `displacement` further along a dimension; MPI_PROC_NULL beyond an edge.
int shifted(const Topology& grid, int rank, int dimension, int displacement) noexcept;

// One neighbour of this process in the neighbourhood collectives. Two processes may be neighbours several times: `lane`
// is the same number for the send and the receive that belong together.
struct Neighbor {
  int rank;  // or MPI_PROC_NULL
  unsigned lane;
};

struct Neighborhood {
  std::vector<Neighbor> sources;
  std::vector<Neighbor> destinations;
};

Neighborhood neighborhood_of(const Comm& comm);

}  // namespace vif::mpi
