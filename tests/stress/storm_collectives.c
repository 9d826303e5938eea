// Collectives, blocking and not, with known numbers: what each process must get is computed by each process alone.
#include <stdlib.h>
#include <string.h>

#include "storm.h"

enum Kind { barrier, bcast, reduce, allreduce, gather, scatter, allgather, alltoall, kinds };
enum Operation { sum, maximum, exclusive_or, composition, operations };

static const char* const names[] = {"Barrier", "Bcast",   "Reduce",    "Allreduce",
                                    "Gather",  "Scatter", "Allgather", "Alltoall"};

// A number holds a function x -> high * x + low (modulo 2^16); the operator composes two of them.
static uint32_t compose(uint32_t first, uint32_t second) {
  const uint32_t high = (first >> 16) * (second >> 16);
  const uint32_t low = (first >> 16) * (second & 0xFFFF) + (first & 0xFFFF);
  return high << 16 | (low & 0xFFFF);
}

void storm_operator(void* given, void* result, int* count, MPI_Datatype* type) {
  (void)type;
  const uint32_t* first = given;
  uint32_t* second = result;
  for (int i = 0; i < *count; ++i) second[i] = compose(first[i], second[i]);
}

static uint32_t number(uint64_t identity, int process, int index) {
  uint64_t x = identity * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)process * UINT64_C(0xbf58476d1ce4e5b9) +
               (uint64_t)index * UINT64_C(0x94d049bb133111eb);
  x ^= x >> 31;
  return (uint32_t)(x * UINT64_C(0xd1342543de82ef95) >> 32);
}

static uint32_t reduced(struct Storm* storm, const struct Collective* c, int index) {
  uint32_t result = number(c->identity, storm->size - 1, index);
  for (int process = storm->size - 2; process >= 0; --process) {
    const uint32_t given = number(c->identity, process, index);
    if (c->operation == sum)
      result += given;
    else if (c->operation == maximum)
      result = given > result ? given : result;
    else if (c->operation == exclusive_or)
      result ^= given;
    else
      result = compose(given, result);
  }
  return result;
}

static uint32_t* numbers(struct Storm* storm, int count) {
  uint32_t* memory = malloc(sizeof *memory * (size_t)(count + 1));
  if (memory == NULL) fail(storm, "no memory for %d numbers", count);
  for (int i = 0; i <= count; ++i) memory[i] = 0xDEADBEEF;
  return memory;
}

static void start(struct Storm* storm, struct Collective* c, int wait) {
  const MPI_Op built_in[] = {MPI_SUM, MPI_MAX, MPI_BXOR};
  const MPI_Op op = c->operation == composition ? storm->operator: built_in[c->operation];
  const MPI_Datatype type = MPI_UINT32_T;
  const MPI_Comm comm = storm->comm;
  const int n = c->count;
  MPI_Request* request = &c->request;
  *request = MPI_REQUEST_NULL;
  switch (c->kind) {
    case barrier:
      wait ? MPI_Barrier(comm) : MPI_Ibarrier(comm, request);
      break;
    case bcast: {
      uint32_t* data = storm->rank == c->root ? c->give : c->take;
      wait ? MPI_Bcast(data, n, type, c->root, comm) : MPI_Ibcast(data, n, type, c->root, comm, request);
      break;
    }
    case reduce:
      wait ? MPI_Reduce(c->give, c->take, n, type, op, c->root, comm)
           : MPI_Ireduce(c->give, c->take, n, type, op, c->root, comm, request);
      break;
    case allreduce:
      wait ? MPI_Allreduce(c->give, c->take, n, type, op, comm)
           : MPI_Iallreduce(c->give, c->take, n, type, op, comm, request);
      break;
    case gather:
      wait ? MPI_Gather(c->give, n, type, c->take, n, type, c->root, comm)
           : MPI_Igather(c->give, n, type, c->take, n, type, c->root, comm, request);
      break;
    case scatter:
      wait ? MPI_Scatter(c->give, n, type, c->take, n, type, c->root, comm)
           : MPI_Iscatter(c->give, n, type, c->take, n, type, c->root, comm, request);
      break;
    case allgather:
      wait ? MPI_Allgather(c->give, n, type, c->take, n, type, comm)
           : MPI_Iallgather(c->give, n, type, c->take, n, type, comm, request);
      break;
    default:
      wait ? MPI_Alltoall(c->give, n, type, c->take, n, type, comm)
           : MPI_Ialltoall(c->give, n, type, c->take, n, type, comm, request);
  }
}

void collective_start(struct Storm* storm, struct Collective* c, int blocking) {
  struct Random* random = &storm->shared;
  c->kind = (int)random_below(random, kinds);
  c->root = (int)random_below(random, (uint64_t)storm->size);
  c->operation = (int)random_below(random, operations);
  c->identity = storm->next_identity++;
  const size_t most = random_chance(random, 15) ? 1u << 20 : 20000;
  c->count = (int)(random_size(random, most / (size_t)storm->size) / sizeof(uint32_t));
  c->give = numbers(storm, c->count * storm->size);
  c->take = numbers(storm, c->count * storm->size);
  for (int i = 0; i < c->count * storm->size; ++i) c->give[i] = number(c->identity, storm->rank, i);
  doing(storm,
        "collective %ld (Barrier, Bcast, Reduce, Allreduce, Gather, Scatter, Allgather, Alltoall) of %ld numbers "
        "from %ld",
        c->kind, c->count, c->root);
  start(storm, c, blocking);
}

// What the number at `index` of the result must be, and whether it means anything on this process.
static int expected(struct Storm* storm, const struct Collective* c, int index, uint32_t* value) {
  const int block = c->count > 0 ? index / c->count : 0;
  const int inside = c->count > 0 ? index % c->count : 0;
  const int at_root = storm->rank == c->root;
  switch (c->kind) {
    case bcast:
      *value = number(c->identity, c->root, index);
      return !at_root && block == 0;
    case reduce:
    case allreduce:
      if (block > 0 || (c->kind == reduce && !at_root)) return 0;
      *value = reduced(storm, c, index);
      return 1;
    case gather:
    case allgather:
      *value = number(c->identity, block, inside);
      return c->kind == allgather || at_root;
    case scatter:
      *value = number(c->identity, c->root, storm->rank * c->count + inside);
      return block == 0;
    case alltoall:
      *value = number(c->identity, block, storm->rank * c->count + inside);
      return 1;
    default:
      return 0;
  }
}

void collective_finish(struct Storm* storm, struct Collective* c) {
  if (c->request != MPI_REQUEST_NULL) {
    MPI_Status status;
    doing(storm, "completing collective %ld of %ld numbers from %ld", c->kind, c->count, c->root);
    complete_all(storm, 1, &c->request, &status);
  }
  const int total = c->count * storm->size;
  for (int i = 0; i < total; ++i) {
    uint32_t value = 0xDEADBEEF;
    if (!expected(storm, c, i, &value)) value = 0xDEADBEEF;
    if (c->take[i] == value) continue;
    fail(storm, "MPI_%s (or its non-blocking form) of %d numbers, root %d, operation %d: number %d is %08x, not %08x",
         names[c->kind], c->count, c->root, c->operation, i, c->take[i], value);
  }
  if (c->take[total] != 0xDEADBEEF) fail(storm, "MPI_%s wrote beyond its buffer", names[c->kind]);
  for (int i = 0; i < total; ++i) {
    if (c->give[i] != number(c->identity, storm->rank, i)) fail(storm, "MPI_%s changed what it sends", names[c->kind]);
  }
  free(c->give);
  free(c->take);
}
