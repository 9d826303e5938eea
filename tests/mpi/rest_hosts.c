/* A job over several hosts: who shares memory with whom, and what works within a host only. Prints one line per rank
 * for the test that started it (tests/net/tcp_hosts.py). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "wrong: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, near, name_length;
  char name[MPI_MAX_PROCESSOR_NAME];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Get_processor_name(name, &name_length);
  MPI_Comm host;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_size(host, &near);

  /* Messages and collectives go everywhere. */
  long sum = 0, mine = rank + 1;
  MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  check(sum == (long)size * (size + 1) / 2, "a sum over all hosts");
  const int count = 1 << 18;
  int *out = malloc(count * sizeof *out), *in = malloc(count * sizeof *in);
  for (int i = 0; i < count; ++i) out[i] = rank * count + i;
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  MPI_Sendrecv(out, count, MPI_INT, next, 5, in, count, MPI_INT, previous, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < count; ++i) check(in[i] == previous * count + i, "a long message around the ring");

  /* Memory is shared within a host. */
  MPI_Win win;
  int* base = NULL;
  MPI_Win_allocate_shared(sizeof *base, sizeof *base, MPI_INFO_NULL, host, &base, &win);
  MPI_Win_fence(0, win);
  *base = rank;
  MPI_Win_fence(0, win);
  int seen = -1;
  MPI_Get(&seen, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  int first = rank;
  MPI_Bcast(&first, 1, MPI_INT, 0, host);
  check(seen == first, "a window of one host");
  MPI_Win_free(&win);

  /* A window over hosts is refused with a class, everywhere. */
  if (near != size) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int error_class = MPI_SUCCESS;
    MPI_Error_class(MPI_Win_create(out, sizeof *out, sizeof *out, MPI_INFO_NULL, MPI_COMM_WORLD, &win), &error_class);
    check(error_class == MPI_ERR_UNSUPPORTED_OPERATION, "the refusal of a window over hosts");
    MPI_Error_class(MPI_Win_allocate_shared(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win), &error_class);
    check(error_class == MPI_ERR_RMA_SHARED, "the refusal of shared memory over hosts");
  }
  MPI_Comm_free(&host);
  printf("rank %d of %d on %s shares memory with %d\n", rank, size, name, near);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
