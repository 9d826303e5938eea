// The 17 collectives: see nbc_calls.h. All numbers are whole and small, so that sums are exact in any order. Context:
// app.
#include "nbc_calls.h"

#include <stdlib.h>
#include <string.h>

enum { root = 0, period = 1009, step = 1000 };
static const double untouched = -1;

// ---- The calls, blocking and not, with the same arguments -----------------------------------------------------------

#define FORMS(name, later, ...)                                              \
  static void start_##name(const struct exchange* e, MPI_Request* request) { \
    (void)e;                                                                 \
    MPI_##later(__VA_ARGS__, MPI_COMM_WORLD, request);                       \
  }                                                                          \
  static void call_##name(const struct exchange* e) {                        \
    (void)e;                                                                 \
    MPI_##name(__VA_ARGS__, MPI_COMM_WORLD);                                 \
  }

static void start_Barrier(const struct exchange* e, MPI_Request* request) {
  (void)e;
  MPI_Ibarrier(MPI_COMM_WORLD, request);
}
static void call_Barrier(const struct exchange* e) {
  (void)e;
  MPI_Barrier(MPI_COMM_WORLD);
}

FORMS(Bcast, Ibcast, e->out, e->count, MPI_DOUBLE, root)
FORMS(Gather, Igather, e->in, e->count, MPI_DOUBLE, e->out, e->count, MPI_DOUBLE, root)
FORMS(Gatherv, Igatherv, e->in, e->counts[e->world->rank], MPI_DOUBLE, e->out, e->counts, e->places, MPI_DOUBLE, root)
FORMS(Scatter, Iscatter, e->in, e->count, MPI_DOUBLE, e->out, e->count, MPI_DOUBLE, root)
FORMS(Scatterv, Iscatterv, e->in, e->counts, e->places, MPI_DOUBLE, e->out, e->counts[e->world->rank], MPI_DOUBLE, root)
FORMS(Allgather, Iallgather, e->in, e->count, MPI_DOUBLE, e->out, e->count, MPI_DOUBLE)
FORMS(Allgatherv, Iallgatherv, e->in, e->counts[e->world->rank], MPI_DOUBLE, e->out, e->counts, e->places, MPI_DOUBLE)
FORMS(Alltoall, Ialltoall, e->in, e->count, MPI_DOUBLE, e->out, e->count, MPI_DOUBLE)
FORMS(Alltoallv, Ialltoallv, e->in, e->counts_across, e->places, MPI_DOUBLE, e->out, e->counts_across, e->places,
      MPI_DOUBLE)
FORMS(Alltoallw, Ialltoallw, e->in, e->counts_across, e->places_in_bytes, e->types, e->out, e->counts_across,
      e->places_in_bytes, e->types)
FORMS(Reduce, Ireduce, e->in, e->out, e->count, MPI_DOUBLE, MPI_SUM, root)
FORMS(Allreduce, Iallreduce, e->in, e->out, e->count, MPI_DOUBLE, MPI_SUM)
FORMS(Reduce_scatter_block, Ireduce_scatter_block, e->in, e->out, e->count / e->world->size, MPI_DOUBLE, MPI_SUM)
FORMS(Reduce_scatter, Ireduce_scatter, e->in, e->out, e->pieces, MPI_DOUBLE, MPI_SUM)
FORMS(Scan, Iscan, e->in, e->out, e->count, MPI_DOUBLE, MPI_SUM)
FORMS(Exscan, Iexscan, e->in, e->out, e->count, MPI_DOUBLE, MPI_SUM)

// ---- What they must give: how much of each block of the result is theirs, and what is in it -------------------------

static double element(int rank, int64_t index) { return (double)(index % period) + (double)step * rank; }

// Of the ranks below `ranks`.
static double sum_below(int ranks, int64_t index) {
  return (double)ranks * (double)(index % period) + (double)step * ranks * (ranks - 1) / 2;
}

static bool nothing(const struct exchange* e, int block, int* count) { return (void)e, (void)block, *count = 0, false; }
static bool first_block(const struct exchange* e, int block, int* count) { return *count = e->count, block == 0; }
static bool first_at_root(const struct exchange* e, int block, int* count) {
  return *count = e->count, block == 0 && e->world->rank == root;
}
static bool first_but_at_0(const struct exchange* e, int block, int* count) {
  return *count = e->count, block == 0 && e->world->rank != 0;
}
static bool all_blocks(const struct exchange* e, int block, int* count) { return (void)block, *count = e->count, true; }
static bool all_at_root(const struct exchange* e, int block, int* count) {
  return (void)block, *count = e->count, e->world->rank == root;
}
static bool all_counted(const struct exchange* e, int block, int* count) { return *count = e->counts[block], true; }
static bool all_counted_at_root(const struct exchange* e, int block, int* count) {
  return *count = e->counts[block], e->world->rank == root;
}
static bool first_counted(const struct exchange* e, int block, int* count) {
  return *count = e->counts[e->world->rank], block == 0;
}
static bool all_across(const struct exchange* e, int block, int* count) {
  return *count = e->counts_across[block], true;
}
static bool own_part(const struct exchange* e, int block, int* count) {
  return *count = e->count / e->world->size, block == 0;
}
static bool own_piece(const struct exchange* e, int block, int* count) {
  return *count = e->pieces[e->world->rank], block == 0;
}

static double of_root(const struct exchange* e, int block, int index) {
  return (void)e, (void)block, element(root, index);
}
static double of_block(const struct exchange* e, int block, int index) { return (void)e, element(block, index); }
static double of_root_for_me(const struct exchange* e, int block, int index) {
  return (void)block, element(root, (int64_t)e->world->rank * e->count + index);
}
static double of_block_for_me(const struct exchange* e, int block, int index) {
  return element(block, (int64_t)e->world->rank * e->count + index);
}
static double sum(const struct exchange* e, int block, int index) {
  return (void)block, sum_below(e->world->size, index);
}
static double sum_of_part(const struct exchange* e, int block, int index) {
  return (void)block, sum_below(e->world->size, (int64_t)e->world->rank * (e->count / e->world->size) + index);
}
static double sum_of_piece(const struct exchange* e, int block, int index) {
  int64_t place = index;
  for (int rank = 0; rank < e->world->rank; ++rank) place += e->pieces[rank];
  return (void)block, sum_below(e->world->size, place);
}
static double sum_to_me(const struct exchange* e, int block, int index) {
  return (void)block, sum_below(e->world->rank + 1, index);
}
static double sum_before_me(const struct exchange* e, int block, int index) {
  return (void)block, sum_below(e->world->rank, index);
}

const struct collective all_collectives[] = {
    {"barrier", start_Barrier, call_Barrier, nothing, of_root},
    {"bcast", start_Bcast, call_Bcast, first_block, of_root},
    {"gather", start_Gather, call_Gather, all_at_root, of_block},
    {"gatherv", start_Gatherv, call_Gatherv, all_counted_at_root, of_block},
    {"scatter", start_Scatter, call_Scatter, first_block, of_root_for_me},
    {"scatterv", start_Scatterv, call_Scatterv, first_counted, of_root_for_me},
    {"allgather", start_Allgather, call_Allgather, all_blocks, of_block},
    {"allgatherv", start_Allgatherv, call_Allgatherv, all_counted, of_block},
    {"alltoall", start_Alltoall, call_Alltoall, all_blocks, of_block_for_me},
    {"alltoallv", start_Alltoallv, call_Alltoallv, all_across, of_block_for_me},
    {"alltoallw", start_Alltoallw, call_Alltoallw, all_across, of_block_for_me},
    {"reduce", start_Reduce, call_Reduce, first_at_root, sum},
    {"allreduce", start_Allreduce, call_Allreduce, first_block, sum},
    {"reduce_scatter_block", start_Reduce_scatter_block, call_Reduce_scatter_block, own_part, sum_of_part},
    {"reduce_scatter", start_Reduce_scatter, call_Reduce_scatter, own_piece, sum_of_piece},
    {"scan", start_Scan, call_Scan, first_block, sum_to_me},
    {"exscan", start_Exscan, call_Exscan, first_but_at_0, sum_before_me},
};
const int all_collectives_count = sizeof all_collectives / sizeof *all_collectives;

// ---- Buffers ------------------------------------------------------------------------------------------------------

static size_t room(const struct exchange* exchange) { return (size_t)exchange->count * (size_t)exchange->world->size; }

static int shorter(int count, int number) { return number % 2 == 0 ? count : count - count / 8; }

static int* numbers(int count) {
  int* list = calloc((size_t)count, sizeof *list);
  if (list == NULL) world_fail("there is no memory for the lists of blocks.");
  return list;
}

void exchange_make(struct exchange* exchange, const struct world* world, int count) {
  *exchange = (struct exchange){.world = world, .count = count};
  size_t elements = room(exchange);
  exchange->in = message_buffer(elements * sizeof(double));
  exchange->out = message_buffer(elements * sizeof(double));
  exchange->reference = message_buffer(elements * sizeof(double));
  for (size_t at = 0; at < elements; ++at) exchange->in[at] = element(world->rank, (int64_t)at);
  exchange->counts = numbers(world->size);
  exchange->counts_across = numbers(world->size);
  exchange->places = numbers(world->size);
  exchange->places_in_bytes = numbers(world->size);
  exchange->pieces = numbers(world->size);
  exchange->types = calloc((size_t)world->size, sizeof *exchange->types);
  if (exchange->types == NULL) world_fail("there is no memory for the lists of blocks.");
  for (int rank = 0; rank < world->size; ++rank) {
    exchange->counts[rank] = shorter(count, rank);
    exchange->counts_across[rank] = shorter(count, rank + world->rank);
    exchange->places[rank] = rank * count;
    exchange->places_in_bytes[rank] = rank * count * (int)sizeof(double);
    exchange->pieces[rank] = shorter(count / world->size, rank);
    exchange->types[rank] = MPI_DOUBLE;
  }
}

void exchange_free(struct exchange* exchange) {
  message_buffer_free(exchange->in);
  message_buffer_free(exchange->out);
  message_buffer_free(exchange->reference);
  free(exchange->counts);
  free(exchange->counts_across);
  free(exchange->places);
  free(exchange->places_in_bytes);
  free(exchange->pieces);
  free(exchange->types);
}

void exchange_clear(const struct exchange* exchange, const struct collective* collective) {
  size_t elements = room(exchange);
  for (size_t at = 0; at < elements; ++at) exchange->out[at] = untouched;
  if (collective->start == start_Bcast && exchange->world->rank == root)
    memcpy(exchange->out, exchange->in, (size_t)exchange->count * sizeof(double));
}

static void fail(const struct collective* collective, const char* what) {
  char sentence[128];
  snprintf(sentence, sizeof sentence, "%s gave a wrong result (%s).", collective->name, what);
  world_fail(sentence);
}

void exchange_refer(const struct exchange* exchange, const struct collective* collective) {
  exchange_clear(exchange, collective);
  collective->call(exchange);
  for (int block = 0; block < exchange->world->size; ++block) {
    const double* got = exchange->out + (size_t)block * (size_t)exchange->count;
    int theirs = 0;
    if (!collective->defined(exchange, block, &theirs)) theirs = 0;
    for (int at = 0; at < exchange->count; ++at) {
      double wanted = at < theirs ? collective->expected(exchange, block, at) : untouched;
      if (got[at] != wanted) fail(collective, "blocking, beside what must come");
    }
  }
  memcpy(exchange->reference, exchange->out, room(exchange) * sizeof(double));
}

void exchange_check(const struct exchange* exchange, const struct collective* collective) {
  if (memcmp(exchange->out, exchange->reference, room(exchange) * sizeof(double)) != 0)
    fail(collective, "non-blocking, beside the blocking one");
}
