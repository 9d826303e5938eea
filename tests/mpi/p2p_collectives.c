/* The surface of the collectives: each in its blocking, non-blocking and persistent form, in place and not, on every
   root, with counts from 0 to many. */
#include "p2p_check.h"

enum { most = 20000, ranks_most = 16 };

static const int counts[] = {0, 1, 5, 300, most};
static int size;
static int *in, *out;

/* A call in its three forms. */
#define IN_ALL_FORMS(form, blocking, starting, making) \
  do {                                                 \
    MPI_Request request = MPI_REQUEST_NULL;            \
    if (form == 0) {                                   \
      blocking;                                        \
    } else if (form == 1) {                            \
      starting;                                        \
      MPI_Wait(&request, MPI_STATUS_IGNORE);           \
      CHECK(request == MPI_REQUEST_NULL);              \
    } else {                                           \
      making;                                          \
      MPI_Start(&request);                             \
      MPI_Wait(&request, MPI_STATUS_IGNORE);           \
      MPI_Request_free(&request);                      \
    }                                                  \
  } while (0)

#define WORLD MPI_COMM_WORLD

static int value_of(int rank, int i) { return rank * 1000003 + i; }

static void fill(int* data, int n, int rank) {
  int i;
  for (i = 0; i < n; ++i) data[i] = value_of(rank, i);
}

static void clear(int* data, int n) { memset(data, 0xff, (size_t)n * sizeof *data); }

static void bcast(int n, int root, int form) {
  int i;
  if (check_rank == root) {
    fill(out, n, root);
  } else {
    clear(out, n);
  }
  IN_ALL_FORMS(form, MPI_Bcast(out, n, MPI_INT, root, WORLD), MPI_Ibcast(out, n, MPI_INT, root, WORLD, &request),
               MPI_Bcast_init(out, n, MPI_INT, root, WORLD, MPI_INFO_NULL, &request));
  for (i = 0; i < n; ++i) CHECK_EQUAL(value_of(root, i), out[i]);
}

static void reduce(int n, int root, int form, int in_place) {
  int i;
  const int here = in_place && check_rank == root;
  clear(out, n);
  for (i = 0; i < n; ++i) (here ? out : in)[i] = check_rank + i;
  IN_ALL_FORMS(
      form, MPI_Reduce(here ? MPI_IN_PLACE : in, out, n, MPI_INT, MPI_SUM, root, WORLD),
      MPI_Ireduce(here ? MPI_IN_PLACE : in, out, n, MPI_INT, MPI_SUM, root, WORLD, &request),
      MPI_Reduce_init(here ? MPI_IN_PLACE : in, out, n, MPI_INT, MPI_SUM, root, WORLD, MPI_INFO_NULL, &request));
  for (i = 0; i < n; ++i) CHECK_EQUAL(check_rank == root ? size * (size - 1) / 2 + size * i : -1, out[i]);
}

static void allreduce(int n, int form, int in_place) {
  int i;
  clear(out, n);
  for (i = 0; i < n; ++i) (in_place ? out : in)[i] = check_rank * 7 + i;
  IN_ALL_FORMS(
      form, MPI_Allreduce(in_place ? MPI_IN_PLACE : in, out, n, MPI_INT, MPI_MAX, WORLD),
      MPI_Iallreduce(in_place ? MPI_IN_PLACE : in, out, n, MPI_INT, MPI_MAX, WORLD, &request),
      MPI_Allreduce_init(in_place ? MPI_IN_PLACE : in, out, n, MPI_INT, MPI_MAX, WORLD, MPI_INFO_NULL, &request));
  for (i = 0; i < n; ++i) CHECK_EQUAL((size - 1) * 7 + i, out[i]);
}

static void scans(int n, int form, int in_place) {
  int i;
  const int before = check_rank * (check_rank - 1) / 2;
  for (i = 0; i < n; ++i) (in_place ? out : in)[i] = check_rank + i;
  IN_ALL_FORMS(form, MPI_Scan(in_place ? MPI_IN_PLACE : in, out, n, MPI_INT, MPI_SUM, WORLD),
               MPI_Iscan(in_place ? MPI_IN_PLACE : in, out, n, MPI_INT, MPI_SUM, WORLD, &request),
               MPI_Scan_init(in_place ? MPI_IN_PLACE : in, out, n, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &request));
  for (i = 0; i < n; ++i) CHECK_EQUAL(before + check_rank + (check_rank + 1) * i, out[i]);
  for (i = 0; i < n; ++i) (in_place ? out : in)[i] = check_rank + i;
  IN_ALL_FORMS(form, MPI_Exscan(in_place ? MPI_IN_PLACE : in, out, n, MPI_INT, MPI_SUM, WORLD),
               MPI_Iexscan(in_place ? MPI_IN_PLACE : in, out, n, MPI_INT, MPI_SUM, WORLD, &request),
               MPI_Exscan_init(in_place ? MPI_IN_PLACE : in, out, n, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &request));
  for (i = 0; i < n && check_rank > 0; ++i) CHECK_EQUAL(before + check_rank * i, out[i]);
}

static void gather(int n, int root, int form, int in_place) {
  int i, r;
  const int here = in_place && check_rank == root;
  clear(out, n * size);
  fill(here ? out + root * n : in, n, check_rank);
  IN_ALL_FORMS(
      form, MPI_Gather(here ? MPI_IN_PLACE : in, n, MPI_INT, out, n, MPI_INT, root, WORLD),
      MPI_Igather(here ? MPI_IN_PLACE : in, n, MPI_INT, out, n, MPI_INT, root, WORLD, &request),
      MPI_Gather_init(here ? MPI_IN_PLACE : in, n, MPI_INT, out, n, MPI_INT, root, WORLD, MPI_INFO_NULL, &request));
  for (r = 0; r < size && check_rank == root; ++r) {
    for (i = 0; i < n; ++i) CHECK_EQUAL(value_of(r, i), out[r * n + i]);
  }
}

static void scatter(int n, int root, int form, int in_place) {
  int i, r;
  const int here = in_place && check_rank == root;
  for (r = 0; r < size; ++r) fill(in + r * n, n, r + root);
  clear(out, n);
  IN_ALL_FORMS(
      form, MPI_Scatter(in, n, MPI_INT, here ? MPI_IN_PLACE : out, n, MPI_INT, root, WORLD),
      MPI_Iscatter(in, n, MPI_INT, here ? MPI_IN_PLACE : out, n, MPI_INT, root, WORLD, &request),
      MPI_Scatter_init(in, n, MPI_INT, here ? MPI_IN_PLACE : out, n, MPI_INT, root, WORLD, MPI_INFO_NULL, &request));
  for (i = 0; i < n; ++i) CHECK_EQUAL(here ? -1 : value_of(check_rank + root, i), out[i]);
}

static void allgather(int n, int form, int in_place) {
  int i, r;
  clear(out, n * size);
  fill(in_place ? out + check_rank * n : in, n, check_rank);
  IN_ALL_FORMS(
      form, MPI_Allgather(in_place ? MPI_IN_PLACE : in, n, MPI_INT, out, n, MPI_INT, WORLD),
      MPI_Iallgather(in_place ? MPI_IN_PLACE : in, n, MPI_INT, out, n, MPI_INT, WORLD, &request),
      MPI_Allgather_init(in_place ? MPI_IN_PLACE : in, n, MPI_INT, out, n, MPI_INT, WORLD, MPI_INFO_NULL, &request));
  for (r = 0; r < size; ++r) {
    for (i = 0; i < n; ++i) CHECK_EQUAL(value_of(r, i), out[r * n + i]);
  }
}

static void alltoall(int n, int form, int in_place) {
  int i, r;
  clear(out, n * size);
  for (r = 0; r < size; ++r) fill((in_place ? out : in) + r * n, n, check_rank * 16 + r);
  IN_ALL_FORMS(
      form, MPI_Alltoall(in_place ? MPI_IN_PLACE : in, n, MPI_INT, out, n, MPI_INT, WORLD),
      MPI_Ialltoall(in_place ? MPI_IN_PLACE : in, n, MPI_INT, out, n, MPI_INT, WORLD, &request),
      MPI_Alltoall_init(in_place ? MPI_IN_PLACE : in, n, MPI_INT, out, n, MPI_INT, WORLD, MPI_INFO_NULL, &request));
  for (r = 0; r < size; ++r) {
    for (i = 0; i < n; ++i) CHECK_EQUAL(value_of(r * 16 + check_rank, i), out[r * n + i]);
  }
}

static void reduce_scatters(int n, int form) {
  int i, own[ranks_most], r, start = 0;
  for (i = 0; i < n * size; ++i) in[i] = check_rank + i;
  IN_ALL_FORMS(form, MPI_Reduce_scatter_block(in, out, n, MPI_INT, MPI_SUM, WORLD),
               MPI_Ireduce_scatter_block(in, out, n, MPI_INT, MPI_SUM, WORLD, &request),
               MPI_Reduce_scatter_block_init(in, out, n, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &request));
  for (i = 0; i < n; ++i) CHECK_EQUAL(size * (size - 1) / 2 + size * (check_rank * n + i), out[i]);
  for (r = 0; r < size; ++r) {
    own[r] = r % 3 == 1 ? 0 : n;
    if (r < check_rank) start += own[r];
  }
  IN_ALL_FORMS(form, MPI_Reduce_scatter(in, out, own, MPI_INT, MPI_SUM, WORLD),
               MPI_Ireduce_scatter(in, out, own, MPI_INT, MPI_SUM, WORLD, &request),
               MPI_Reduce_scatter_init(in, out, own, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &request));
  for (i = 0; i < own[check_rank]; ++i) CHECK_EQUAL(size * (size - 1) / 2 + size * (start + i), out[i]);
}

/* Block r has r + n elements, with a hole of one element after each. */
static void vectors(int n, int form) {
  int sizes[ranks_most], places[ranks_most], r, i, root = size / 2, at = 0;
  for (r = 0; r < size; ++r) {
    sizes[r] = r + n;
    places[r] = at;
    at += sizes[r] + 1;
  }
  fill(in, sizes[check_rank], check_rank);
  clear(out, at);
  IN_ALL_FORMS(form, MPI_Gatherv(in, sizes[check_rank], MPI_INT, out, sizes, places, MPI_INT, root, WORLD),
               MPI_Igatherv(in, sizes[check_rank], MPI_INT, out, sizes, places, MPI_INT, root, WORLD, &request),
               MPI_Gatherv_init(in, sizes[check_rank], MPI_INT, out, sizes, places, MPI_INT, root, WORLD, MPI_INFO_NULL,
                                &request));
  for (r = 0; r < size && check_rank == root; ++r) {
    for (i = 0; i < sizes[r]; ++i) CHECK_EQUAL(value_of(r, i), out[places[r] + i]);
    CHECK_EQUAL(-1, out[places[r] + sizes[r]]);
  }
  clear(out, at);
  IN_ALL_FORMS(
      form, MPI_Allgatherv(in, sizes[check_rank], MPI_INT, out, sizes, places, MPI_INT, WORLD),
      MPI_Iallgatherv(in, sizes[check_rank], MPI_INT, out, sizes, places, MPI_INT, WORLD, &request),
      MPI_Allgatherv_init(in, sizes[check_rank], MPI_INT, out, sizes, places, MPI_INT, WORLD, MPI_INFO_NULL, &request));
  for (r = 0; r < size; ++r) {
    for (i = 0; i < sizes[r]; ++i) CHECK_EQUAL(value_of(r, i), out[places[r] + i]);
    CHECK_EQUAL(-1, out[places[r] + sizes[r]]);
  }
  for (r = 0; r < size; ++r) fill(in + places[r], sizes[r], r);
  clear(out, at);
  IN_ALL_FORMS(form, MPI_Scatterv(in, sizes, places, MPI_INT, out, sizes[check_rank], MPI_INT, root, WORLD),
               MPI_Iscatterv(in, sizes, places, MPI_INT, out, sizes[check_rank], MPI_INT, root, WORLD, &request),
               MPI_Scatterv_init(in, sizes, places, MPI_INT, out, sizes[check_rank], MPI_INT, root, WORLD,
                                 MPI_INFO_NULL, &request));
  for (i = 0; i < sizes[check_rank]; ++i) CHECK_EQUAL(value_of(check_rank, i), out[i]);
}

/* To rank r go r + n elements; so everybody receives as many as its own rank says. */
static void alltoallv(int n, int form) {
  int to[ranks_most], to_places[ranks_most], from[ranks_most], from_places[ranks_most], r, i, at = 0;
  for (r = 0; r < size; ++r) {
    to[r] = r + n;
    to_places[r] = at;
    at += to[r] + 2;
    from[r] = check_rank + n;
    from_places[r] = r * (check_rank + n + 3);
    fill(in + to_places[r], to[r], check_rank * 16 + r);
  }
  IN_ALL_FORMS(
      form, MPI_Alltoallv(in, to, to_places, MPI_INT, out, from, from_places, MPI_INT, WORLD),
      MPI_Ialltoallv(in, to, to_places, MPI_INT, out, from, from_places, MPI_INT, WORLD, &request),
      MPI_Alltoallv_init(in, to, to_places, MPI_INT, out, from, from_places, MPI_INT, WORLD, MPI_INFO_NULL, &request));
  for (r = 0; r < size; ++r) {
    for (i = 0; i < from[r]; ++i) CHECK_EQUAL(value_of(r * 16 + check_rank, i), out[from_places[r] + i]);
  }
}

static void barriers(int form) {
  IN_ALL_FORMS(form, MPI_Barrier(WORLD), MPI_Ibarrier(WORLD, &request),
               MPI_Barrier_init(WORLD, MPI_INFO_NULL, &request));
}

/* Several non-blocking ones at once, completed in another order, with messages between them. */
static void overlapping(void) {
  int sums[6], values[6], roots[6], i, got = -1;
  MPI_Request requests[13];
  for (i = 0; i < 6; ++i) {
    values[i] = check_rank + i;
    roots[i] = check_rank == i % size ? 500 + i : -1;
    MPI_Iallreduce(&values[i], &sums[i], 1, MPI_INT, MPI_SUM, WORLD, &requests[i]);
    MPI_Ibcast(&roots[i], 1, MPI_INT, i % size, WORLD, &requests[6 + i]);
  }
  MPI_Ibarrier(WORLD, &requests[12]);
  MPI_Sendrecv(&check_rank, 1, MPI_INT, (check_rank + 1) % size, 0, &got, 1, MPI_INT, (check_rank + size - 1) % size, 0,
               WORLD, MPI_STATUS_IGNORE);
  CHECK_EQUAL((check_rank + size - 1) % size, got);
  for (i = 12; i >= 0; i -= 2) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  MPI_Waitall(13, requests, MPI_STATUSES_IGNORE);
  for (i = 0; i < 6; ++i) {
    CHECK_EQUAL(size * (size - 1) / 2 + size * i, sums[i]);
    CHECK_EQUAL(500 + i, roots[i]);
  }
}

/* Blocking and non-blocking operations have an order each: how they are mixed differs from process to process. The
   standard does not promise that it works; MPICH and this library do. More rounds than the library has places. */
static void apart(int n) {
  enum { rounds = 6 };
  static int sums[most];
  MPI_Request requests[rounds];
  int i, round;
  for (round = 0; round < rounds; ++round) {
    const int early = (round + check_rank) % 3;
    for (i = 0; i < n; ++i) {
      in[round * n + i] = check_rank + round;
      sums[i] = check_rank;
    }
    if (early == 0) MPI_Iallreduce(in + round * n, out + round * n, n, MPI_INT, MPI_SUM, WORLD, requests + round);
    MPI_Allreduce(MPI_IN_PLACE, sums, n, MPI_INT, MPI_SUM, WORLD);
    if (early == 1) MPI_Iallreduce(in + round * n, out + round * n, n, MPI_INT, MPI_SUM, WORLD, requests + round);
    MPI_Barrier(WORLD);
    if (early == 2) MPI_Iallreduce(in + round * n, out + round * n, n, MPI_INT, MPI_SUM, WORLD, requests + round);
    for (i = 0; i < n; ++i) CHECK_EQUAL(size * (size - 1) / 2, sums[i]);
  }
  MPI_Waitall(rounds, requests, MPI_STATUSES_IGNORE);
  for (round = 0; round < rounds; ++round) {
    for (i = 0; i < n; ++i) CHECK_EQUAL(size * (size - 1) / 2 + size * round, out[round * n + i]);
  }
}

int main(int argc, char** argv) {
  int form, root;
  size_t c;
  MPI_Init(&argc, &argv);
  check_start(&size);
  in = malloc((size_t)size * (most + 64) * sizeof *in);
  out = malloc((size_t)size * (most + 64) * sizeof *out);
  for (form = 0; form < 3; ++form) {
    for (c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
      const int n = counts[c];
      int in_place;
      for (in_place = 0; in_place < 2; ++in_place) {
        for (root = 0; root < size; root += 2) {
          bcast(n, root, form);
          reduce(n, root, form, in_place);
          gather(n, root, form, in_place);
          scatter(n, root, form, in_place);
        }
        allreduce(n, form, in_place);
        scans(n, form, in_place);
        allgather(n, form, in_place);
        alltoall(n, form, in_place);
      }
      reduce_scatters(n, form);
      vectors(n, form);
      alltoallv(n, form);
    }
    barriers(form);
  }
  overlapping();
  apart(1);
  apart(most / 8);
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
