/* Wildcards, the order of messages, and tags, among three processes. */
#include "p2p_check.h"

enum { messages = 500 };

/* Messages of one sender on one tag arrive in order, whatever their sizes and even through wildcards. */
static void order_of_one_sender(void) {
  int i;
  static int data[20000];
  if (check_rank == 1) {
    for (i = 0; i < messages; ++i) {
      data[0] = i;
      MPI_Send(data, i % 50 == 49 ? 20000 : 1 + i % 7, MPI_INT, 0, 5, MPI_COMM_WORLD);
    }
  } else if (check_rank == 0) {
    for (i = 0; i < messages; ++i) {
      MPI_Status status;
      MPI_Recv(data, 20000, MPI_INT, i % 3 == 0 ? MPI_ANY_SOURCE : 1, i % 2 == 0 ? MPI_ANY_TAG : 5, MPI_COMM_WORLD,
               &status);
      CHECK_EQUAL(i, data[0]);
      CHECK_EQUAL(1, status.MPI_SOURCE);
      CHECK_EQUAL(5, status.MPI_TAG);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Posted receives match in the order of posting, wildcards included. */
static void order_of_receives(void) {
  int values[4] = {-1, -1, -1, -1}, i;
  MPI_Request requests[4];
  MPI_Status statuses[4];
  if (check_rank == 0) {
    MPI_Irecv(&values[0], 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&values[1], 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(&values[2], 1, MPI_INT, 2, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[2]);
    MPI_Irecv(&values[3], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[3]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Waitall(4, requests, statuses);
    for (i = 0; i < 4; ++i) {
      CHECK_EQUAL(i, values[i]);
      CHECK_EQUAL(2, statuses[i].MPI_SOURCE);
      CHECK_EQUAL(7, statuses[i].MPI_TAG);
    }
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 2) {
      for (i = 0; i < 4; ++i) MPI_Send(&i, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Tags choose among unexpected messages; other tags stay. */
static void tags_out_of_order(void) {
  int i, value;
  MPI_Status status;
  if (check_rank == 1) {
    for (i = 0; i < 20; ++i) {
      value = 1000 + i;
      MPI_Send(&value, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (check_rank == 0) {
    for (i = 19; i >= 0; i -= 2) {
      MPI_Recv(&value, 1, MPI_INT, 1, i, MPI_COMM_WORLD, &status);
      CHECK_EQUAL(1000 + i, value);
    }
    for (i = 0; i < 20; i += 2) {
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      CHECK_EQUAL(1000 + i, value);
      CHECK_EQUAL(i, status.MPI_TAG);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Many senders into one wildcard receiver: nothing lost, each sender in order. */
static void many_to_one(int size) {
  int next[8] = {0}, i, value[2];
  if (check_rank != 0) {
    for (i = 0; i < messages; ++i) {
      value[0] = check_rank;
      value[1] = i;
      MPI_Send(value, 2, MPI_INT, 0, check_rank, MPI_COMM_WORLD);
    }
  } else {
    for (i = 0; i < messages * (size - 1); ++i) {
      MPI_Status status;
      MPI_Recv(value, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      CHECK_EQUAL(status.MPI_SOURCE, value[0]);
      CHECK_EQUAL(status.MPI_TAG, value[0]);
      CHECK_EQUAL(next[value[0]], value[1]);
      ++next[value[0]];
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* The largest tag; MPI_PROC_NULL on both sides; a send to oneself. */
static void edges(void) {
  int flag, *upper, value = 3, got = 0;
  MPI_Status status;
  MPI_Request request;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &upper, &flag);
  CHECK(flag);
  CHECK(*upper >= 32767);
  MPI_Irecv(&got, 1, MPI_INT, check_rank, *upper, MPI_COMM_WORLD, &request);
  MPI_Send(&value, 1, MPI_INT, check_rank, *upper, MPI_COMM_WORLD);
  MPI_Wait(&request, &status);
  CHECK_EQUAL(3, got);
  CHECK_EQUAL(*upper, status.MPI_TAG);
  CHECK_EQUAL(check_rank, status.MPI_SOURCE);
  MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Recv(&got, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
  CHECK_EQUAL(3, got);
  CHECK_EQUAL(MPI_PROC_NULL, status.MPI_SOURCE);
  CHECK_EQUAL(MPI_ANY_TAG, status.MPI_TAG);
  CHECK_EQUAL(0, received_count(&status, MPI_INT));
}

int main(int argc, char** argv) {
  int size;
  MPI_Init(&argc, &argv);
  check_start(&size);
  CHECK_EQUAL(3, size);
  order_of_one_sender();
  order_of_receives();
  tags_out_of_order();
  many_to_one(size);
  edges();
  MPI_Finalize();
  return 0;
}
