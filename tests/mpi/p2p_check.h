/* What the MPI test programs share: checks that name the place and the rank, and contents that can be recognised. */
#ifndef P2P_CHECK_H
#define P2P_CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_rank = -1;

#define CHECK(condition)                                                                             \
  do {                                                                                               \
    if (!(condition)) {                                                                              \
      fprintf(stderr, "%s:%d: rank %d: not true: %s\n", __FILE__, __LINE__, check_rank, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                                  \
    }                                                                                                \
  } while (0)

#define CHECK_EQUAL(expected, actual)                                                                                  \
  do {                                                                                                                 \
    const long long check_expected = (long long)(expected), check_actual = (long long)(actual);                        \
    if (check_expected != check_actual) {                                                                              \
      fprintf(stderr, "%s:%d: rank %d: %s is %lld, not %lld\n", __FILE__, __LINE__, check_rank, #actual, check_actual, \
              check_expected);                                                                                         \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                                                    \
    }                                                                                                                  \
  } while (0)

#define CHECK_CLASS(expected, call)        \
  do {                                     \
    int check_class;                       \
    MPI_Error_class((call), &check_class); \
    CHECK_EQUAL(expected, check_class);    \
  } while (0)

static inline void check_start(int* size) {
  MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
}

/* Bytes that tell who sent them and which message they are of. */
static inline void fill_bytes(unsigned char* bytes, size_t count, unsigned seed) {
  size_t i;
  for (i = 0; i < count; ++i) bytes[i] = (unsigned char)(seed * 131u + i * 7u + (i >> 8));
}

static inline int are_bytes(const unsigned char* bytes, size_t count, unsigned seed) {
  size_t i;
  for (i = 0; i < count; ++i) {
    if (bytes[i] != (unsigned char)(seed * 131u + i * 7u + (i >> 8))) return 0;
  }
  return 1;
}

static inline int received_count(const MPI_Status* status, MPI_Datatype type) {
  int count;
  MPI_Get_count(status, type, &count);
  return count;
}

#endif
