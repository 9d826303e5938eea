/* Threads that wait for long, in receives, collectives and several requests, on communicators of their own, while
 * another thread exchanges messages: all get what they wait for, and nobody gets what is another's. */
#include <pthread.h>

#include "p2p_check.h"

enum { waiters = 4, rounds = 300 };

static MPI_Comm comms[waiters + 1];
static int size, other;

static void* wait_in_receive(void* comm) {
  int value = -1;
  MPI_Recv(&value, 1, MPI_INT, other, 7, *(MPI_Comm*)comm, MPI_STATUS_IGNORE);
  CHECK_EQUAL(other + 100, value);
  return NULL;
}

static void* wait_for_several(void* comm) {
  int values[3] = {-1, -1, -1};
  MPI_Request requests[3];
  for (int i = 0; i < 3; ++i) MPI_Irecv(&values[i], 1, MPI_INT, other, i, *(MPI_Comm*)comm, &requests[i]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 3; ++i) CHECK_EQUAL(other + i, values[i]);
  return NULL;
}

/* Rank 0 comes late: the main thread begins its part. */
static void* wait_in_barrier(void* comm) {
  if (check_rank != 0) MPI_Barrier(*(MPI_Comm*)comm);
  return NULL;
}

static void* wait_in_probe(void* comm) {
  MPI_Status status;
  int value = -1;
  MPI_Probe(MPI_ANY_SOURCE, 9, *(MPI_Comm*)comm, &status);
  MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 9, *(MPI_Comm*)comm, MPI_STATUS_IGNORE);
  CHECK_EQUAL(other + 9, value);
  return NULL;
}

static void exchange(int count) {
  int *in = malloc(sizeof(int) * (size_t)count), *out = malloc(sizeof(int) * (size_t)count);
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < count; ++i) out[i] = check_rank * 1000 + round + i;
    MPI_Sendrecv(out, count, MPI_INT, other, 0, in, count, MPI_INT, other, 0, comms[waiters], MPI_STATUS_IGNORE);
    CHECK_EQUAL(other * 1000 + round, in[0]);
    CHECK_EQUAL(other * 1000 + round + count - 1, in[count - 1]);
    if (check_rank == 0) {
      MPI_Send(out, 1, MPI_INT, other, 1, comms[waiters]);
      MPI_Recv(in, 1, MPI_INT, other, 1, comms[waiters], MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in, 1, MPI_INT, other, 1, comms[waiters], MPI_STATUS_IGNORE);
      MPI_Send(out, 1, MPI_INT, other, 1, comms[waiters]);
    }
  }
  free(in);
  free(out);
}

static void release_waiters(void) {
  int value = check_rank + 100;
  MPI_Send(&value, 1, MPI_INT, other, 7, comms[0]);
  for (int i = 0; i < 3; ++i) {
    value = check_rank + i;
    MPI_Send(&value, 1, MPI_INT, other, i, comms[1]);
  }
  if (check_rank == 0) MPI_Barrier(comms[2]);
  value = check_rank + 9;
  MPI_Send(&value, 1, MPI_INT, other, 9, comms[3]);
}

int main(int argc, char** argv) {
  void* (*const bodies[waiters])(void*) = {wait_in_receive, wait_for_several, wait_in_barrier, wait_in_probe};
  pthread_t threads[waiters];
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  check_start(&size);
  CHECK_EQUAL(MPI_THREAD_MULTIPLE, provided);
  other = 1 - check_rank;
  for (int i = 0; i <= waiters; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int many = 1; many <= waiters; many += waiters - 1) {
    for (int turn = 0; turn < 3; ++turn) {
      for (int i = 0; i < waiters; ++i) pthread_create(&threads[i], NULL, bodies[many == 1 ? 0 : i], &comms[i]);
      exchange(turn == 2 ? 20000 : 10);
      if (many == 1) {
        const int value = check_rank + 100;
        for (int i = 0; i < waiters; ++i) MPI_Send(&value, 1, MPI_INT, other, 7, comms[i]);
      } else {
        release_waiters();
      }
      for (int i = 0; i < waiters; ++i) pthread_join(threads[i], NULL);
    }
  }
  for (int i = 0; i <= waiters; ++i) MPI_Comm_free(&comms[i]);
  MPI_Finalize();
  return 0;
}
