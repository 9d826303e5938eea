/* MPI_Pack_external: the bytes of "external32", and the way back. */
#include <stdint.h>

#include "p2p_check.h"

static void known_bytes(void) {
  const struct {
    MPI_Datatype type;
    unsigned char bytes[16];
    int count;
  } cases[] = {
      {MPI_INT32_T, {0x12, 0x34, 0x56, 0x78}, 4},
      {MPI_DOUBLE, {0xc0, 0x08, 0, 0, 0, 0, 0, 0}, 8},
      {MPI_LONG, {0xff, 0xff, 0xff, 0xfe}, 4},
      {MPI_LONG_DOUBLE, {0x3f, 0xff, 0x80}, 16},
  };
  const int32_t integer = 0x12345678;
  const double real = -3.0;
  const long minus_two = -2;
  const long double extended = 1.5L;
  const void* values[4];
  size_t i;
  int j;
  values[0] = &integer;
  values[1] = &real;
  values[2] = &minus_two;
  values[3] = &extended;
  for (i = 0; i < 4; ++i) {
    unsigned char packed[16], back[16];
    MPI_Aint position = 0, size;
    int native;
    MPI_Pack_external_size("external32", 1, cases[i].type, &size);
    CHECK_EQUAL(cases[i].count, size);
    MPI_Pack_external("external32", values[i], 1, cases[i].type, packed, sizeof packed, &position);
    CHECK_EQUAL(cases[i].count, position);
    for (j = 0; j < cases[i].count; ++j) CHECK_EQUAL(cases[i].bytes[j], packed[j]);
    position = 0;
    memset(back, 0, sizeof back);
    MPI_Unpack_external("external32", packed, cases[i].count, &position, back, 1, cases[i].type);
    CHECK_EQUAL(cases[i].count, position);
    MPI_Type_size(cases[i].type, &native);
    CHECK(memcmp(back, values[i], cases[i].type == MPI_LONG_DOUBLE ? 10 : (size_t)native) == 0);
  }
}

struct mixed {
  char letter;
  double number;
  short pair[2];
};

/* A derived type with holes, more than is converted in one go. */
static void derived(void) {
  enum { count = 20000 };
  const int lengths[3] = {1, 1, 2};
  const MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT};
  struct mixed* items = calloc(count, sizeof *items);
  struct mixed* copies = calloc(count, sizeof *copies);
  MPI_Aint places[3], base, position = 0, size;
  MPI_Datatype packed_type, type;
  unsigned char* packed;
  int i;
  MPI_Get_address(&items[0], &base);
  MPI_Get_address(&items[0].letter, &places[0]);
  MPI_Get_address(&items[0].number, &places[1]);
  MPI_Get_address(&items[0].pair, &places[2]);
  for (i = 0; i < 3; ++i) places[i] = MPI_Aint_diff(places[i], base);
  MPI_Type_create_struct(3, lengths, places, types, &packed_type);
  MPI_Type_create_resized(packed_type, 0, sizeof(struct mixed), &type);
  MPI_Type_commit(&type);
  MPI_Pack_external_size("external32", count, type, &size);
  CHECK_EQUAL(count * 13, size);
  packed = malloc((size_t)size);
  for (i = 0; i < count; ++i) {
    items[i].letter = (char)i;
    items[i].number = i * 0.25;
    items[i].pair[0] = (short)i;
    items[i].pair[1] = (short)-i;
  }
  MPI_Pack_external("external32", items, count, type, packed, size, &position);
  CHECK_EQUAL(size, position);
  position = 0;
  MPI_Unpack_external("external32", packed, size, &position, copies, count, type);
  for (i = 0; i < count; ++i) {
    CHECK_EQUAL(items[i].letter, copies[i].letter);
    CHECK(items[i].number == copies[i].number);
    CHECK_EQUAL(items[i].pair[1], copies[i].pair[1]);
  }
  free(packed);
  free(items);
  free(copies);
  MPI_Type_free(&packed_type);
  MPI_Type_free(&type);
}

static void large_counts(void) {
  const uint16_t values[3] = {1, 2, 0x0304};
  unsigned char packed[6];
  MPI_Count position = 0, size;
  MPI_Pack_external_size_c("external32", 3, MPI_UINT16_T, &size);
  CHECK_EQUAL(6, size);
  MPI_Pack_external_c("external32", values, 3, MPI_UINT16_T, packed, 6, &position);
  CHECK_EQUAL(3, packed[4]);
  CHECK_EQUAL(4, packed[5]);
}

static void wrong_arguments(void) {
  int value = 1;
  char packed[4];
  MPI_Aint position = 2;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(MPI_Pack_external("external32", &value, 1, MPI_INT, packed, 4, &position) != MPI_SUCCESS);
  CHECK_EQUAL(2, position);
  position = 0;
  CHECK_CLASS(MPI_ERR_COUNT, MPI_Pack_external("external32", &value, -1, MPI_INT, packed, 4, &position));
  CHECK_CLASS(MPI_ERR_TYPE, MPI_Pack_external("external32", &value, 1, MPI_DATATYPE_NULL, packed, 4, &position));
}

int main(int argc, char** argv) {
  int size;
  MPI_Init(&argc, &argv);
  check_start(&size);
  known_bytes();
  derived();
  large_counts();
  wrong_arguments();
  MPI_Finalize();
  return 0;
}
