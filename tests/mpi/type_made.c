/* Types made by each constructor, packed and unpacked: where their elements are is worked out by hand. And what is
   asked of types: sizes, extents, what they were made of. */
#include "p2p_check.h"

static int memory[64];

/* The elements of a type, packed, are those of the list; unpacked elsewhere they lie at the same places. */
static void check_places(MPI_Datatype type, const int* places, int count) {
  int packed[64], position = 0, size, i, back[64];
  MPI_Type_commit(&type);
  for (i = 0; i < 64; ++i) memory[i] = 100 + i;
  MPI_Pack_size(1, type, MPI_COMM_SELF, &size);
  CHECK(size >= count * (int)sizeof(int));
  MPI_Pack(memory, 1, type, packed, sizeof packed, &position, MPI_COMM_SELF);
  for (i = 0; i < count; ++i) CHECK_EQUAL(100 + places[i], packed[i]);
  memset(back, 0, sizeof back);
  position = 0;
  MPI_Unpack(packed, sizeof packed, &position, back, 1, type, MPI_COMM_SELF);
  for (i = 0; i < count; ++i) CHECK_EQUAL(100 + places[i], back[places[i]]);
  MPI_Type_size(type, &size);
  CHECK_EQUAL(count * (int)sizeof(int), size);
  MPI_Type_free(&type);
}

static void constructors(void) {
  const int lengths[2] = {2, 1}, displacements[2] = {5, 1};
  const MPI_Aint bytes[2] = {5 * sizeof(int), sizeof(int)};
  const int sizes[2] = {4, 5}, parts[2] = {2, 2}, starts[2] = {1, 3};
  const int grid[1] = {1}, how[1] = {MPI_DISTRIBUTE_BLOCK}, how_much[1] = {MPI_DISTRIBUTE_DFLT_DARG}, length[1] = {3};
  const MPI_Datatype ints[2] = {MPI_INT, MPI_INT};
  MPI_Datatype type;
  MPI_Type_contiguous(3, MPI_INT, &type);
  check_places(type, (int[]){0, 1, 2}, 3);
  MPI_Type_vector(2, 2, 4, MPI_INT, &type);
  check_places(type, (int[]){0, 1, 4, 5}, 4);
  MPI_Type_create_hvector(2, 1, 3 * sizeof(int), MPI_INT, &type);
  check_places(type, (int[]){0, 3}, 2);
  MPI_Type_indexed(2, lengths, displacements, MPI_INT, &type);
  check_places(type, (int[]){5, 6, 1}, 3);
  MPI_Type_create_hindexed(2, lengths, bytes, MPI_INT, &type);
  check_places(type, (int[]){5, 6, 1}, 3);
  MPI_Type_create_indexed_block(2, 2, displacements, MPI_INT, &type);
  check_places(type, (int[]){5, 6, 1, 2}, 4);
  MPI_Type_create_hindexed_block(2, 2, bytes, MPI_INT, &type);
  check_places(type, (int[]){5, 6, 1, 2}, 4);
  MPI_Type_create_struct(2, lengths, bytes, ints, &type);
  check_places(type, (int[]){5, 6, 1}, 3);
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type);
  check_places(type, (int[]){8, 9, 13, 14}, 4);
  MPI_Type_create_darray(1, 0, 1, length, how, how_much, grid, MPI_ORDER_C, MPI_INT, &type);
  check_places(type, (int[]){0, 1, 2}, 3);
  MPI_Type_create_resized(MPI_INT, 0, 8, &type);
  check_places(type, (int[]){0}, 1);
}

static void questions(void) {
  MPI_Datatype type, pair;
  MPI_Aint lb, extent;
  MPI_Count large_lb, large_extent, large_size, integers, addresses, counts, types, numbers[3];
  int combiner, none;
  MPI_Type_create_hvector(2, 1, 3 * sizeof(int), MPI_INT, &type);
  MPI_Type_get_true_extent(type, &lb, &extent);
  CHECK_EQUAL(0, lb);
  CHECK_EQUAL(4 * (int)sizeof(int), extent);
  MPI_Type_get_extent_x(type, &large_lb, &large_extent);
  CHECK_EQUAL(4 * (int)sizeof(int), large_extent);
  MPI_Type_get_true_extent_x(type, &large_lb, &large_extent);
  CHECK_EQUAL(4 * (int)sizeof(int), large_extent);
  MPI_Type_size_x(type, &large_size);
  CHECK_EQUAL(2 * (int)sizeof(int), large_size);
  MPI_Type_free(&type);
  MPI_Type_contiguous_c(3, MPI_INT, &type);
  MPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner);
  CHECK_EQUAL(MPI_COMBINER_CONTIGUOUS, combiner);
  CHECK_EQUAL(1, types);
  CHECK_EQUAL(1, integers + counts);
  MPI_Type_get_contents_c(type, integers, addresses, counts, types, &none, NULL, numbers, &pair);
  CHECK(pair == MPI_INT);
  CHECK_EQUAL(3, counts == 1 ? numbers[0] : none);
  MPI_Type_free(&type);
  MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type);
  MPI_Type_size(type, &none);
  CHECK_EQUAL(8, none);
  MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair);
  CHECK(pair == MPI_DOUBLE_INT);
}

int main(int argc, char** argv) {
  int size;
  MPI_Init(&argc, &argv);
  check_start(&size);
  constructors();
  questions();
  MPI_Finalize();
  return 0;
}
