/* The neighbourhood collectives in all their forms, on a ring: each process has its predecessor and its successor as
   sources and as destinations. The contents say who sent them, and along which edge. */
#include "p2p_check.h"

enum { most = 5 };

static MPI_Comm ring;
static int before, behind;
static int in[2 * most], out[2 * most];

static int value_of(int rank, int edge, int i) { return rank * 1000 + edge * 100 + i; }

static void fill(void) {
  int edge, i;
  for (edge = 0; edge < 2; ++edge) {
    for (i = 0; i < most; ++i) in[edge * most + i] = value_of(check_rank, edge, i);
  }
  memset(out, -1, sizeof out);
}

/* The predecessor sends to its edge 1, the successor to its edge 0. `same`: everybody sends its first block only. */
static void check_arrived(int count, int same, const int* places) {
  int edge, i;
  for (edge = 0; edge < 2; ++edge) {
    const int from = edge == 0 ? before : behind;
    for (i = 0; i < count; ++i) {
      CHECK_EQUAL(value_of(from, same ? 0 : 1 - edge, i), out[places[edge] + i]);
    }
  }
}

static void finish(int form, MPI_Request* request) {
  if (form == 0) return;
  if (form == 2) MPI_Start(request);
  MPI_Wait(request, MPI_STATUS_IGNORE);
  if (form == 2) MPI_Request_free(request);
}

static void allgathers(int form) {
  const int counts[2] = {most, most}, places[2] = {most, 0}, usual[2] = {0, most};
  MPI_Request request;
  fill();
  if (form == 0) MPI_Neighbor_allgather(in, most, MPI_INT, out, most, MPI_INT, ring);
  if (form == 1) MPI_Ineighbor_allgather(in, most, MPI_INT, out, most, MPI_INT, ring, &request);
  if (form == 2) MPI_Neighbor_allgather_init(in, most, MPI_INT, out, most, MPI_INT, ring, MPI_INFO_NULL, &request);
  finish(form, &request);
  check_arrived(most, 1, usual);
  fill();
  if (form == 0) MPI_Neighbor_allgatherv(in, most, MPI_INT, out, counts, places, MPI_INT, ring);
  if (form == 1) MPI_Ineighbor_allgatherv(in, most, MPI_INT, out, counts, places, MPI_INT, ring, &request);
  if (form == 2) {
    MPI_Neighbor_allgatherv_init(in, most, MPI_INT, out, counts, places, MPI_INT, ring, MPI_INFO_NULL, &request);
  }
  finish(form, &request);
  check_arrived(most, 1, places);
}

static void alltoalls(int form) {
  const int counts[2] = {most - 2, most - 2}, sends[2] = {0, most}, places[2] = {most, 0};
  const MPI_Aint send_bytes[2] = {0, most * sizeof(int)}, place_bytes[2] = {most * sizeof(int), 0};
  const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Request request;
  fill();
  if (form == 0) MPI_Neighbor_alltoallv(in, counts, sends, MPI_INT, out, counts, places, MPI_INT, ring);
  if (form == 1) MPI_Ineighbor_alltoallv(in, counts, sends, MPI_INT, out, counts, places, MPI_INT, ring, &request);
  if (form == 2) {
    MPI_Neighbor_alltoallv_init(in, counts, sends, MPI_INT, out, counts, places, MPI_INT, ring, MPI_INFO_NULL,
                                &request);
  }
  finish(form, &request);
  check_arrived(most - 2, 0, places);
  CHECK_EQUAL(-1, out[most - 1]);
  fill();
  if (form == 0) MPI_Neighbor_alltoallw(in, counts, send_bytes, types, out, counts, place_bytes, types, ring);
  if (form == 1) {
    MPI_Ineighbor_alltoallw(in, counts, send_bytes, types, out, counts, place_bytes, types, ring, &request);
  }
  if (form == 2) {
    MPI_Neighbor_alltoallw_init(in, counts, send_bytes, types, out, counts, place_bytes, types, ring, MPI_INFO_NULL,
                                &request);
  }
  finish(form, &request);
  check_arrived(most - 2, 0, places);
}

/* Not of the neighbourhood, but of the same form. */
static void alltoallw(int form, int size) {
  int *counts = malloc(sizeof(int) * (size_t)size), *places = malloc(sizeof(int) * (size_t)size), i;
  int *sent = malloc(sizeof(int) * (size_t)size), *got = malloc(sizeof(int) * (size_t)size);
  MPI_Datatype* types = malloc(sizeof *types * (size_t)size);
  MPI_Request request;
  for (i = 0; i < size; ++i) {
    counts[i] = 1;
    places[i] = i * (int)sizeof(int);
    types[i] = MPI_INT;
    sent[i] = value_of(check_rank, 0, i);
  }
  if (form == 0) MPI_Alltoallw(sent, counts, places, types, got, counts, places, types, MPI_COMM_WORLD);
  if (form == 1) MPI_Ialltoallw(sent, counts, places, types, got, counts, places, types, MPI_COMM_WORLD, &request);
  if (form == 2) {
    MPI_Alltoallw_init(sent, counts, places, types, got, counts, places, types, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request);
  }
  finish(form, &request);
  for (i = 0; i < size; ++i) CHECK_EQUAL(value_of(i, 0, check_rank), got[i]);
  free(counts);
  free(places);
  free(sent);
  free(got);
  free(types);
}

int main(int argc, char** argv) {
  int size, form, around[2];
  MPI_Init(&argc, &argv);
  check_start(&size);
  around[0] = before = (check_rank + size - 1) % size;
  around[1] = behind = (check_rank + 1) % size;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, around, MPI_UNWEIGHTED, 2, around, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &ring);
  for (form = 0; form < 3; ++form) {
    allgathers(form);
    /* With two processes both edges lead to the same one, which cannot tell them apart. */
    if (size > 2) alltoalls(form);
    alltoallw(form, size);
  }
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return 0;
}
