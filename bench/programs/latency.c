// One-way latency: half of a ping-pong between ranks 0 and 1, by message size. Each sample is the mean over a block of
// round trips that lasts about a millisecond; the median of the blocks is the result. Context: app.
#include <stdlib.h>

#include "world.h"

static void round_trips(int rank, int64_t count, char* out, char* in, int bytes) {
  for (int64_t trip = 0; trip < count; ++trip) {
    if (rank == 0) {
      MPI_Send(out, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
      MPI_Recv(in, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(out, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
  }
}

// One size; only ranks 0 and 1 take part. Fills one-way times in microseconds.
static void measure(int rank, uint64_t bytes, double seconds, struct samples* one_way) {
  char* out = message_buffer(bytes);
  char* in = message_buffer(bytes);
  message_fill(out, bytes, (unsigned)rank);
  round_trips(rank, 20, out, in, (int)bytes);
  int64_t start = now_ns();
  round_trips(rank, 20, out, in, (int)bytes);
  int64_t trip_ns = (now_ns() - start) / 20 + 1;
  int64_t plan[2] = {1000000 / trip_ns + 1, 0};
  plan[1] = (int64_t)(seconds * 1e9 / (double)(plan[0] * trip_ns));
  if (plan[1] < 10) plan[1] = 10;
  if (rank == 0)
    MPI_Send(plan, 2, MPI_INT64_T, 1, 2, MPI_COMM_WORLD);
  else
    MPI_Recv(plan, 2, MPI_INT64_T, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  samples_clear(one_way);
  for (int64_t block = 0; block < plan[1]; ++block) {
    start = now_ns();
    round_trips(rank, plan[0], out, in, (int)bytes);
    samples_add(one_way, (double)(now_ns() - start) / (double)plan[0] / 2000.0);
  }
  if (!message_right(in, bytes, (unsigned)(1 - rank))) world_fail("a message arrived with wrong contents.");
  message_buffer_free(out);
  message_buffer_free(in);
}

int main(int argc, char** argv) {
  const char *sizes = "0,1,8,64,256,1K,4K,16K,64K,256K,1M,4M", *memory = "malloc", *seconds = "0.2";
  struct argument table[] = {{"sizes", &sizes, "message sizes in bytes"},
                             {"memory", &memory, "where the message buffers come from: malloc, or mpi (MPI_Alloc_mem)"},
                             {"seconds", &seconds, "time spent on each size"}};
  struct world world;
  int status;
  if (!world_start(&world, &argc, &argv, 2, "One-way latency between two ranks (ping-pong).", table, 3, &status))
    return status;
  message_memory(memory);
  uint64_t list[64];
  size_t count = list_of_sizes(sizes, list, 64);
  struct json json;
  if (world.rank == 0) world_document(&json, "latency", &world, table, 3);
  struct samples one_way = {0};
  for (size_t at = 0; at < count && world.rank < 2; ++at) {
    measure(world.rank, list[at], seconds_of(seconds), &one_way);
    if (world.rank != 0) continue;
    json_open(&json, NULL, '{');
    json_integer(&json, "size", (int64_t)list[at]);
    json_samples(&json, "one_way_us", &one_way);
    json_close(&json, '}');
  }
  samples_free(&one_way);
  if (world.rank == 0) world_document_end(&json);
  return world_stop();
}
