/* A program that hangs: rank 1 waits for a tag that rank 0 did not send, and the others are in a barrier. Rank 0 says
 * when it begins to. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Send(&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
    printf("hanging\n");
    fflush(stdout);
  }
  if (rank == 1) {
    MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
