/* Floods: far more messages than are received at the time, in both directions, small and large. */
#include "p2p_check.h"

enum { small = 20000, large = 60, large_bytes = 200000 };

/* Everybody starts everything to rank 0, which first takes the messages of the odd numbers. */
static void small_flood(int size) {
  int i, value;
  if (check_rank != 0) {
    int* values = malloc(small * sizeof *values);
    MPI_Request* requests = malloc(small * sizeof *requests);
    for (i = 0; i < small; ++i) {
      values[i] = i;
      MPI_Isend(&values[i], 1, MPI_INT, 0, i % 2, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(small, requests, MPI_STATUSES_IGNORE);
    free(requests);
    free(values);
    return;
  }
  {
    int* next = calloc((size_t)size * 2, sizeof *next);
    int tag, left;
    /* Tag 1 is half of the messages: the other half is waiting in the store all the while. */
    for (tag = 1; tag >= 0; --tag) {
      for (left = small / 2 * (size - 1); left > 0; --left) {
        MPI_Status status;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
        CHECK_EQUAL(next[status.MPI_SOURCE * 2 + tag] * 2 + tag, value);
        ++next[status.MPI_SOURCE * 2 + tag];
      }
    }
    free(next);
  }
}

/* All to all: every process has all its sends out before it looks for anything. */
static void large_flood(int size) {
  unsigned char* out = malloc((size_t)large * large_bytes);
  unsigned char* in = malloc(large_bytes);
  MPI_Request requests[large];
  int i;
  const int right = (check_rank + 1) % size, left = (check_rank + size - 1) % size;
  for (i = 0; i < large; ++i) {
    fill_bytes(out + (size_t)i * large_bytes, large_bytes, (unsigned)(check_rank * 100 + i));
    MPI_Isend(out + (size_t)i * large_bytes, large_bytes - i, MPI_BYTE, right, i, MPI_COMM_WORLD, &requests[i]);
  }
  for (i = 0; i < large; ++i) {
    MPI_Recv(in, large_bytes, MPI_BYTE, left, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(are_bytes(in, (size_t)(large_bytes - i), (unsigned)(left * 100 + i)));
  }
  MPI_Waitall(large, requests, MPI_STATUSES_IGNORE);
  free(in);
  free(out);
}

/* Blocking sends into a receiver that looks late: they go on when it does. */
static void late_receiver(int size) {
  int i, value, left;
  MPI_Request request;
  if (check_rank != 0) {
    for (i = 0; i < small; ++i) MPI_Send(&i, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    return;
  }
  MPI_Irecv(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
  for (i = 0; i < 1000; ++i) MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &left, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_EQUAL(0, value);
  for (left = small * (size - 1) - 1; left > 0; --left) {
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  int size;
  MPI_Init(&argc, &argv);
  check_start(&size);
  small_flood(size);
  MPI_Barrier(MPI_COMM_WORLD);
  late_receiver(size);
  MPI_Barrier(MPI_COMM_WORLD);
  large_flood(size);
  MPI_Finalize();
  return 0;
}
