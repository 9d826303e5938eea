// Bandwidth: rank 0 posts a window of non-blocking sends, rank 1 the receives, and a short answer ends each window.
// With
// --both yes the two ranks send at the same time and the figure counts both directions. Context: app.
#include <stdlib.h>
#include <string.h>

#include "world.h"

enum { largest_window = 256 };

struct exchange {
  char* out;
  char* in;
  int bytes;
  int window;
  bool both;
};

static void one_window(int rank, const struct exchange* exchange) {
  MPI_Request requests[2 * largest_window];
  int posted = 0;
  bool receives = rank == 1 || exchange->both;
  bool sends = rank == 0 || exchange->both;
  int peer = 1 - rank;
  for (int at = 0; receives && at < exchange->window; ++at)
    MPI_Irecv(exchange->in + (size_t)at * (size_t)exchange->bytes, exchange->bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD,
              &requests[posted++]);
  for (int at = 0; sends && at < exchange->window; ++at)
    MPI_Isend(exchange->out + (size_t)at * (size_t)exchange->bytes, exchange->bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD,
              &requests[posted++]);
  MPI_Waitall(posted, requests, MPI_STATUSES_IGNORE);
  char answer = 0;
  if (rank == 0)
    MPI_Recv(&answer, 1, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Send(&answer, 1, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
}

static void measure(int rank, struct exchange* exchange, double seconds, struct samples* megabytes) {
  uint64_t total = (uint64_t)exchange->bytes * (uint64_t)exchange->window;
  exchange->out = message_buffer(total);
  exchange->in = message_buffer(total);
  message_fill(exchange->out, total, (unsigned)rank);
  one_window(rank, exchange);
  int64_t start = now_ns();
  one_window(rank, exchange);
  one_window(rank, exchange);
  int64_t plan = (int64_t)(seconds * 1e9 / (double)((now_ns() - start) / 2 + 1));
  if (plan < 10) plan = 10;
  if (rank == 0)
    MPI_Send(&plan, 1, MPI_INT64_T, 1, 3, MPI_COMM_WORLD);
  else
    MPI_Recv(&plan, 1, MPI_INT64_T, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  samples_clear(megabytes);
  for (int64_t at = 0; at < plan; ++at) {
    start = now_ns();
    one_window(rank, exchange);
    double microseconds = (double)(now_ns() - start) / 1000.0;
    samples_add(megabytes, (double)total * (exchange->both ? 2 : 1) / microseconds);
  }
  bool received = rank == 1 || exchange->both;
  if (received && !message_right(exchange->in, total, (unsigned)(1 - rank)))
    world_fail("a message arrived with wrong contents.");
  message_buffer_free(exchange->out);
  message_buffer_free(exchange->in);
}

int main(int argc, char** argv) {
  const char *sizes = "1,64,1K,4K,16K,64K,256K,1M,4M", *window = "64", *memory = "malloc", *seconds = "0.3",
             *both = "no";
  struct argument table[] = {{"sizes", &sizes, "message sizes in bytes, at least 1"},
                             {"window", &window, "messages in flight, at most 256 (and at most 64 MB together)"},
                             {"both", &both, "yes: the two ranks send at the same time"},
                             {"memory", &memory, "where the message buffers come from: malloc, or mpi (MPI_Alloc_mem)"},
                             {"seconds", &seconds, "time spent on each size"}};
  struct world world;
  int status;
  if (!world_start(&world, &argc, &argv, 2, "Bandwidth between two ranks (windows of messages).", table, 5, &status))
    return status;
  message_memory(memory);
  uint64_t list[64];
  size_t count = list_of_sizes(sizes, list, 64);
  struct json json;
  if (world.rank == 0) world_document(&json, "bandwidth", &world, table, 5);
  struct samples megabytes = {0};
  for (size_t at = 0; at < count && world.rank < 2; ++at) {
    uint64_t in_flight = number_of(window), room = 64 * 1024 * 1024 / (list[at] ? list[at] : 1);
    if (in_flight > largest_window) in_flight = largest_window;
    if (in_flight > room) in_flight = room ? room : 1;
    struct exchange exchange = {NULL, NULL, (int)list[at], (int)in_flight, strcmp(both, "yes") == 0};
    measure(world.rank, &exchange, seconds_of(seconds), &megabytes);
    if (world.rank != 0) continue;
    json_open(&json, NULL, '{');
    json_integer(&json, "size", (int64_t)list[at]);
    json_integer(&json, "window", (int64_t)in_flight);
    json_samples(&json, "megabytes_per_second", &megabytes);
    json_close(&json, '}');
  }
  samples_free(&megabytes);
  if (world.rank == 0) world_document_end(&json);
  return world_stop();
}
