/* Wrong on purpose: see local_outside.cmake. */
#include <mpi.h>

int main(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return 0;
}
