/* A tool defines MPI_ functions of its own and calls ours by their PMPI_ names. */
#include "p2p_check.h"

static int noticed = 0;

int MPI_Get_version(int* version, int* subversion) {
  ++noticed;
  return PMPI_Get_version(version, subversion);
}

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  ++noticed;
  return PMPI_Comm_rank(comm, rank);
}

int main(int argc, char** argv) {
  int version, subversion, rank = -1;
  MPI_Init(&argc, &argv);
  /* The library does not call its public names itself: nothing is noticed but what the program does. */
  CHECK_EQUAL(0, noticed);
  MPI_Get_version(&version, &subversion);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  CHECK_EQUAL(2, noticed);
  CHECK_EQUAL(5, version);
  CHECK(rank >= 0);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_EQUAL(2, noticed);
  MPI_Finalize();
  return 0;
}
