// Long messages between buffers of MPI_Alloc_mem, which other ranks may map, of malloc, and of one each: contents,
// parts of a buffer, truncation, a computing side, memory given back and taken again, more ranges than are kept mapped,
// collectives, and what MPI_Alloc_mem says of bad arguments.
#include <string.h>
#include <time.h>

#include "p2p_check.h"

enum { long_message = 300 * 1000, ranges = 80 };

#define rank check_rank

static char* buffer_of(int shared, long bytes) {
  char* buffer = NULL;
  if (shared)
    CHECK(MPI_Alloc_mem(bytes, MPI_INFO_NULL, &buffer) == MPI_SUCCESS);
  else
    buffer = malloc((size_t)bytes);
  CHECK(buffer != NULL);
  return buffer;
}

static void give_back(int shared, char* buffer) {
  if (shared)
    CHECK(MPI_Free_mem(buffer) == MPI_SUCCESS);
  else
    free(buffer);
}

static void fill(char* at, long bytes, int seed) {
  for (long i = 0; i < bytes; ++i) at[i] = (char)(i * 7 + i / 4096 + seed);
}

static void check_filled(const char* at, long bytes, int seed) {
  for (long i = 0; i < bytes; ++i) {
    if (at[i] == (char)(i * 7 + i / 4096 + seed)) continue;
    fprintf(stderr, "byte %ld of %ld is %d (seed %d)\n", i, bytes, at[i], seed);
    CHECK(!"the contents of the message");
  }
}

static void compute(long microseconds) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < microseconds);
}

// One message from rank 0 to rank 1. `busy`: 1: the sender computes meanwhile, 2: the receiver; 3: the sender only
// tests, 4: the receiver.
static void one_message(char* buffer, long bytes, int source, int busy, int seed) {
  MPI_Request request;
  if (rank == 0) fill(buffer, bytes, seed);
  if (rank == 1) {
    memset(buffer, 99, (size_t)bytes);
    MPI_Irecv(buffer, (int)bytes, MPI_CHAR, source, 5, MPI_COMM_WORLD, &request);
  }
  if (seed % 2 == 0) MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_Isend(buffer, (int)bytes, MPI_CHAR, 1, 5, MPI_COMM_WORLD, &request);
  if (rank < 2) {
    if (busy == rank + 1) compute(300);
    for (int done = busy != rank + 3; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (rank == 1) check_filled(buffer, bytes, seed);
}

static void all_pairs_of_memory(void) {
  int seed = 0;
  for (int mine = 0; mine < 4; ++mine) {
    const int shared = rank == 0 ? mine & 1 : mine >> 1;
    char* buffer = buffer_of(shared, long_message + 100);
    for (int busy = 0; busy < 5; ++busy) {
      for (int part = 0; part < 100; part += 33) {
        one_message(buffer + part, long_message, part == 0 ? MPI_ANY_SOURCE : 0, busy, ++seed);
        one_message(buffer + part, 70 * 1000 + part, 0, busy, ++seed);
      }
    }
    give_back(shared, buffer);
  }
}

static void truncated(void) {
  char* buffer = buffer_of(1, long_message);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0) {
    fill(buffer, long_message, 3);
    CHECK(MPI_Send(buffer, long_message, MPI_CHAR, 1, 6, MPI_COMM_WORLD) == MPI_SUCCESS);
  } else {
    memset(buffer, 99, long_message);
    CHECK_CLASS(MPI_ERR_TRUNCATE,
                MPI_Recv(buffer, long_message / 2, MPI_CHAR, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    check_filled(buffer, long_message / 2, 3);
    for (long i = long_message / 2; i < long_message; ++i) CHECK(buffer[i] == 99);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  give_back(1, buffer);
}

// Memory comes and goes; mappings of what has gone must not be taken for what has come.
static void come_and_go(void) {
  for (int round = 0; round < 20; ++round) {
    char* buffer = buffer_of(1, long_message + round * 5000);
    one_message(buffer, long_message + round * 5000, 0, round % 3, round);
    give_back(1, buffer);
  }
}

static void many_ranges(void) {
  char* buffers[ranges];
  for (int i = 0; i < ranges; ++i) buffers[i] = buffer_of(1, 70 * 1000);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < ranges; ++i) one_message(buffers[i], 69 * 1000, 0, 0, i + round);
  }
  for (int i = 0; i < ranges; i += 2) give_back(1, buffers[i]);
  for (int i = 1; i < ranges; i += 2) one_message(buffers[i], 69 * 1000, 0, 0, i);
  for (int i = 1; i < ranges; i += 2) give_back(1, buffers[i]);
}

static void exchange_and_collectives(void) {
  char* out = buffer_of(1, long_message);
  char* in = buffer_of(1, long_message);
  MPI_Request requests[2];
  fill(out, long_message, rank);
  MPI_Irecv(in, long_message, MPI_CHAR, 1 - rank, 8, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, long_message, MPI_CHAR, 1 - rank, 8, MPI_COMM_WORLD, &requests[1]);
  compute(200);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  check_filled(in, long_message, 1 - rank);
  fill(in, long_message, 40);
  if (rank == 1) memset(in, 0, long_message);
  MPI_Bcast(in, long_message, MPI_CHAR, 0, MPI_COMM_WORLD);
  check_filled(in, long_message, 40);
  int* numbers = (int*)out;
  int* sums = (int*)in;
  const int count = long_message / (int)sizeof(int);
  for (int i = 0; i < count; ++i) numbers[i] = i + rank;
  MPI_Allreduce(numbers, sums, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) CHECK(sums[i] == 2 * i + 1);
  give_back(1, out);
  give_back(1, in);
}

static void arguments(void) {
  void* memory = NULL;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK_CLASS(MPI_ERR_ARG, MPI_Alloc_mem(-1, MPI_INFO_NULL, &memory));
#ifndef __SANITIZE_ADDRESS__  // ends programs that ask for too much
  CHECK_CLASS(MPI_ERR_NO_MEM, MPI_Alloc_mem((MPI_Aint)1 << 60, MPI_INFO_NULL, &memory));
#endif
  CHECK(MPI_Alloc_mem(0, MPI_INFO_NULL, &memory) == MPI_SUCCESS);
  CHECK(MPI_Free_mem(memory) == MPI_SUCCESS);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_minimum_memory_alignment", "16384");
  for (long bytes = 100; bytes < 1000000; bytes *= 10) {
    CHECK(MPI_Alloc_mem(bytes, info, &memory) == MPI_SUCCESS);
    CHECK((unsigned long)memory % 16384 == 0);
    memset(memory, 1, (size_t)bytes);
    CHECK(MPI_Free_mem(memory) == MPI_SUCCESS);
  }
  MPI_Info_free(&info);
}

int main(int argc, char** argv) {
  int size;
  MPI_Init(&argc, &argv);
  check_start(&size);
  CHECK(size == 2);
  all_pairs_of_memory();
  truncated();
  come_and_go();
  many_ranges();
  exchange_and_collectives();
  arguments();
  MPI_Finalize();
  return 0;
}
