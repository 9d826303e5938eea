/* MPI_Type_create_darray: the shares of all processes are what the definition of each distribution says, element by
 * element, in both orders, and together they are the array. */
#include "p2p_check.h"

enum { most = 4096 };

static const int distributions[3] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};

/* Whether element `index` of a dimension belongs to the process at `place`. */
static int owns(int index, int size, int distribution, int argument, int processes, int place) {
  if (distribution == MPI_DISTRIBUTE_NONE) return 1;
  if (argument == MPI_DISTRIBUTE_DFLT_DARG) {
    argument = distribution == MPI_DISTRIBUTE_CYCLIC ? 1 : (size + processes - 1) / processes;
  }
  return index / argument % processes == place;
}

/* Packs the share of one process and compares it with the elements that it owns, in the order of the array. */
static int compare(int ndims, const int* sizes, const int* distribution, const int* argument, const int* grid,
                   int order, int rank, int processes) {
  static int array[most], packed[most];
  int total = 1, count = 0, position = 0, places[3], i, d, rest = rank, size;
  MPI_Datatype type;
  MPI_Aint lower, extent;
  for (d = ndims - 1; d >= 0; --d) {
    places[d] = rest % grid[d];
    rest /= grid[d];
    total *= sizes[d];
  }
  for (i = 0; i < total; ++i) array[i] = i;
  MPI_Type_create_darray(processes, rank, ndims, sizes, distribution, argument, grid, order, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Type_get_extent(type, &lower, &extent);
  CHECK_EQUAL(0, lower);
  CHECK_EQUAL(total * (int)sizeof(int), extent);
  MPI_Pack(array, 1, type, packed, (int)sizeof packed, &position, MPI_COMM_WORLD);
  for (i = 0; i < total; ++i) {
    int mine = 1, left = i, k;
    for (k = 0; k < ndims; ++k) {
      d = order == MPI_ORDER_C ? ndims - 1 - k : k;
      mine = mine && owns(left % sizes[d], sizes[d], distribution[d], argument[d], grid[d], places[d]);
      left /= sizes[d];
    }
    if (!mine) continue;
    CHECK_EQUAL(i, packed[count]);
    ++count;
  }
  CHECK_EQUAL(count * (int)sizeof(int), position);
  MPI_Type_size(type, &size);
  CHECK_EQUAL(position, size);
  MPI_Type_free(&type);
  return count;
}

static unsigned next_random(unsigned* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 16;
}

static void random_case(unsigned* state) {
  int sizes[3], distribution[3], argument[3], grid[3], processes = 1, total = 1, sum = 0, rank, d;
  const int ndims = 1 + (int)(next_random(state) % 3);
  const int order = next_random(state) % 2 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  for (d = 0; d < ndims; ++d) {
    sizes[d] = 1 + (int)(next_random(state) % 15);
    distribution[d] = distributions[next_random(state) % 3];
    grid[d] = distribution[d] == MPI_DISTRIBUTE_NONE ? 1 : 1 + (int)(next_random(state) % 4);
    argument[d] = MPI_DISTRIBUTE_DFLT_DARG;
    if (distribution[d] == MPI_DISTRIBUTE_CYCLIC && next_random(state) % 2)
      argument[d] = 1 + (int)(next_random(state) % 4);
    if (distribution[d] == MPI_DISTRIBUTE_BLOCK && next_random(state) % 2) {
      argument[d] = (sizes[d] + grid[d] - 1) / grid[d] + (int)(next_random(state) % 3);
    }
    processes *= grid[d];
    total *= sizes[d];
  }
  for (rank = 0; rank < processes; ++rank) {
    sum += compare(ndims, sizes, distribution, argument, grid, order, rank, processes);
  }
  CHECK_EQUAL(total, sum);
}

static void contents(void) {
  const int sizes[2] = {7, 9}, argument[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, grid[2] = {2, 3};
  const int distribution[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  const int expected[12] = {
      6, 4, 2, 7, 9, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG, 2, 2, 3, MPI_ORDER_C};
  int integers, addresses, types, combiner, values[12], i;
  MPI_Datatype type, old;
  MPI_Type_create_darray(6, 4, 2, sizes, distribution, argument, grid, MPI_ORDER_C, MPI_DOUBLE, &type);
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  CHECK_EQUAL(12, integers);
  CHECK_EQUAL(0, addresses);
  CHECK_EQUAL(1, types);
  CHECK_EQUAL(MPI_COMBINER_DARRAY, combiner);
  MPI_Type_get_contents(type, 12, 0, 1, values, NULL, &old);
  for (i = 0; i < 12; ++i) CHECK_EQUAL(expected[i], values[i]);
  CHECK(old == MPI_DOUBLE);
  MPI_Type_free(&type);
}

static void wrong_arguments(void) {
  const int sizes[1] = {8}, grid[1] = {2}, block[1] = {MPI_DISTRIBUTE_BLOCK}, none[1] = {MPI_DISTRIBUTE_NONE};
  const int by_default[1] = {MPI_DISTRIBUTE_DFLT_DARG}, short_block[1] = {3}, negative[1] = {-4};
  MPI_Datatype type;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(MPI_Type_create_darray(3, 0, 1, sizes, block, by_default, grid, MPI_ORDER_C, MPI_INT, &type) != MPI_SUCCESS);
  CHECK(MPI_Type_create_darray(2, 2, 1, sizes, block, by_default, grid, MPI_ORDER_C, MPI_INT, &type) != MPI_SUCCESS);
  CHECK(MPI_Type_create_darray(2, 0, 1, sizes, none, by_default, grid, MPI_ORDER_C, MPI_INT, &type) != MPI_SUCCESS);
  CHECK(MPI_Type_create_darray(2, 0, 1, sizes, block, short_block, grid, MPI_ORDER_C, MPI_INT, &type) != MPI_SUCCESS);
  CHECK(MPI_Type_create_darray(2, 0, 1, sizes, block, negative, grid, MPI_ORDER_C, MPI_INT, &type) != MPI_SUCCESS);
  CHECK_CLASS(MPI_ERR_TYPE,
              MPI_Type_create_darray(2, 0, 1, sizes, block, by_default, grid, MPI_ORDER_C, MPI_DATATYPE_NULL, &type));
}

int main(int argc, char** argv) {
  unsigned state = 12345;
  int size, i;
  MPI_Init(&argc, &argv);
  check_start(&size);
  for (i = 0; i < 300; ++i) random_case(&state);
  contents();
  wrong_arguments();
  MPI_Finalize();
  return 0;
}
