/* With VIF_COLL_ORDER=ranks a sum of doubles has the same bits whether it is short or long, alone or part of a longer
 * vector, blocking or not, at this root or at that. */
#include "p2p_check.h"

enum { longest = 40000 };

static double value_of(int rank, int i) { return 1.0 / (1 + rank * 7 + i % 3) + (rank % 2 ? 1e-9 : 1e9); }

static double folded(int size, int first, int i) {
  double sum = value_of(size - 1, i);
  for (int rank = size - 2; rank >= first; --rank) sum = value_of(rank, i) + sum;
  return sum;
}

static void expect_sums(const double* sums, int count, int size) {
  for (int i = 0; i < count; ++i) {
    const double expected = folded(size, 0, i);
    CHECK(memcmp(&expected, &sums[i], sizeof expected) == 0);
  }
}

int main(int argc, char** argv) {
  int size, lengths[] = {1, 100, longest};
  double *mine = malloc(sizeof(double) * longest), *sums = malloc(sizeof(double) * longest);
  MPI_Init(&argc, &argv);
  check_start(&size);
  for (int i = 0; i < longest; ++i) mine[i] = value_of(check_rank, i);
  for (int turn = 0; turn < 3; ++turn) {
    const int count = lengths[turn];
    MPI_Request request;
    MPI_Allreduce(mine, sums, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    expect_sums(sums, count, size);
    memcpy(sums, mine, sizeof(double) * (size_t)count);
    MPI_Iallreduce(MPI_IN_PLACE, sums, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_sums(sums, count, size);
    for (int root = 0; root < size; ++root) {
      MPI_Reduce(mine, sums, count, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
      if (check_rank == root) expect_sums(sums, count, size);
    }
    MPI_Scan(mine, sums, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) {
      double expected = value_of(check_rank, i);
      for (int rank = check_rank - 1; rank >= 0; --rank) expected = value_of(rank, i) + expected;
      CHECK(memcmp(&expected, &sums[i], sizeof expected) == 0);
    }
  }
  MPI_Finalize();
  free(mine);
  free(sums);
  return 0;
}
