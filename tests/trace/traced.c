/* What test_trace.py traces: operations whose fate is known.
 *
 * usage: traced TIMES, or traced reductions
 *   interrupted()  rank 0 posts a receive and computes, outside the library, until the message is in its buffer; the
 *   message
 *                  is sent when rank 0 says, in shared memory, that it computes. Only an interrupt can bring it.
 *   started_and_waited()  a non-blocking collective, waited for at once.
 *   begun_again()  a persistent request.
 *   met()          a blocking call. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank;

__attribute__((noinline)) static void interrupted(int* computing, int turn) {
  int value = -1, sent = turn;
  if (rank == 0) {
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, 1, turn, MPI_COMM_WORLD, &request);
    __atomic_store_n(computing, turn + 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&value, __ATOMIC_RELAXED) != turn) continue;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    while (__atomic_load_n(computing, __ATOMIC_SEQ_CST) != turn + 1) continue;
    MPI_Send(&sent, 1, MPI_INT, 0, turn, MPI_COMM_WORLD);
  }
}

__attribute__((noinline)) static void started_and_waited(double* vector, int count) {
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, vector, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static void begun_again(MPI_Request* request) {
  MPI_Start(request);
  MPI_Waitall(1, request, MPI_STATUSES_IGNORE);
}

__attribute__((noinline)) static void met(void) { MPI_Barrier(MPI_COMM_WORLD); }

/* Long reductions of which the middle of the tree sends what it has combined late in a pass of its engine, to a receive
 * that was announced. */
static void reductions(void) {
  enum { count = 1 << 19 };
  double *in = calloc(count, sizeof *in), *out = calloc(count, sizeof *out);
  for (int turn = 0; turn < 8; ++turn) {
    MPI_Request request;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Ireduce(in, out, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  free(in);
  free(out);
}

int main(int argc, char** argv) {
  enum { count = 100000 };
  int times = argc > 1 ? atoi(argv[1]) : 1, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (times == 0) {
    reductions();
    return MPI_Finalize();
  }
  int* computing;
  MPI_Win window;
  MPI_Win_allocate_shared(rank == 0 ? sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &computing, &window);
  MPI_Aint bytes;
  int unit;
  MPI_Win_shared_query(window, 0, &bytes, &unit, &computing);
  double* vector = calloc(count, sizeof *vector);
  int token = rank, left = -1;
  MPI_Request requests[2];
  MPI_Recv_init(&left, 1, MPI_INT, (rank + size - 1) % size, 99, MPI_COMM_WORLD, &requests[0]);
  for (int turn = 0; turn < times; ++turn) {
    interrupted(computing, turn);
    started_and_waited(vector, count);
    MPI_Isend(&token, 1, MPI_INT, (rank + 1) % size, 99, MPI_COMM_WORLD, &requests[1]);
    begun_again(&requests[0]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    met();
  }
  MPI_Request_free(&requests[0]);
  MPI_Win_free(&window);
  free(vector);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
