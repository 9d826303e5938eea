// Every collective, blocking and non-blocking (MPI_I… and MPI_Wait at once): microseconds per call, by size.
// The size is what goes from one rank to another: a block of the gathers, scatters and alltoalls, the vector of bcast,
// reduce, allreduce and the scans. The reduce-scatters share a vector of that size, at least one element for each rank.
// The root moves on by one with each call, so that no rank runs far ahead of the others. A figure is the time of a
// block of calls, the mean of all ranks' times. What came is checked after each point, whole. Context: app.
#include <stdlib.h>
#include <string.h>

#include "world.h"

enum kind {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  kinds
};
static const char* const kind_names[kinds] = {
    "barrier",   "bcast",     "gather",     "gatherv",        "scatter",
    "scatterv",  "allgather", "allgatherv", "alltoall",       "alltoallv",
    "alltoallw", "reduce",    "allreduce",  "reduce_scatter", "reduce_scatter_block",
    "scan",      "exscan"};

enum { most_sizes = 16, blocks = 10, pattern = 4096 };

struct setting {
  const struct world* world;
  enum kind kind;
  bool starts;  // the non-blocking form
  int count;    // elements: a block, or a vector
  int root;
  double* out;
  double* in;
  int* counts;   // `count` for each rank
  int* places;   // where the block of each rank begins: in elements …
  int* offsets;  // … and in bytes
  MPI_Datatype* types;
};

static bool has_root(enum kind kind) { return kind == reduce || (kind >= bcast && kind <= scatterv); }
static bool reduces(enum kind kind) { return kind >= reduce; }
static bool has_blocks(enum kind kind) {
  return kind == gather || kind == gatherv || (kind >= allgather && kind <= alltoallw);
}
static bool shares_vector(enum kind kind) { return kind == reduce_scatter || kind == reduce_scatter_block; }
static double* bcast_buffer(const struct setting* it) { return it->world->rank == it->root ? it->out : it->in; }

static void move_data(const struct setting* it) {
  const MPI_Datatype type = MPI_DOUBLE;
  const MPI_Comm comm = MPI_COMM_WORLD;
  switch (it->kind) {
    case bcast:
      MPI_Bcast(bcast_buffer(it), it->count, type, it->root, comm);
      break;
    case gather:
      MPI_Gather(it->out, it->count, type, it->in, it->count, type, it->root, comm);
      break;
    case gatherv:
      MPI_Gatherv(it->out, it->count, type, it->in, it->counts, it->places, type, it->root, comm);
      break;
    case scatter:
      MPI_Scatter(it->out, it->count, type, it->in, it->count, type, it->root, comm);
      break;
    case scatterv:
      MPI_Scatterv(it->out, it->counts, it->places, type, it->in, it->count, type, it->root, comm);
      break;
    case allgather:
      MPI_Allgather(it->out, it->count, type, it->in, it->count, type, comm);
      break;
    case allgatherv:
      MPI_Allgatherv(it->out, it->count, type, it->in, it->counts, it->places, type, comm);
      break;
    case alltoall:
      MPI_Alltoall(it->out, it->count, type, it->in, it->count, type, comm);
      break;
    case alltoallv:
      MPI_Alltoallv(it->out, it->counts, it->places, type, it->in, it->counts, it->places, type, comm);
      break;
    case alltoallw:
      MPI_Alltoallw(it->out, it->counts, it->offsets, it->types, it->in, it->counts, it->offsets, it->types, comm);
      break;
    default:
      MPI_Barrier(comm);
  }
}

static void start_moving(const struct setting* it, MPI_Request* request) {
  const MPI_Datatype type = MPI_DOUBLE;
  const MPI_Comm comm = MPI_COMM_WORLD;
  switch (it->kind) {
    case bcast:
      MPI_Ibcast(bcast_buffer(it), it->count, type, it->root, comm, request);
      break;
    case gather:
      MPI_Igather(it->out, it->count, type, it->in, it->count, type, it->root, comm, request);
      break;
    case gatherv:
      MPI_Igatherv(it->out, it->count, type, it->in, it->counts, it->places, type, it->root, comm, request);
      break;
    case scatter:
      MPI_Iscatter(it->out, it->count, type, it->in, it->count, type, it->root, comm, request);
      break;
    case scatterv:
      MPI_Iscatterv(it->out, it->counts, it->places, type, it->in, it->count, type, it->root, comm, request);
      break;
    case allgather:
      MPI_Iallgather(it->out, it->count, type, it->in, it->count, type, comm, request);
      break;
    case allgatherv:
      MPI_Iallgatherv(it->out, it->count, type, it->in, it->counts, it->places, type, comm, request);
      break;
    case alltoall:
      MPI_Ialltoall(it->out, it->count, type, it->in, it->count, type, comm, request);
      break;
    case alltoallv:
      MPI_Ialltoallv(it->out, it->counts, it->places, type, it->in, it->counts, it->places, type, comm, request);
      break;
    case alltoallw:
      MPI_Ialltoallw(it->out, it->counts, it->offsets, it->types, it->in, it->counts, it->offsets, it->types, comm,
                     request);
      break;
    default:
      MPI_Ibarrier(comm, request);
  }
}

static void combine(const struct setting* it) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  switch (it->kind) {
    case reduce:
      MPI_Reduce(it->out, it->in, it->count, MPI_DOUBLE, MPI_SUM, it->root, comm);
      break;
    case allreduce:
      MPI_Allreduce(it->out, it->in, it->count, MPI_DOUBLE, MPI_SUM, comm);
      break;
    case reduce_scatter:
      MPI_Reduce_scatter(it->out, it->in, it->counts, MPI_DOUBLE, MPI_SUM, comm);
      break;
    case reduce_scatter_block:
      MPI_Reduce_scatter_block(it->out, it->in, it->count, MPI_DOUBLE, MPI_SUM, comm);
      break;
    case scan:
      MPI_Scan(it->out, it->in, it->count, MPI_DOUBLE, MPI_SUM, comm);
      break;
    default:
      MPI_Exscan(it->out, it->in, it->count, MPI_DOUBLE, MPI_SUM, comm);
  }
}

static void start_combining(const struct setting* it, MPI_Request* request) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  switch (it->kind) {
    case reduce:
      MPI_Ireduce(it->out, it->in, it->count, MPI_DOUBLE, MPI_SUM, it->root, comm, request);
      break;
    case allreduce:
      MPI_Iallreduce(it->out, it->in, it->count, MPI_DOUBLE, MPI_SUM, comm, request);
      break;
    case reduce_scatter:
      MPI_Ireduce_scatter(it->out, it->in, it->counts, MPI_DOUBLE, MPI_SUM, comm, request);
      break;
    case reduce_scatter_block:
      MPI_Ireduce_scatter_block(it->out, it->in, it->count, MPI_DOUBLE, MPI_SUM, comm, request);
      break;
    case scan:
      MPI_Iscan(it->out, it->in, it->count, MPI_DOUBLE, MPI_SUM, comm, request);
      break;
    default:
      MPI_Iexscan(it->out, it->in, it->count, MPI_DOUBLE, MPI_SUM, comm, request);
  }
}

// The root of the last call stays in `it->root`.
static void calls(struct setting* it, int64_t count) {
  MPI_Request request;
  for (int64_t call = 0; call < count; ++call) {
    if (has_root(it->kind)) it->root = (it->root + 1) % it->world->size;
    if (!it->starts) {
      reduces(it->kind) ? combine(it) : move_data(it);
      continue;
    }
    reduces(it->kind) ? start_combining(it, &request) : start_moving(it, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

// Every rank sends the pattern plus its own number, so that blocks and sums are known.
static double sent(int rank, int64_t place) { return (double)(rank + place % pattern); }

static double expected(const struct setting* it, int block, int64_t at) {
  const int rank = it->world->rank, size = it->world->size;
  const double all = (double)size * (size - 1) / 2;
  switch (it->kind) {
    case bcast:
      return sent(it->root, at);
    case scatter:
    case scatterv:
      return sent(it->root, (int64_t)rank * it->count + at);
    case gather:
    case gatherv:
    case allgather:
    case allgatherv:
      return sent(block, at);
    case alltoall:
    case alltoallv:
    case alltoallw:
      return sent(block, (int64_t)rank * it->count + at);
    case scan:
      return (double)rank * (rank + 1) / 2 + (rank + 1) * sent(0, at);
    case exscan:
      return (double)rank * (rank - 1) / 2 + rank * sent(0, at);
    default:
      return all + size * sent(0, shares_vector(it->kind) ? (int64_t)rank * it->count + at : at);
  }
}

static bool result_right(const struct setting* it) {
  const int rank = it->world->rank;
  if (it->kind == barrier || (it->kind == exscan && rank == 0)) return true;
  if (it->kind == bcast && rank == it->root) return true;
  if ((it->kind == gather || it->kind == gatherv || it->kind == reduce) && rank != it->root) return true;
  for (int block = 0; block < (has_blocks(it->kind) ? it->world->size : 1); ++block)
    for (int64_t at = 0; at < it->count; ++at)
      if (it->in[(int64_t)block * it->count + at] != expected(it, block, at)) return false;
  return true;
}

static void prepare(struct setting* it, enum kind kind, bool starts, uint64_t bytes) {
  const int size = it->world->size;
  int count = (int)(bytes / sizeof(double));
  if (shares_vector(kind)) count /= size;
  it->kind = kind;
  it->starts = starts;
  it->count = count > 0 ? count : 1;
  for (int rank = 0; rank < size; ++rank) {
    it->counts[rank] = it->count;
    it->places[rank] = rank * it->count;
    it->offsets[rank] = it->places[rank] * (int)sizeof(double);
  }
}

// Microseconds per call: one sample for each block of calls, the mean of all ranks. False on rank 0: some rank got a
// wrong result.
static bool measure(struct setting* it, double seconds, struct samples* microseconds) {
  memset(it->in, 0, (size_t)it->count * (size_t)(has_blocks(it->kind) ? it->world->size : 1) * sizeof(double));
  calls(it, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  int64_t start = now_ns();
  calls(it, 2);
  double call_ns = (double)(now_ns() - start) / 2 + 1;
  int64_t length = agree((int64_t)(seconds * 1e9 / blocks / call_ns));
  // Where calls are slow: blocks of one call, and fewer of them, but at least two.
  int64_t many = length > 0 ? blocks : agree((int64_t)(seconds * 1e9 / call_ns));
  if (length < 1) length = 1;
  if (many < 2) many = 2;
  double mine[blocks] = {0}, sums[blocks];
  MPI_Barrier(MPI_COMM_WORLD);
  for (int64_t block = 0; block < many; ++block) {
    start = now_ns();
    calls(it, length);
    mine[block] = (double)(now_ns() - start) / (double)length / 1000.0;
  }
  int right = result_right(it), all_right = 0;
  MPI_Reduce(mine, sums, blocks, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&right, &all_right, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
  samples_clear(microseconds);
  for (int64_t block = 0; block < many; ++block) samples_add(microseconds, sums[block] / it->world->size);
  return all_right != 0;
}

static bool is_chosen(const char* list, const char* name) {
  const size_t length = strlen(name);
  for (const char* at = list; at != NULL; at = strchr(at, ',')) {
    if (*at == ',') ++at;
    if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
  }
  return strcmp(list, "all") == 0;
}

static void points(struct setting* it, const char* const* arguments, struct json* json) {
  uint64_t sizes[most_sizes];
  const size_t count = list_of_sizes(arguments[0], sizes, most_sizes);
  struct samples microseconds = {0};
  for (int form = 0; form < 2; ++form) {
    for (enum kind kind = 0; kind < kinds; ++kind) {
      if (!is_chosen(arguments[1], kind_names[kind])) continue;
      for (size_t at = 0; at < (kind == barrier ? 1 : count); ++at) {
        prepare(it, kind, form == 1, sizes[at]);
        const bool right = measure(it, seconds_of(arguments[2]), &microseconds);
        if (it->world->rank != 0) continue;
        json_open(json, NULL, '{');
        json_text(json, "operation", kind_names[kind]);
        json_text(json, "form", form == 1 ? "non-blocking" : "blocking");
        json_integer(json, "size", kind == barrier ? 0 : (int64_t)sizes[at]);
        // A wrong result has no figure; the other points still have theirs.
        right ? json_samples(json, "call_us", &microseconds) : json_flag(json, "wrong", true);
        json_close(json, '}');
      }
    }
  }
  samples_free(&microseconds);
}

int main(int argc, char** argv) {
  const char* given[] = {"8,1K,64K,1M", "all", "0.1"};
  struct argument table[] = {{"sizes", &given[0], "bytes: multiples of 8"},
                             {"operations", &given[1], "names with commas, such as bcast,alltoallw; or all"},
                             {"seconds", &given[2], "time spent on each point"}};
  struct world world;
  int status;
  if (!world_start(&world, &argc, &argv, 1, "Every collective, blocking and non-blocking.", table, 3, &status))
    return status;
  uint64_t sizes[most_sizes], longest = sizeof(double);
  const size_t count = list_of_sizes(given[0], sizes, most_sizes);
  for (size_t at = 0; at < count; ++at) longest = sizes[at] > longest ? sizes[at] : longest;
  const uint64_t room = longest * (uint64_t)world.size;
  if (room > (uint64_t)1 << 30) world_fail("the sizes need more than 1 GB in each rank; give smaller ones.");
  const size_t ranks = (size_t)world.size;
  struct setting it = {.world = &world, .out = message_buffer(room), .in = message_buffer(room)};
  int* numbers = calloc(3 * ranks, sizeof(int));
  it.types = calloc(ranks, sizeof(MPI_Datatype));
  if (numbers == NULL || it.types == NULL) world_fail("there is no memory for the counts of each rank.");
  it.counts = numbers;
  it.places = numbers + ranks;
  it.offsets = numbers + 2 * ranks;
  for (size_t rank = 0; rank < ranks; ++rank) it.types[rank] = MPI_DOUBLE;
  for (uint64_t at = 0; at < room / sizeof(double); ++at) it.out[at] = sent(world.rank, (int64_t)at);
  struct json json;
  if (world.rank == 0) world_document(&json, "collectives", &world, table, 3);
  points(&it, given, &json);
  if (world.rank == 0) world_document_end(&json);
  message_buffer_free(it.out);
  message_buffer_free(it.in);
  free(numbers);
  free(it.types);
  return world_stop();
}
