/* Graph topologies, and distributed ones made in both ways, with and without weights. */
#include "p2p_check.h"

static int contains(const int* list, int count, int value) {
  int i, found = 0;
  for (i = 0; i < count; ++i) found += list[i] == value;
  return found;
}

/* A ring, each node knowing its two neighbours. */
static void check_graph(int size) {
  int *index = malloc(sizeof(int) * (size_t)size), *edges = malloc(sizeof(int) * 2 * (size_t)size);
  int i, nodes, count, neighbors[2], kind;
  MPI_Comm ring;
  for (i = 0; i < size; ++i) {
    index[i] = 2 * (i + 1);
    edges[2 * i] = (i + size - 1) % size;
    edges[2 * i + 1] = (i + 1) % size;
  }
  CHECK_EQUAL(MPI_SUCCESS, MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &ring));
  MPI_Topo_test(ring, &kind);
  CHECK_EQUAL(MPI_GRAPH, kind);
  MPI_Graphdims_get(ring, &nodes, &count);
  CHECK_EQUAL(size, nodes);
  CHECK_EQUAL(2 * size, count);
  MPI_Graph_neighbors_count(ring, check_rank, &count);
  CHECK_EQUAL(2, count);
  MPI_Graph_neighbors(ring, check_rank, 2, neighbors);
  CHECK_EQUAL((check_rank + size - 1) % size, neighbors[0]);
  CHECK_EQUAL((check_rank + 1) % size, neighbors[1]);
  memset(index, 0, sizeof(int) * (size_t)size);
  memset(edges, -1, sizeof(int) * 2 * (size_t)size);
  MPI_Graph_get(ring, size, 2 * size, index, edges);
  CHECK_EQUAL(2 * size, index[size - 1]);
  CHECK_EQUAL((size - 1 + 1) % size, edges[2 * size - 1]);
  MPI_Graph_map(MPI_COMM_WORLD, size, index, edges, &nodes);
  CHECK_EQUAL(check_rank, nodes);
  MPI_Comm_free(&ring);
  free(index);
  free(edges);
}

static void check_adjacent(int size) {
  int source = (check_rank + size - 1) % size, destination = (check_rank + 1) % size;
  int in_weight = 10 + source, out_weight = 10 + check_rank, in, out, weighted;
  int got_source = -1, got_destination = -1, got_in = -1, got_out = -1;
  MPI_Comm ring;
  CHECK_EQUAL(MPI_SUCCESS, MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &source, &in_weight, 1, &destination,
                                                          &out_weight, MPI_INFO_NULL, 0, &ring));
  MPI_Dist_graph_neighbors_count(ring, &in, &out, &weighted);
  CHECK(in == 1 && out == 1 && weighted);
  MPI_Dist_graph_neighbors(ring, 1, &got_source, &got_in, 1, &got_destination, &got_out);
  CHECK_EQUAL(source, got_source);
  CHECK_EQUAL(destination, got_destination);
  CHECK_EQUAL(in_weight, got_in);
  CHECK_EQUAL(out_weight, got_out);
  MPI_Comm_free(&ring);
  /* Only rank 0 has neighbours; the others say so with the special addresses. */
  if (check_rank == 0) {
    int self = 0;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &self, MPI_UNWEIGHTED, 1, &self, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &ring);
  } else {
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &ring);
  }
  MPI_Dist_graph_neighbors_count(ring, &in, &out, &weighted);
  CHECK(in == (check_rank == 0) && out == (check_rank == 0) && !weighted);
  MPI_Comm_free(&ring);
}

/* Rank 0 knows the whole graph: from each node to the next and to itself. */
static void check_distributed(int size) {
  int n = check_rank == 0 ? size : 0, i, in, out, weighted, sources[2], destinations[2], weights[2], other[2];
  int *from = malloc(sizeof(int) * (size_t)size), *degrees = malloc(sizeof(int) * (size_t)size);
  int *to = malloc(sizeof(int) * 2 * (size_t)size), *weight = malloc(sizeof(int) * 2 * (size_t)size);
  MPI_Comm graph;
  for (i = 0; i < size; ++i) {
    from[i] = i;
    degrees[i] = 2;
    to[2 * i] = (i + 1) % size;
    to[2 * i + 1] = i;
    weight[2 * i] = 100 + i;
    weight[2 * i + 1] = 7;
  }
  CHECK_EQUAL(MPI_SUCCESS, MPI_Dist_graph_create(MPI_COMM_WORLD, n, from, degrees, to,
                                                 n == 0 ? MPI_WEIGHTS_EMPTY : weight, MPI_INFO_NULL, 0, &graph));
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  CHECK(in == 2 && out == 2 && weighted);
  MPI_Dist_graph_neighbors(graph, 2, sources, weights, 2, destinations, other);
  CHECK(contains(sources, 2, (check_rank + size - 1) % size) && contains(sources, 2, check_rank));
  CHECK(contains(destinations, 2, (check_rank + 1) % size) && contains(destinations, 2, check_rank));
  CHECK_EQUAL(1, contains(weights, 2, 7));
  CHECK_EQUAL(1, contains(weights, 2, 100 + (check_rank + size - 1) % size));
  CHECK_EQUAL(1, contains(other, 2, 100 + check_rank));
  MPI_Comm_free(&graph);
  free(from);
  free(degrees);
  free(to);
  free(weight);
}

static void check_refusals(int size) {
  int value, index[1] = {1}, edge[1] = {0};
  MPI_Comm graph;
  CHECK(MPI_Graph_create(MPI_COMM_WORLD, size + 1, index, edge, 0, &graph) != MPI_SUCCESS);
  CHECK_CLASS(MPI_ERR_TOPOLOGY, MPI_Dist_graph_neighbors_count(MPI_COMM_WORLD, &value, &value, &value));
}

int main(int argc, char** argv) {
  int size;
  MPI_Init(&argc, &argv);
  check_start(&size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  check_graph(size);
  check_adjacent(size);
  check_distributed(size);
  check_refusals(size);
  MPI_Finalize();
  return 0;
}
