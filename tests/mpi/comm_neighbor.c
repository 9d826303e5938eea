/* Neighbourhood collectives in all their forms, on a closed grid, an open line and a graph with several edges between
 * two nodes. What a place receives says which edge it came along. */
#include "p2p_check.h"

enum { direction_count = 4 };

/* Sends to the neighbour below come in from above, also where both are one process. */
static int expected_from(int neighbor, int place, int count) { return neighbor * 100 + (place ^ 1) * 10 + count; }

static void fill(int* values, int count) {
  int place, i;
  for (place = 0; place < direction_count; ++place) {
    for (i = 0; i < count; ++i) values[place * count + i] = check_rank * 100 + place * 10 + i;
  }
}

static void verify(const int* values, const int* neighbors, int count) {
  int place, i;
  for (place = 0; place < direction_count; ++place) {
    for (i = 0; i < count; ++i) {
      if (neighbors[place] == MPI_PROC_NULL) {
        CHECK_EQUAL(-1, values[place * count + i]);
      } else {
        CHECK_EQUAL(expected_from(neighbors[place], place, i), values[place * count + i]);
      }
    }
  }
}

static void grid_of(int size, int closed, MPI_Comm* grid, int* neighbors) {
  int dims[2] = {0, 0}, periods[2] = {closed, closed}, d;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, grid);
  for (d = 0; d < 2; ++d) MPI_Cart_shift(*grid, d, 1, &neighbors[2 * d], &neighbors[2 * d + 1]);
}

static void check_alltoall(MPI_Comm grid, const int* neighbors) {
  int out[direction_count * 2], in[direction_count * 2];
  MPI_Request request;
  fill(out, 2);
  memset(in, -1, sizeof in);
  MPI_Neighbor_alltoall(out, 2, MPI_INT, in, 2, MPI_INT, grid);
  verify(in, neighbors, 2);
  memset(in, -1, sizeof in);
  MPI_Ineighbor_alltoall(out, 2, MPI_INT, in, 2, MPI_INT, grid, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  verify(in, neighbors, 2);
  MPI_Neighbor_alltoall_init(out, 2, MPI_INT, in, 2, MPI_INT, grid, MPI_INFO_NULL, &request);
  for (int turn = 0; turn < 3; ++turn) {
    memset(in, -1, sizeof in);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    verify(in, neighbors, 2);
  }
  MPI_Request_free(&request);
}

static void check_vectors(MPI_Comm grid, const int* neighbors) {
  int out[direction_count * 2], in[direction_count * 2];
  int counts[direction_count], places[direction_count], i;
  MPI_Count large_counts[direction_count];
  MPI_Aint bytes[direction_count];
  MPI_Datatype types[direction_count];
  MPI_Request request;
  for (i = 0; i < direction_count; ++i) {
    large_counts[i] = counts[i] = 2;
    places[i] = 2 * i;
    bytes[i] = (MPI_Aint)sizeof(int) * 2 * i;
    types[i] = MPI_INT;
  }
  fill(out, 2);
  memset(in, -1, sizeof in);
  MPI_Neighbor_alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, grid);
  verify(in, neighbors, 2);
  memset(in, -1, sizeof in);
  MPI_Neighbor_alltoallw(out, counts, bytes, types, in, counts, bytes, types, grid);
  verify(in, neighbors, 2);
  memset(in, -1, sizeof in);
  MPI_Ineighbor_alltoallw_c(out, large_counts, bytes, types, in, large_counts, bytes, types, grid, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  verify(in, neighbors, 2);
}

static void check_allgather(MPI_Comm grid, const int* neighbors) {
  int mine[2] = {check_rank, -check_rank}, in[direction_count * 2], counts[direction_count], places[direction_count], i;
  MPI_Request request;
  for (i = 0; i < direction_count; ++i) {
    counts[i] = 2;
    places[i] = 2 * (direction_count - 1 - i);
  }
  memset(in, -1, sizeof in);
  MPI_Neighbor_allgather(mine, 2, MPI_INT, in, 2, MPI_INT, grid);
  for (i = 0; i < direction_count; ++i) CHECK_EQUAL(neighbors[i] == MPI_PROC_NULL ? -1 : neighbors[i], in[2 * i]);
  memset(in, -1, sizeof in);
  MPI_Ineighbor_allgatherv(mine, 2, MPI_INT, in, counts, places, MPI_INT, grid, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (i = 0; i < direction_count; ++i) {
    CHECK_EQUAL(neighbors[i] == MPI_PROC_NULL ? -1 : -neighbors[i], in[places[i] + 1]);
  }
}

/* Elements with gaps: what lies between them must survive. */
static void check_strided(MPI_Comm grid, const int* neighbors) {
  int out[direction_count * 4], in[direction_count * 4], i;
  MPI_Datatype spaced, resized;
  MPI_Type_vector(2, 1, 2, MPI_INT, &spaced);
  MPI_Type_create_resized(spaced, 0, 4 * (MPI_Aint)sizeof(int), &resized);
  MPI_Type_commit(&resized);
  for (i = 0; i < direction_count * 4; ++i) {
    out[i] = check_rank * 100 + i / 4 * 10 + i % 4 / 2;
    in[i] = -1;
  }
  MPI_Neighbor_alltoall(out, 1, resized, in, 1, resized, grid);
  for (i = 0; i < direction_count * 4; ++i) {
    const int neighbor = neighbors[i / 4];
    CHECK_EQUAL(i % 2 == 1 || neighbor == MPI_PROC_NULL ? -1 : expected_from(neighbor, i / 4, i % 4 / 2), in[i]);
  }
  MPI_Type_free(&resized);
  MPI_Type_free(&spaced);
}

/* Three edges from each process to the next: they keep their order. */
static void check_several_edges(int size) {
  const int before = (check_rank + size - 1) % size, after = (check_rank + 1) % size;
  const int sources[3] = {before, before, before}, destinations[3] = {after, after, after};
  int out[3], in[3] = {-1, -1, -1}, i;
  MPI_Comm ring;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, sources, MPI_UNWEIGHTED, 3, destinations, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &ring);
  for (i = 0; i < 3; ++i) out[i] = check_rank * 10 + i;
  MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring);
  for (i = 0; i < 3; ++i) CHECK_EQUAL(before * 10 + i, in[i]);
  MPI_Comm_free(&ring);
}

int main(int argc, char** argv) {
  int size, closed, neighbors[direction_count], value;
  MPI_Comm grid;
  MPI_Init(&argc, &argv);
  check_start(&size);
  for (closed = 0; closed < 2; ++closed) {
    grid_of(size, closed, &grid, neighbors);
    check_alltoall(grid, neighbors);
    check_vectors(grid, neighbors);
    check_allgather(grid, neighbors);
    check_strided(grid, neighbors);
    MPI_Comm_free(&grid);
  }
  check_several_edges(size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK_CLASS(MPI_ERR_TOPOLOGY, MPI_Neighbor_allgather(&value, 1, MPI_INT, &value, 1, MPI_INT, MPI_COMM_WORLD));
  MPI_Finalize();
  return 0;
}
