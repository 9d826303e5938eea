/* Inter-communicators: how they are made, messages and all collectives on them, and what is made from them. */
#include "p2p_check.h"

static int side, side_rank, side_size, other_size;

/* The even ranks on one side, the odd ones on the other. */
static MPI_Comm two_sides(int size) {
  MPI_Comm half, both;
  int flag, remote;
  MPI_Group group;
  side = check_rank % 2;
  MPI_Comm_split(MPI_COMM_WORLD, side, check_rank, &half);
  CHECK_EQUAL(MPI_SUCCESS, MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 5, &both));
  MPI_Comm_free(&half);
  MPI_Comm_test_inter(both, &flag);
  CHECK(flag);
  MPI_Comm_rank(both, &side_rank);
  MPI_Comm_size(both, &side_size);
  MPI_Comm_remote_size(both, &other_size);
  CHECK_EQUAL(check_rank / 2, side_rank);
  CHECK_EQUAL(size, side_size + other_size);
  MPI_Comm_remote_group(both, &group);
  MPI_Group_size(group, &remote);
  CHECK_EQUAL(other_size, remote);
  MPI_Group_free(&group);
  return both;
}

static int of_other(int rank) { return 2 * rank + 1 - side; } /* the rank in the world */

static void check_messages(MPI_Comm both) {
  int value = check_rank, got = -1, partner = side_rank % other_size, i, senders = 0;
  MPI_Status status;
  MPI_Request request;
  MPI_Isend(&value, 1, MPI_INT, partner, 3, both, &request);
  for (i = 0; i < other_size; ++i) senders += i % side_size == side_rank;
  for (i = 0; i < senders; ++i) {
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 3, both, &status);
    CHECK_EQUAL(of_other(status.MPI_SOURCE), got);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The root is the last rank of the even side. */
static int root_of(void) {
  if (side == 1) return other_size - 1;
  return side_rank == side_size - 1 ? MPI_ROOT : MPI_PROC_NULL;
}

static void check_rooted(MPI_Comm both) {
  int root = root_of(), values[64], i, sum = 0, mine = check_rank, counts[64], places[64];
  for (i = 0; i < 64; ++i) values[i] = root == MPI_ROOT ? 1000 + i : -1;
  MPI_Bcast(values, 64, MPI_INT, root, both);
  if (side == 1 || root == MPI_ROOT) CHECK_EQUAL(1063, values[63]);
  if (root == MPI_PROC_NULL) CHECK_EQUAL(-1, values[63]);
  MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, root, both);
  if (root == MPI_ROOT) CHECK_EQUAL(other_size * other_size, sum); /* of the odd numbers */
  memset(values, -1, sizeof values);
  MPI_Gather(&mine, 1, MPI_INT, values, 1, MPI_INT, root, both);
  for (i = 0; i < other_size && root == MPI_ROOT; ++i) CHECK_EQUAL(of_other(i), values[i]);
  for (i = 0; i < other_size; ++i) {
    counts[i] = 1;
    places[i] = 2 * i;
  }
  memset(values, -1, sizeof values);
  MPI_Gatherv(&mine, 1, MPI_INT, values, counts, places, MPI_INT, root, both);
  for (i = 0; i < other_size && root == MPI_ROOT; ++i) CHECK_EQUAL(of_other(i), values[2 * i]);
  for (i = 0; i < 64; ++i) values[i] = 50 + i;
  mine = -1;
  MPI_Scatter(values, 1, MPI_INT, &mine, 1, MPI_INT, root, both);
  CHECK_EQUAL(side == 1 ? 50 + side_rank : -1, mine);
  mine = -1;
  MPI_Scatterv(values, counts, places, MPI_INT, &mine, 1, MPI_INT, root, both);
  CHECK_EQUAL(side == 1 ? 50 + 2 * side_rank : -1, mine);
}

static void check_symmetric(MPI_Comm both) {
  int values[64], out[64], i, sum = -1, mine = check_rank + 1, counts[64], places[64], expected = 0;
  MPI_Barrier(both);
  for (i = 0; i < other_size; ++i) expected += of_other(i) + 1;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, both);
  CHECK_EQUAL(expected, sum);
  memset(values, -1, sizeof values);
  MPI_Allgather(&mine, 1, MPI_INT, values, 1, MPI_INT, both);
  for (i = 0; i < other_size; ++i) CHECK_EQUAL(of_other(i) + 1, values[i]);
  for (i = 0; i < other_size; ++i) {
    counts[i] = 1;
    places[i] = other_size - 1 - i;
  }
  memset(values, -1, sizeof values);
  MPI_Allgatherv(&mine, 1, MPI_INT, values, counts, places, MPI_INT, both);
  for (i = 0; i < other_size; ++i) CHECK_EQUAL(of_other(i) + 1, values[places[i]]);
  for (i = 0; i < other_size; ++i) out[i] = check_rank * 100 + i;
  memset(values, -1, sizeof values);
  MPI_Alltoall(out, 1, MPI_INT, values, 1, MPI_INT, both);
  for (i = 0; i < other_size; ++i) CHECK_EQUAL(of_other(i) * 100 + side_rank, values[i]);
  memset(values, -1, sizeof values);
  for (i = 0; i < other_size; ++i) places[i] = i;
  MPI_Alltoallv(out, counts, places, MPI_INT, values, counts, places, MPI_INT, both);
  for (i = 0; i < other_size; ++i) CHECK_EQUAL(of_other(i) * 100 + side_rank, values[i]);
}

/* Each side's vectors have an element for each process of the other side, and as many on both. */
static void check_reduce_scatter(MPI_Comm both) {
  int *vector = malloc(sizeof(int) * (size_t)(side_size * other_size)),
      *counts = malloc(sizeof(int) * (size_t)side_size);
  int *result = malloc(sizeof(int) * (size_t)other_size), i;
  for (i = 0; i < side_size * other_size; ++i) vector[i] = i;
  for (i = 0; i < side_size; ++i) counts[i] = other_size;
  MPI_Reduce_scatter(vector, result, counts, MPI_INT, MPI_SUM, both);
  for (i = 0; i < other_size; ++i) CHECK_EQUAL(other_size * (side_rank * other_size + i), result[i]);
  memset(result, -1, sizeof(int) * (size_t)other_size);
  MPI_Reduce_scatter_block(vector, result, other_size, MPI_INT, MPI_SUM, both);
  for (i = 0; i < other_size; ++i) CHECK_EQUAL(other_size * (side_rank * other_size + i), result[i]);
  free(vector);
  free(counts);
  free(result);
}

static void check_later(MPI_Comm both) {
  MPI_Request requests[3], persistent;
  int sum[2] = {-1, -1}, mine = 1, value = side == 0 && side_rank == side_size - 1 ? 77 : -1, turn;
  MPI_Ibarrier(both, &requests[0]);
  MPI_Iallreduce(&mine, &sum[0], 1, MPI_INT, MPI_SUM, both, &requests[1]);
  MPI_Ibcast(&value, 1, MPI_INT, root_of(), both, &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  CHECK_EQUAL(other_size, sum[0]);
  if (side == 1) CHECK_EQUAL(77, value);
  MPI_Allreduce_init(&mine, &sum[1], 1, MPI_INT, MPI_MAX, both, MPI_INFO_NULL, &persistent);
  for (turn = 0; turn < 3; ++turn) {
    mine = 10 * turn + check_rank % 2;
    MPI_Start(&persistent);
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);
    CHECK_EQUAL(10 * turn + 1 - side, sum[1]);
  }
  MPI_Request_free(&persistent);
}

/* Duplicates, merged communicators, parts, and one made of groups. */
static void check_descendants(MPI_Comm both, int size) {
  MPI_Comm copy, merged, part;
  int rank, count, result, flag;
  MPI_Comm_dup(both, &copy);
  MPI_Comm_compare(both, copy, &result);
  CHECK_EQUAL(MPI_CONGRUENT, result);
  check_symmetric(copy);
  MPI_Comm_free(&copy);
  MPI_Intercomm_merge(both, side == 0, &merged); /* the odd ranks first */
  MPI_Comm_size(merged, &count);
  MPI_Comm_rank(merged, &rank);
  MPI_Comm_test_inter(merged, &flag);
  CHECK(!flag);
  CHECK_EQUAL(size, count);
  CHECK_EQUAL(side == 1 ? side_rank : other_size + side_rank, rank);
  MPI_Allreduce(&rank, &count, 1, MPI_INT, MPI_SUM, merged);
  CHECK_EQUAL(size * (size - 1) / 2, count);
  MPI_Comm_free(&merged);
  /* The first of each side; nobody but the last of one side says 1. */
  MPI_Comm_split(both, side_rank == 0 ? 0 : side == 0 && side_rank == side_size - 1 ? 1 : 2, 0, &part);
  if (side_rank == 0) {
    MPI_Comm_remote_size(part, &count);
    CHECK_EQUAL(1, count);
    MPI_Sendrecv(&check_rank, 1, MPI_INT, 0, 0, &rank, 1, MPI_INT, 0, 0, part, MPI_STATUS_IGNORE);
    CHECK_EQUAL(1 - side, rank);
  } else if (side == 0 && side_rank == side_size - 1) {
    CHECK(part == MPI_COMM_NULL);
  }
  if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
}

/* All processes share the memory of one machine: both groups whole, in the order of the keys. */
static void check_split_type(MPI_Comm both) {
  MPI_Comm part;
  int rank, got;
  CHECK_EQUAL(MPI_SUCCESS, MPI_Comm_split_type(both, MPI_COMM_TYPE_SHARED, -side_rank, MPI_INFO_NULL, &part));
  MPI_Comm_size(part, &rank);
  CHECK_EQUAL(side_size, rank);
  MPI_Comm_remote_size(part, &rank);
  CHECK_EQUAL(other_size, rank);
  MPI_Comm_rank(part, &rank);
  CHECK_EQUAL(side_size - 1 - side_rank, rank);
  MPI_Allreduce(&side_rank, &got, 1, MPI_INT, MPI_MAX, part);
  CHECK_EQUAL(other_size - 1, got);
  MPI_Comm_free(&part);
  CHECK_EQUAL(MPI_SUCCESS, MPI_Comm_split_type(both, MPI_UNDEFINED, 0, MPI_INFO_NULL, &part));
  CHECK(part == MPI_COMM_NULL);
  CHECK_EQUAL(MPI_SUCCESS, MPI_Comm_split_type(both, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &part));
  if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
}

static void check_of_groups(int size) {
  MPI_Group world, groups[2];
  MPI_Comm both;
  int range[2][3] = {{0, (size - 1) / 2 * 2, 2}, {1, (size - 2) / 2 * 2 + 1, 2}}, sum, one = 1, i;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  for (i = 0; i < 2; ++i) MPI_Group_range_incl(world, 1, &range[i], &groups[i]);
  CHECK_EQUAL(MPI_SUCCESS, MPI_Intercomm_create_from_groups(groups[side], 0, groups[1 - side], 0, "both sides",
                                                            MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &both));
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, both);
  CHECK_EQUAL(other_size, sum);
  MPI_Comm_free(&both);
  CHECK_EQUAL(MPI_SUCCESS,
              MPI_Comm_create_from_group(groups[side], "one side", MPI_INFO_NULL, MPI_ERRORS_RETURN, &both));
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, both);
  CHECK_EQUAL(side_size, sum);
  MPI_Comm_free(&both);
  for (i = 0; i < 2; ++i) MPI_Group_free(&groups[i]);
  MPI_Group_free(&world);
}

static void check_refusals(MPI_Comm both) {
  int value = 0;
  MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK_CLASS(MPI_ERR_RANK, MPI_Send(&value, 1, MPI_INT, other_size, 0, both));
  CHECK_CLASS(MPI_ERR_ROOT, MPI_Bcast(&value, 1, MPI_INT, other_size, both));
}

int main(int argc, char** argv) {
  int size;
  MPI_Comm both;
  MPI_Init(&argc, &argv);
  check_start(&size);
  both = two_sides(size);
  check_messages(both);
  check_rooted(both);
  check_symmetric(both);
  check_reduce_scatter(both);
  check_later(both);
  check_descendants(both, size);
  check_split_type(both);
  check_of_groups(size);
  check_refusals(both);
  MPI_Comm_free(&both);
  MPI_Finalize();
  return 0;
}
