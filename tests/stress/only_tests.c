// A long message whose two sides only test: MPI asks for progress all the same. First the same sizes go with both sides
// waiting, so that the library learns how it would like to move them; what it learnt must not leave the bytes to
// nobody.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { largest = 4 << 20, warm = 40, rounds = 20 };

static char give[largest], take[largest];

static void exchange_waiting(int rank, int size) {
  for (int i = 0; i < warm; ++i) {
    if (rank == 0) {
      MPI_Ssend(give, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(take, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}

static void exchange_testing(int rank, int size) {
  MPI_Request request;
  int done = 0;
  if (rank == 0) {
    MPI_Issend(give, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
  } else {
    memset(take, 0, (size_t)size);
    MPI_Irecv(take, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
  }
  while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  if (rank == 1 && memcmp(give, take, (size_t)size) != 0) {
    fprintf(stderr, "only_tests: a message of %d bytes is wrong\n", size);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char** argv) {
  int rank, processes;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  if (processes != 2) {
    fprintf(stderr, "only_tests: this needs 2 processes, not %d\n", processes);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  for (int i = 0; i < largest; ++i) give[i] = (char)(i * 7 + i / 251);
  for (int size = 1; size <= largest; size *= 4) {
    exchange_waiting(rank, size);
    for (int i = 0; i < rounds; ++i) exchange_testing(rank, size);
  }
  MPI_Finalize();
  return 0;
}
