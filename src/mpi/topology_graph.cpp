// Graph topologies, in which every process knows all edges; and distributed ones, in which each knows its own.
// Context: app.
#include <algorithm>
#include <string>

#include "api.hpp"
#include "mpi/collective.hpp"
#include "mpi/errors.hpp"
#include "mpi/info.hpp"
#include "mpi/topology.hpp"

namespace vif::mpi {

namespace {

int look_up_graph(Comm& comm, int nnodes, const int* index, const int* edges, Topology& graph) {
  if (nnodes < 0 || nnodes > comm.size) {
    return raise(&comm, MPI_ERR_ARG,
                 "the graph has " + std::to_string(nnodes) + " nodes; " + describe(comm) + " has " +
                     std::to_string(comm.size) + " processes");
  }
  if (nnodes > 0 && index == nullptr) return raise_null_argument(&comm, "index");
  int before = 0;
  for (int i = 0; i < nnodes; ++i) {
    if (index[i] < before) return raise(&comm, MPI_ERR_ARG, "the index of a graph must not decrease, nor be negative");
    before = index[i];
  }
  if (before > 0 && edges == nullptr) return raise_null_argument(&comm, "edges");
  for (int i = 0; i < before; ++i) {
    if (edges[i] < 0 || edges[i] >= nnodes) {
      return raise(&comm, MPI_ERR_ARG, "the edge to " + std::to_string(edges[i]) + " leads out of the graph");
    }
  }
  graph.kind = MPI_GRAPH;
  graph.ends.assign(index, index + nnodes);
  graph.edges.assign(edges, edges + before);
  return MPI_SUCCESS;
}

// Where the neighbours of a rank begin in the edges, and how many there are.
struct Piece {
  int first;
  int count;
};

Piece piece_of(const Topology& graph, int rank) noexcept {
  const int first = rank == 0 ? 0 : graph.ends[static_cast<size_t>(rank) - 1];
  return {first, graph.ends[static_cast<size_t>(rank)] - first};
}

bool is_weighted(const int* weights) noexcept { return weights != MPI_UNWEIGHTED; }
bool has_weights(const int* weights) noexcept {
  return weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY && weights != nullptr;
}

int check_ends(Comm& comm, int count, const int* ranks, const int* weights) {
  if (count < 0) return raise(&comm, MPI_ERR_ARG, "the number of neighbours is negative");
  if (count > 0 && ranks == nullptr) return raise_null_argument(&comm, "the neighbours");
  for (int i = 0; i < count; ++i) {
    if (ranks[i] < 0 || ranks[i] >= comm.size) {
      return raise(&comm, MPI_ERR_RANK,
                   "the neighbour " + std::to_string(ranks[i]) + " is not a rank of " + describe(comm));
    }
    if (has_weights(weights) && weights[i] < 0) {
      return raise(&comm, MPI_ERR_ARG, "the weight of an edge is negative");
    }
  }
  return MPI_SUCCESS;
}

int check_info(Comm& comm, MPI_Info info) {
  if (info == MPI_INFO_NULL || info_of(info) != nullptr) return MPI_SUCCESS;
  return raise(&comm, MPI_ERR_INFO, "the info object has been freed, or never was one");
}

// Edges as any process may give them, for all to read.
struct Edge {
  int source;
  int destination;
  int weight;
};

// Everybody's edges, by the rank that gave them.
net::Outcome gather_edges(Comm& comm, const std::vector<Edge>& mine, std::vector<Edge>& all) {
  const uint64_t own_bytes = mine.size() * sizeof(Edge);
  std::vector<uint64_t> sizes(static_cast<size_t>(comm.size));
  net::ApiScope scope(engine());
  const net::Outcome outcome = coll::allgather(comm.collectives, &own_bytes, sizeof own_bytes, sizes.data());
  if (outcome != net::Outcome::success) return outcome;
  std::vector<int64_t> displacements;
  int64_t total = 0;
  for (uint64_t size : sizes) {
    displacements.push_back(total);
    total += static_cast<int64_t>(size);
  }
  all.resize(static_cast<size_t>(total) / sizeof(Edge));
  return coll::allgatherv(comm.collectives, mine.data(), all.data(), sizes.data(), displacements.data());
}

int make_distributed(Comm& comm, std::vector<Edge>& mine, bool weighted, MPI_Comm* out) {
  std::vector<Edge> all;
  if (const net::Outcome outcome = gather_edges(comm, mine, all); outcome != net::Outcome::success) {
    return raise_outcome(comm, outcome);
  }
  Topology graph;
  graph.kind = MPI_DIST_GRAPH;
  graph.weighted = weighted;
  for (const Edge& edge : all) {
    if (edge.destination == comm.rank) {
      graph.sources.push_back(edge.source);
      graph.source_weights.push_back(edge.weight);
    }
    if (edge.source == comm.rank) {
      graph.destinations.push_back(edge.destination);
      graph.destination_weights.push_back(edge.weight);
    }
  }
  return make_with_topology(comm, comm.size, std::move(graph), out);
}

void copy_some(const std::vector<int>& from, int room, int* to) {
  std::copy_n(from.begin(), std::min<size_t>(from.size(), static_cast<size_t>(std::max(room, 0))), to);
}

int refuse_room(Comm& comm) { return raise(&comm, MPI_ERR_ARG, "there is room for a negative number of entries"); }

}  // namespace

namespace api {

int Graph_create(MPI_Comm comm_old, int nnodes, const int index[], const int edges[], int, MPI_Comm* comm_graph) {
  int error = MPI_SUCCESS;
  Comm* parent = intra_comm_of(comm_old, error);
  if (parent == nullptr) return error;
  Topology graph;
  error = look_up_graph(*parent, nnodes, index, edges, graph);
  return error == MPI_SUCCESS ? make_with_topology(*parent, nnodes, std::move(graph), comm_graph) : error;
}

int Graph_map(MPI_Comm comm, int nnodes, const int index[], const int edges[], int* newrank) {
  int error = MPI_SUCCESS;
  Comm* object = intra_comm_of(comm, error);
  if (object == nullptr) return error;
  Topology graph;
  error = look_up_graph(*object, nnodes, index, edges, graph);
  if (error == MPI_SUCCESS) *newrank = object->rank < nnodes ? object->rank : MPI_UNDEFINED;
  return error;
}

int Graphdims_get(MPI_Comm comm, int* nnodes, int* nedges) {
  int error = MPI_SUCCESS;
  const Comm* object = comm_with(comm, MPI_GRAPH, error);
  if (object == nullptr) return error;
  *nnodes = static_cast<int>(object->topology->ends.size());
  *nedges = static_cast<int>(object->topology->edges.size());
  return MPI_SUCCESS;
}

int Graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]) {
  int error = MPI_SUCCESS;
  Comm* object = comm_with(comm, MPI_GRAPH, error);
  if (object == nullptr) return error;
  if (maxindex < 0 || maxedges < 0) return refuse_room(*object);
  copy_some(object->topology->ends, maxindex, index);
  copy_some(object->topology->edges, maxedges, edges);
  return MPI_SUCCESS;
}

int Graph_neighbors_count(MPI_Comm comm, int rank, int* nneighbors) {
  int error = MPI_SUCCESS;
  Comm* object = comm_with(comm, MPI_GRAPH, error);
  if (object == nullptr) return error;
  if (rank < 0 || rank >= object->size) return raise(object, MPI_ERR_RANK, "the rank is not one of the graph");
  *nneighbors = piece_of(*object->topology, rank).count;
  return MPI_SUCCESS;
}

int Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[]) {
  int error = MPI_SUCCESS;
  Comm* object = comm_with(comm, MPI_GRAPH, error);
  if (object == nullptr) return error;
  if (rank < 0 || rank >= object->size) return raise(object, MPI_ERR_RANK, "the rank is not one of the graph");
  if (maxneighbors < 0) return refuse_room(*object);
  const Piece piece = piece_of(*object->topology, rank);
  std::copy_n(object->topology->edges.begin() + piece.first, std::min(maxneighbors, piece.count), neighbors);
  return MPI_SUCCESS;
}

int Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[],
                               int outdegree, const int destinations[], const int destweights[], MPI_Info info, int,
                               MPI_Comm* comm_dist_graph) {
  int error = MPI_SUCCESS;
  Comm* parent = intra_comm_of(comm_old, error);
  if (parent == nullptr) return error;
  if (error = check_ends(*parent, indegree, sources, sourceweights); error != MPI_SUCCESS) return error;
  if (error = check_ends(*parent, outdegree, destinations, destweights); error != MPI_SUCCESS) return error;
  if (error = check_info(*parent, info); error != MPI_SUCCESS) return error;
  Topology graph;
  graph.kind = MPI_DIST_GRAPH;
  graph.weighted = is_weighted(sourceweights) && is_weighted(destweights);
  graph.sources.assign(sources, sources + indegree);
  graph.destinations.assign(destinations, destinations + outdegree);
  if (has_weights(sourceweights)) graph.source_weights.assign(sourceweights, sourceweights + indegree);
  if (has_weights(destweights)) graph.destination_weights.assign(destweights, destweights + outdegree);
  return make_with_topology(*parent, parent->size, std::move(graph), comm_dist_graph);
}

int Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[],
                      const int weights[], MPI_Info info, int, MPI_Comm* comm_dist_graph) {
  int error = MPI_SUCCESS;
  Comm* parent = intra_comm_of(comm_old, error);
  if (parent == nullptr) return error;
  if (error = check_ends(*parent, n, sources, MPI_UNWEIGHTED); error != MPI_SUCCESS) return error;
  if (error = check_info(*parent, info); error != MPI_SUCCESS) return error;
  std::vector<Edge> mine;
  for (int i = 0; i < n; ++i) {
    const auto before = static_cast<int>(mine.size());
    if (degrees[i] < 0) return raise(parent, MPI_ERR_ARG, "the number of edges of a node is negative");
    const int* const weights_here = has_weights(weights) ? weights + before : MPI_UNWEIGHTED;
    error = check_ends(*parent, degrees[i], destinations + before, weights_here);
    if (error != MPI_SUCCESS) return error;
    for (int j = before; j < before + degrees[i]; ++j) {
      mine.push_back({sources[i], destinations[j], has_weights(weights) ? weights[j] : 1});
    }
  }
  return make_distributed(*parent, mine, is_weighted(weights), comm_dist_graph);
}

int Dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted) {
  int error = MPI_SUCCESS;
  const Comm* object = comm_with(comm, MPI_DIST_GRAPH, error);
  if (object == nullptr) return error;
  *indegree = static_cast<int>(object->topology->sources.size());
  *outdegree = static_cast<int>(object->topology->destinations.size());
  *weighted = object->topology->weighted ? 1 : 0;
  return MPI_SUCCESS;
}

int Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree,
                         int destinations[], int destweights[]) {
  int error = MPI_SUCCESS;
  Comm* object = comm_with(comm, MPI_DIST_GRAPH, error);
  if (object == nullptr) return error;
  if (maxindegree < 0 || maxoutdegree < 0) return refuse_room(*object);
  const Topology& graph = *object->topology;
  copy_some(graph.sources, maxindegree, sources);
  copy_some(graph.destinations, maxoutdegree, destinations);
  if (graph.weighted && has_weights(sourceweights)) copy_some(graph.source_weights, maxindegree, sourceweights);
  if (graph.weighted && has_weights(destweights)) copy_some(graph.destination_weights, maxoutdegree, destweights);
  return MPI_SUCCESS;
}

}  // namespace api

}  // namespace vif::mpi
