// Collectives with any number of ranks, more than cores included: microseconds per call seen by rank 0. With
// --operations none it only starts and ends, so that the driver can time start, init and finalize. Context: app.
#include <stdlib.h>
#include <string.h>

#include "world.h"

enum operation { barrier, allreduce_small, allreduce_large, alltoall, operations };
static const char* const operation_names[operations] = {"barrier", "allreduce8", "allreduce64k", "alltoall8"};
enum { large_bytes = 65536 };

struct buffers {
  double* out;
  double* in;
};

static void calls(enum operation operation, int64_t count, const struct buffers* buffers) {
  for (int64_t call = 0; call < count; ++call) {
    switch (operation) {
      case barrier:
        MPI_Barrier(MPI_COMM_WORLD);
        break;
      case allreduce_small:
        MPI_Allreduce(buffers->out, buffers->in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        break;
      case allreduce_large:
        MPI_Allreduce(buffers->out, buffers->in, large_bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        break;
      default:
        MPI_Alltoall(buffers->out, 1, MPI_DOUBLE, buffers->in, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    }
  }
}

// Every rank sends rank + element; what must come back is known.
static bool results_right(enum operation operation, const struct world* world, const struct buffers* buffers) {
  double size = world->size, ranks = size * (size - 1) / 2;
  int elements = operation == allreduce_large ? large_bytes / 8 : 1;
  if (operation == alltoall) {
    for (int peer = 0; peer < world->size; ++peer)
      if (buffers->in[peer] != (double)(peer + world->rank)) return false;
  } else if (operation != barrier) {
    for (int at = 0; at < elements; ++at)
      if (buffers->in[at] != ranks + size * at) return false;
  }
  return true;
}

static void measure(const struct world* world, enum operation operation, double seconds, const struct buffers* buffers,
                    struct samples* microseconds) {
  calls(operation, 1, buffers);
  int64_t start = now_ns();
  calls(operation, 1, buffers);
  int64_t probes = agree(now_ns() - start < 10000000 ? 5 : 1);
  start = now_ns();
  calls(operation, probes, buffers);
  double call_ns = (double)(now_ns() - start) / (double)probes + 1;
  // Twenty blocks, each of one call where calls are slow; fewer, but at least three, where they are very slow.
  int64_t blocks = 20, length = (int64_t)(seconds * 1e9 / 20 / call_ns);
  if (length < 1) length = 1;
  if ((double)blocks * call_ns > 2e9 * seconds) blocks = (int64_t)(2e9 * seconds / call_ns);
  if (blocks < 3) blocks = 3;
  length = agree(length);
  blocks = agree(blocks);
  samples_clear(microseconds);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int64_t block = 0; block < blocks; ++block) {
    start = now_ns();
    calls(operation, length, buffers);
    samples_add(microseconds, (double)(now_ns() - start) / (double)length / 1000.0);
  }
  if (!results_right(operation, world, buffers)) world_fail("a collective gave a wrong result.");
}

int main(int argc, char** argv) {
  const char *chosen = "barrier,allreduce8,allreduce64k,alltoall8", *seconds = "0.5";
  struct argument table[] = {{"operations", &chosen, "barrier, allreduce8, allreduce64k, alltoall8, or none"},
                             {"seconds", &seconds, "time spent on each operation"}};
  struct world world;
  int status;
  const char* purpose = "Collectives with more ranks than cores.";
  if (!world_start(&world, &argc, &argv, 1, purpose, table, 2, &status)) return status;
  uint64_t room = large_bytes > 8 * world.size ? large_bytes : 8 * (uint64_t)world.size;
  struct buffers buffers = {message_buffer(room), message_buffer(room)};
  for (uint64_t at = 0; at < room / 8; ++at) buffers.out[at] = (double)world.rank + (double)at;
  struct json json;
  if (world.rank == 0) world_document(&json, "oversubscribe", &world, table, 2);
  struct samples microseconds = {0};
  for (int which = 0; which < operations; ++which) {
    if (strstr(chosen, operation_names[which]) == NULL) continue;
    measure(&world, (enum operation)which, seconds_of(seconds), &buffers, &microseconds);
    if (world.rank != 0) continue;
    json_open(&json, NULL, '{');
    json_text(&json, "operation", operation_names[which]);
    json_samples(&json, "call_us", &microseconds);
    json_close(&json, '}');
  }
  samples_free(&microseconds);
  if (world.rank == 0) world_document_end(&json);
  free(buffers.out);
  free(buffers.in);
  return world_stop();
}
