/* Cartesian topologies: shapes, ranks and coordinates, shifts, slices, and the choice of dimensions. */
#include "p2p_check.h"

static void dims_of(int nodes, int count, const int* given, const int* expected) {
  int dims[4], i;
  for (i = 0; i < count; ++i) dims[i] = given[i];
  CHECK_EQUAL(MPI_SUCCESS, MPI_Dims_create(nodes, count, dims));
  for (i = 0; i < count; ++i) CHECK_EQUAL(expected[i], dims[i]);
}

static void check_dims(void) {
  const int open[4] = {0, 0, 0, 0};
  dims_of(6, 2, open, (const int[]){3, 2});
  dims_of(7, 2, open, (const int[]){7, 1});
  dims_of(6, 3, (const int[]){0, 3, 0}, (const int[]){2, 3, 1});
  dims_of(24, 3, open, (const int[]){4, 3, 2});
  dims_of(36, 2, open, (const int[]){6, 6});
  dims_of(1, 3, open, (const int[]){1, 1, 1});
  dims_of(1000, 3, open, (const int[]){10, 10, 10});
  dims_of(5, 1, open, (const int[]){5});
  {
    int dims[2] = {0, 3};
    CHECK(MPI_Dims_create(7, 2, dims) != MPI_SUCCESS);
    CHECK(MPI_Dims_create(-1, 2, dims) != MPI_SUCCESS);
  }
}

/* A ring along each of two dimensions, one of them closed. */
static void check_grid(int size) {
  int dims[2] = {0, 0}, periods[2] = {1, 0}, coords[2], got_dims[2], got_periods[2], got_coords[2];
  int rank, up, down, left, right, ndims, back, kind;
  MPI_Comm grid, copy;
  MPI_Dims_create(size, 2, dims);
  CHECK_EQUAL(MPI_SUCCESS, MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid));
  MPI_Topo_test(grid, &kind);
  CHECK_EQUAL(MPI_CART, kind);
  MPI_Comm_rank(grid, &rank);
  MPI_Cartdim_get(grid, &ndims);
  CHECK_EQUAL(2, ndims);
  MPI_Cart_coords(grid, rank, 2, coords);
  CHECK_EQUAL(rank, coords[0] * dims[1] + coords[1]);
  MPI_Cart_rank(grid, coords, &back);
  CHECK_EQUAL(rank, back);
  MPI_Cart_get(grid, 2, got_dims, got_periods, got_coords);
  CHECK(got_dims[0] == dims[0] && got_dims[1] == dims[1]);
  CHECK(got_periods[0] == 1 && got_periods[1] == 0);
  CHECK(got_coords[0] == coords[0] && got_coords[1] == coords[1]);
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  CHECK_EQUAL((coords[0] + 1) % dims[0] * dims[1] + coords[1], down);
  CHECK_EQUAL((coords[0] + dims[0] - 1) % dims[0] * dims[1] + coords[1], up);
  MPI_Cart_shift(grid, 1, 1, &left, &right);
  CHECK_EQUAL(coords[1] + 1 < dims[1] ? rank + 1 : MPI_PROC_NULL, right);
  CHECK_EQUAL(coords[1] > 0 ? rank - 1 : MPI_PROC_NULL, left);
  coords[0] += 3 * dims[0]; /* a closed dimension takes any coordinate */
  MPI_Cart_rank(grid, coords, &back);
  CHECK_EQUAL(rank, back);
  MPI_Comm_dup(grid, &copy);
  MPI_Topo_test(copy, &kind);
  CHECK_EQUAL(MPI_CART, kind);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&grid);
}

static void check_slices(int size) {
  int dims[3] = {0, 0, 0}, periods[3] = {0, 1, 0}, keep[3] = {0, 1, 0}, nothing[3] = {0, 0, 0};
  int coords[3], line_size, line_rank, line_dims[3], line_periods[3], line_coords[3], ndims, sum;
  MPI_Comm grid, line, point;
  MPI_Dims_create(size, 3, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 1, &grid);
  MPI_Cart_get(grid, 3, line_dims, line_periods, coords);
  CHECK_EQUAL(MPI_SUCCESS, MPI_Cart_sub(grid, keep, &line));
  MPI_Comm_size(line, &line_size);
  MPI_Comm_rank(line, &line_rank);
  CHECK_EQUAL(dims[1], line_size);
  CHECK_EQUAL(coords[1], line_rank);
  MPI_Cartdim_get(line, &ndims);
  CHECK_EQUAL(1, ndims);
  MPI_Cart_get(line, 1, line_dims, line_periods, line_coords);
  CHECK(line_dims[0] == dims[1] && line_periods[0] == 1 && line_coords[0] == coords[1]);
  MPI_Allreduce(&line_rank, &sum, 1, MPI_INT, MPI_SUM, line);
  CHECK_EQUAL(dims[1] * (dims[1] - 1) / 2, sum);
  MPI_Cart_sub(grid, nothing, &point);
  MPI_Comm_size(point, &line_size);
  CHECK_EQUAL(1, line_size);
  MPI_Cartdim_get(point, &ndims);
  CHECK_EQUAL(0, ndims);
  MPI_Comm_free(&point);
  MPI_Comm_free(&line);
  MPI_Comm_free(&grid);
}

/* A grid may be smaller than its parent: the others get no communicator. */
static void check_smaller(int size) {
  int dims[1] = {size > 1 ? size - 1 : 1}, periods[1] = {0}, rank;
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid);
  CHECK_EQUAL(size > 1 && check_rank == size - 1, grid == MPI_COMM_NULL);
  MPI_Cart_map(MPI_COMM_WORLD, 1, dims, periods, &rank);
  CHECK_EQUAL(check_rank < dims[0] ? check_rank : MPI_UNDEFINED, rank);
  if (grid != MPI_COMM_NULL) MPI_Comm_free(&grid);
}

static void check_refusals(int size) {
  int dims[1] = {size + 1}, periods[1] = {0}, value, coords[1] = {size + 5};
  MPI_Comm grid;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid) != MPI_SUCCESS);
  CHECK_CLASS(MPI_ERR_TOPOLOGY, MPI_Cartdim_get(MPI_COMM_WORLD, &value));
  dims[0] = size;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid);
  CHECK_CLASS(MPI_ERR_TOPOLOGY, MPI_Graphdims_get(grid, &value, &value));
  CHECK_CLASS(MPI_ERR_RANK, MPI_Cart_coords(grid, size, 1, coords));
  CHECK(MPI_Cart_rank(grid, coords, &value) != MPI_SUCCESS);
  CHECK(MPI_Cart_shift(grid, 1, 1, &value, &value) != MPI_SUCCESS);
  MPI_Comm_free(&grid);
}

int main(int argc, char** argv) {
  int size;
  MPI_Init(&argc, &argv);
  check_start(&size);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  check_dims();
  check_grid(size);
  check_slices(size);
  check_smaller(size);
  check_refusals(size);
  MPI_Finalize();
  return 0;
}
