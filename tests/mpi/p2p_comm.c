/* Communicators: dup, idup, split, create, create_group, free; messages stay within one. */
#include "p2p_check.h"

/* Says something on one communicator, and checks that a second one, and wildcards on it, do not hear it. */
static void apart(MPI_Comm one, MPI_Comm other) {
  int rank, size, mine, got = -1, flag;
  MPI_Request request;
  MPI_Comm_rank(one, &rank);
  MPI_Comm_size(one, &size);
  mine = 100 + rank;
  MPI_Isend(&mine, 1, MPI_INT, (rank + 1) % size, 4, one, &request);
  MPI_Barrier(other);
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, other, &flag, MPI_STATUS_IGNORE);
  CHECK(!flag);
  MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, one, MPI_STATUS_IGNORE);
  CHECK_EQUAL(100 + (rank + size - 1) % size, got);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(one);
}

static void check_works(MPI_Comm comm) {
  int rank, size, sum = -1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK_EQUAL(size * (size - 1) / 2, sum);
}

static void duplicates(void) {
  MPI_Comm copies[3];
  MPI_Request requests[2];
  int result, rank;
  MPI_Comm_dup(MPI_COMM_WORLD, &copies[0]);
  MPI_Comm_idup(MPI_COMM_WORLD, &copies[1], &requests[0]);
  MPI_Comm_idup(copies[0], &copies[2], &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Comm_compare(MPI_COMM_WORLD, copies[0], &result);
  CHECK_EQUAL(MPI_CONGRUENT, result);
  MPI_Comm_compare(copies[0], copies[0], &result);
  CHECK_EQUAL(MPI_IDENT, result);
  MPI_Comm_rank(copies[1], &rank);
  CHECK_EQUAL(check_rank, rank);
  apart(MPI_COMM_WORLD, copies[0]);
  apart(copies[1], copies[0]);
  apart(copies[2], MPI_COMM_WORLD);
  MPI_Comm_free(&copies[1]);
  CHECK(copies[1] == MPI_COMM_NULL);
  check_works(copies[2]);
  MPI_Comm_free(&copies[0]);
  MPI_Comm_free(&copies[2]);
}

/* Different processes make communicators of different parents in different orders at the same time. */
static void interleaved(void) {
  MPI_Comm one, other, from_one, from_other;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &one);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  if (check_rank % 2 == 0) {
    MPI_Comm_idup(one, &from_one, &request);
    MPI_Comm_dup(other, &from_other);
  } else {
    MPI_Comm_dup(other, &from_other);
    MPI_Comm_idup(one, &from_one, &request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  apart(from_one, from_other);
  apart(from_other, from_one);
  MPI_Comm_free(&from_one);
  MPI_Comm_free(&from_other);
  MPI_Comm_free(&one);
  MPI_Comm_free(&other);
}

static void splits(int size) {
  MPI_Comm half, backwards, none, node;
  int rank, parts, result;
  MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2, check_rank, &half);
  MPI_Comm_rank(half, &rank);
  CHECK_EQUAL(check_rank / 2, rank);
  MPI_Comm_size(half, &parts);
  CHECK_EQUAL((size + 1 - check_rank % 2) / 2, parts);
  check_works(half);
  apart(half, MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, 5, -check_rank, &backwards);
  MPI_Comm_rank(backwards, &rank);
  CHECK_EQUAL(size - 1 - check_rank, rank);
  MPI_Comm_compare(MPI_COMM_WORLD, backwards, &result);
  CHECK_EQUAL(size == 1 ? MPI_CONGRUENT : MPI_SIMILAR, result);
  check_works(backwards);
  MPI_Comm_split(MPI_COMM_WORLD, check_rank == 0 ? MPI_UNDEFINED : 0, 0, &none);
  CHECK((none == MPI_COMM_NULL) == (check_rank == 0));
  if (none != MPI_COMM_NULL) {
    check_works(none);
    MPI_Comm_compare(MPI_COMM_WORLD, none, &result);
    CHECK_EQUAL(MPI_UNEQUAL, result);
    MPI_Comm_free(&none);
  }
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  CHECK(node != MPI_COMM_NULL);
  check_works(node);
  MPI_Comm_free(&node);
  MPI_Comm_free(&backwards);
  MPI_Comm_free(&half);
}

static void created(int size) {
  MPI_Group world, part;
  MPI_Comm comm;
  int ranks[16], i, n = 0, rank, position;
  for (i = size - 1; i >= 0; i -= 2) ranks[n++] = i;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, n, ranks, &part);
  MPI_Group_rank(part, &position);
  MPI_Comm_create(MPI_COMM_WORLD, part, &comm);
  CHECK((comm == MPI_COMM_NULL) == (position == MPI_UNDEFINED));
  if (comm != MPI_COMM_NULL) {
    MPI_Comm_rank(comm, &rank);
    CHECK_EQUAL(position, rank);
    check_works(comm);
    MPI_Comm_free(&comm);
    MPI_Comm_create_group(MPI_COMM_WORLD, part, 17, &comm);
    MPI_Comm_rank(comm, &rank);
    CHECK_EQUAL(position, rank);
    check_works(comm);
    MPI_Comm_free(&comm);
  }
  MPI_Group_free(&part);
  MPI_Group_free(&world);
}

/* What is under way on a communicator completes after it was freed. */
static void freed_early(int size) {
  MPI_Comm comm;
  MPI_Request requests[2];
  int mine = check_rank, got = -1;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Irecv(&got, 1, MPI_INT, (check_rank + 1) % size, 0, comm, &requests[0]);
  MPI_Isend(&mine, 1, MPI_INT, (check_rank + size - 1) % size, 0, comm, &requests[1]);
  MPI_Comm_free(&comm);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK_EQUAL((check_rank + 1) % size, got);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Ibarrier(comm, &requests[0]);
  MPI_Comm_free(&comm);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static void many(void) {
  enum { at_once = 40, rounds = 5 };
  MPI_Comm comms[at_once];
  int i, round;
  for (round = 0; round < rounds; ++round) {
    for (i = 0; i < at_once; ++i) MPI_Comm_dup(i == 0 ? MPI_COMM_WORLD : comms[i - 1], &comms[i]);
    for (i = 0; i < at_once; i += 7) check_works(comms[i]);
    for (i = 0; i < at_once; ++i) MPI_Comm_free(&comms[i]);
  }
}

static void names_and_info(void) {
  char name[MPI_MAX_OBJECT_NAME];
  int length, flag, inter;
  MPI_Comm comm;
  MPI_Info info;
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  CHECK(strcmp(name, "MPI_COMM_WORLD") == 0);
  CHECK_EQUAL(strlen(name), length);
  MPI_Info_create(&info);
  MPI_Info_set(info, "colour", "red");
  MPI_Comm_dup_with_info(MPI_COMM_SELF, info, &comm);
  MPI_Info_free(&info);
  MPI_Comm_get_name(comm, name, &length);
  CHECK_EQUAL(0, length);
  MPI_Comm_set_name(comm, "mine");
  MPI_Comm_get_name(comm, name, &length);
  CHECK(strcmp(name, "mine") == 0);
  MPI_Comm_get_info(comm, &info);
  MPI_Info_get(info, "no such key", 10, name, &flag);
  CHECK(!flag);
  MPI_Info_free(&info);
  MPI_Comm_test_inter(comm, &inter);
  CHECK(!inter);
  MPI_Comm_disconnect(&comm);
  CHECK(comm == MPI_COMM_NULL);
}

int main(int argc, char** argv) {
  int size;
  MPI_Init(&argc, &argv);
  check_start(&size);
  duplicates();
  interleaved();
  splits(size);
  created(size);
  freed_early(size);
  many();
  names_and_info();
  MPI_Finalize();
  return 0;
}
