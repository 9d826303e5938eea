// Derived datatypes: MPI_Pack and MPI_Unpack beside loops written by hand for the same memory, and one-way messages of
// the type beside messages of as many contiguous bytes. Each sample is the mean over a block of about a millisecond;
// hand and library take turns, block by block. Context: app.
#include <stdlib.h>
#include <string.h>

#include "world.h"

// The memory of one case: `rows` rows of `row` doubles each, or a list of them. What the loops by hand are given at run
// time, as a library is.
struct shape {
  const char* name;
  MPI_Datatype type;
  size_t doubles;  // of data
  size_t extent;   // doubles of memory that it spans
  size_t outer, outer_stride, rows, stride, row;
  int* places;
  int* lengths;
};

typedef void mover(const struct shape* shape, double* memory, double* stream);

static void pack_loops(const struct shape* shape, double* memory, double* stream) {
  for (size_t i = 0; i < shape->outer; ++i) {
    for (size_t j = 0; j < shape->rows; ++j) {
      const double* from = memory + i * shape->outer_stride + j * shape->stride;
      for (size_t k = 0; k < shape->row; ++k) *stream++ = from[k];
    }
  }
}

static void unpack_loops(const struct shape* shape, double* memory, double* stream) {
  for (size_t i = 0; i < shape->outer; ++i) {
    for (size_t j = 0; j < shape->rows; ++j) {
      double* to = memory + i * shape->outer_stride + j * shape->stride;
      for (size_t k = 0; k < shape->row; ++k) to[k] = *stream++;
    }
  }
}

// The same for rows of one number, as anybody would write them.
static void pack_ones(const struct shape* shape, double* memory, double* stream) {
  const size_t rows = shape->rows, stride = shape->stride;
  for (size_t i = 0; i < rows; ++i) stream[i] = memory[i * stride];
}

static void unpack_ones(const struct shape* shape, double* memory, double* stream) {
  const size_t rows = shape->rows, stride = shape->stride;
  for (size_t i = 0; i < rows; ++i) memory[i * stride] = stream[i];
}

static void pack_places(const struct shape* shape, double* memory, double* stream) {
  const size_t rows = shape->rows;
  for (size_t i = 0; i < rows; ++i) stream[i] = memory[shape->places[i]];
}

static void unpack_places(const struct shape* shape, double* memory, double* stream) {
  const size_t rows = shape->rows;
  for (size_t i = 0; i < rows; ++i) memory[shape->places[i]] = stream[i];
}

static void pack_list(const struct shape* shape, double* memory, double* stream) {
  for (size_t i = 0; i < shape->rows; ++i) {
    const double* from = memory + shape->places[i];
    for (int k = 0; k < shape->lengths[i]; ++k) *stream++ = from[k];
  }
}

static void unpack_list(const struct shape* shape, double* memory, double* stream) {
  for (size_t i = 0; i < shape->rows; ++i) {
    double* to = memory + shape->places[i];
    for (int k = 0; k < shape->lengths[i]; ++k) to[k] = *stream++;
  }
}

static struct shape vector(const char* name, size_t doubles, size_t row, size_t stride) {
  struct shape shape = {.name = name, .outer = 1, .rows = doubles / row, .stride = stride, .row = row};
  shape.doubles = shape.rows * row;
  shape.extent = shape.rows * stride;
  MPI_Type_vector((int)shape.rows, (int)row, (int)stride, MPI_DOUBLE, &shape.type);
  return shape;
}

// Blocks at irregular places; `most` is the longest.
static struct shape indexed(const char* name, size_t doubles, int most) {
  struct shape shape = {.name = name};
  int* places = malloc((doubles + 1) * sizeof *places);
  int* lengths = malloc((doubles + 1) * sizeof *lengths);
  uint32_t state = 12345;
  int at = 0;
  while (shape.doubles < doubles) {
    state = state * 1664525u + 1013904223u;
    places[shape.rows] = at;
    lengths[shape.rows] = 1 + (int)((state >> 10) % (uint32_t)most);
    if ((size_t)lengths[shape.rows] > doubles - shape.doubles) lengths[shape.rows] = (int)(doubles - shape.doubles);
    shape.doubles += (size_t)lengths[shape.rows];
    at += lengths[shape.rows] + 1 + (int)((state >> 20) % 4u);
    ++shape.rows;
  }
  shape.row = (size_t)most;
  shape.extent = (size_t)at;
  shape.places = places;
  shape.lengths = lengths;
  MPI_Type_indexed((int)shape.rows, lengths, places, MPI_DOUBLE, &shape.type);
  return shape;
}

// The middle of a cube: half of it in each direction.
static struct shape subarray(size_t doubles) {
  int half = 1;
  while ((size_t)(half + 1) * (size_t)(half + 1) * (size_t)(half + 1) <= doubles) ++half;
  const size_t part = (size_t)half, side = 2 * part;
  const int sizes[3] = {2 * half, 2 * half, 2 * half}, parts[3] = {half, half, half}, starts[3] = {0, 0, 0};
  struct shape shape = {.name = "subarray", .outer = part, .outer_stride = side * side, .rows = part};
  shape.stride = side;
  shape.row = part;
  shape.doubles = part * part * part;
  shape.extent = side * side * side;
  MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &shape.type);
  return shape;
}

// A vector of vectors: of each of `outer` blocks, a few pairs of numbers.
static struct shape nested(size_t doubles) {
  struct shape shape = {.name = "nested", .rows = 8, .stride = 5, .row = 2, .outer_stride = 64};
  MPI_Datatype inner;
  shape.outer = doubles / (shape.rows * shape.row);
  shape.doubles = shape.outer * shape.rows * shape.row;
  shape.extent = shape.outer * shape.outer_stride;
  MPI_Type_vector((int)shape.rows, (int)shape.row, (int)shape.stride, MPI_DOUBLE, &inner);
  MPI_Type_create_hvector((int)shape.outer, 1, (MPI_Aint)(shape.outer_stride * sizeof(double)), inner, &shape.type);
  MPI_Type_free(&inner);
  return shape;
}

struct run {
  const struct shape* shape;
  double* memory;
  double* stream;
  double* check;
  int bytes;
};

static void by_hand(const struct run* run, int64_t count, mover* move) {
  for (int64_t i = 0; i < count; ++i) {
    move(run->shape, run->memory, run->stream);
    __asm__ volatile("" ::: "memory");  // or all but the last would be left out
  }
}

static void by_library(const struct run* run, int64_t count, bool packing) {
  for (int64_t i = 0; i < count; ++i) {
    int position = 0;
    if (packing)
      MPI_Pack(run->memory, 1, run->shape->type, run->stream, run->bytes, &position, MPI_COMM_WORLD);
    else
      MPI_Unpack(run->stream, run->bytes, &position, run->memory, 1, run->shape->type, MPI_COMM_WORLD);
  }
}

// Takes turns for so long; fills microseconds per call, and how many times as long the library takes.
static void compare(const struct run* run, mover* move, bool packing, double seconds, struct samples samples[3]) {
  by_hand(run, 2, move);
  by_library(run, 2, packing);
  int64_t start = now_ns();
  by_hand(run, 3, move);
  const int64_t count = 1000000 / ((now_ns() - start) / 3 + 1) + 1;
  const int64_t end = now_ns() + (int64_t)(seconds * 1e9);
  for (int i = 0; i < 3; ++i) samples_clear(&samples[i]);
  do {
    start = now_ns();
    by_hand(run, count, move);
    const int64_t middle = now_ns();
    by_library(run, count, packing);
    const int64_t last = now_ns();
    samples_add(&samples[0], (double)(middle - start) / 1000.0 / (double)count);
    samples_add(&samples[1], (double)(last - middle) / 1000.0 / (double)count);
    samples_add(&samples[2], (double)(last - middle) / (double)(middle - start));
  } while (now_ns() < end || samples[0].count < 5);
}

static void verify(const struct run* run, mover* pack) {
  pack(run->shape, run->memory, run->check);
  by_library(run, 1, true);
  if (memcmp(run->check, run->stream, (size_t)run->bytes) != 0) world_fail("packed bytes are wrong.");
}

static void trips(int rank, int64_t count, void* buffer, int many, MPI_Datatype type) {
  for (int64_t i = 0; i < count; ++i) {
    if (rank == 0) {
      MPI_Send(buffer, many, type, 1, 1, MPI_COMM_WORLD);
      MPI_Recv(buffer, many, type, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(buffer, many, type, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(buffer, many, type, 0, 1, MPI_COMM_WORLD);
    }
  }
}

// One-way times in microseconds, of the type and of contiguous bytes in turn.
static void messages(int rank, const struct run* run, double seconds, struct samples* typed, struct samples* plain) {
  trips(rank, 3, run->memory, 1, run->shape->type);
  int64_t start = now_ns();
  trips(rank, 3, run->memory, 1, run->shape->type);
  const int64_t trip = (now_ns() - start) / 3 + 1;
  const int64_t count = agree(1000000 / trip + 1);
  int64_t blocks = agree((int64_t)(seconds * 1e9 / (double)(2 * count * trip)));
  if (blocks < 5) blocks = 5;
  samples_clear(typed);
  samples_clear(plain);
  for (int64_t block = 0; block < blocks; ++block) {
    start = now_ns();
    trips(rank, count, run->memory, 1, run->shape->type);
    const int64_t middle = now_ns();
    trips(rank, count, run->stream, run->bytes, MPI_BYTE);
    samples_add(typed, (double)(middle - start) / 2000.0 / (double)count);
    samples_add(plain, (double)(now_ns() - middle) / 2000.0 / (double)count);
  }
}

static void measure(const struct world* world, struct json* json, struct shape* shape, double seconds) {
  struct run run = {.shape = shape, .bytes = (int)(shape->doubles * sizeof(double))};
  struct samples times[3] = {{0}}, typed = {0}, plain = {0};
  run.memory = message_buffer(shape->extent * sizeof(double));
  run.stream = message_buffer((uint64_t)run.bytes);
  run.check = message_buffer((uint64_t)run.bytes);
  for (size_t i = 0; i < shape->extent; ++i) run.memory[i] = (double)i;
  MPI_Type_commit(&shape->type);
  mover* pack = shape->places != NULL ? pack_list : pack_loops;
  mover* unpack = shape->places != NULL ? unpack_list : unpack_loops;
  if (shape->row == 1) {
    pack = shape->places != NULL ? pack_places : pack_ones;
    unpack = shape->places != NULL ? unpack_places : unpack_ones;
  }
  if (world->rank == 0) {
    char text[64];
    verify(&run, pack);
    snprintf(text, sizeof text, "%s, %d KB", shape->name, run.bytes / 1024);
    json_open(json, NULL, '{');
    json_text(json, "layout", text);
    json_integer(json, "size", run.bytes);
    compare(&run, pack, true, seconds, times);
    json_samples(json, "hand_pack_us", &times[0]);
    json_samples(json, "pack_us", &times[1]);
    json_samples(json, "pack_ratio", &times[2]);
    compare(&run, unpack, false, seconds, times);
    json_samples(json, "hand_unpack_us", &times[0]);
    json_samples(json, "unpack_us", &times[1]);
    json_samples(json, "unpack_ratio", &times[2]);
  }
  messages(world->rank, &run, seconds, &typed, &plain);
  if (world->rank == 0) {
    json_samples(json, "message_us", &typed);
    json_samples(json, "contiguous_us", &plain);
    json_close(json, '}');
  }
  for (int i = 0; i < 3; ++i) samples_free(&times[i]);
  samples_free(&typed);
  samples_free(&plain);
  MPI_Type_free(&shape->type);
  free(run.memory);
  free(run.stream);
  free(run.check);
}

int main(int argc, char** argv) {
  const char *sizes = "8K,256K,4M", *seconds = "0.1";
  struct argument table[] = {{"sizes", &sizes, "bytes of data"}, {"seconds", &seconds, "time spent on each measure"}};
  struct world world;
  int status;
  if (!world_start(&world, &argc, &argv, 2, "Derived datatypes beside loops written by hand.", table, 2, &status))
    return status;
  uint64_t list[64];
  const size_t count = list_of_sizes(sizes, list, 64);
  struct json json;
  if (world.rank == 0) world_document(&json, "datatypes", &world, table, 2);
  for (size_t at = 0; at < count && world.rank < 2; ++at) {
    const size_t doubles = list[at] / sizeof(double);
    struct shape shapes[] = {
        vector("vector of 1", doubles, 1, 2),
        vector("vector of 4", doubles, 4, 7),
        vector("vector of 100", doubles, 100, 128),
        indexed("indexed, blocks of 1", doubles, 1),
        indexed("indexed, blocks of 1 to 8", doubles, 8),
        subarray(doubles),
        nested(doubles),
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
      measure(&world, &json, &shapes[i], seconds_of(seconds));
      free(shapes[i].places);
      free(shapes[i].lengths);
    }
  }
  if (world.rank == 0) world_document_end(&json);
  return world_stop();
}
