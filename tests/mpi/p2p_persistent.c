/* Persistent requests: every mode, started again and again, alone and together. */
#include "p2p_check.h"

enum { starts = 30, count = 3000 };

static int out[4][count], in[4][count];

static void every_mode(void) {
  MPI_Request requests[4];
  MPI_Status statuses[4];
  int start, mode, i;
  static char buffer[4 * count * sizeof(int) + 8 * MPI_BSEND_OVERHEAD];
  void* detached;
  int detached_size;
  MPI_Buffer_attach(buffer, sizeof buffer);
  for (mode = 0; mode < 4; ++mode) {
    if (check_rank == 1) MPI_Recv_init(in[mode], count, MPI_INT, 0, mode, MPI_COMM_WORLD, &requests[mode]);
  }
  if (check_rank == 0) {
    MPI_Send_init(out[0], count, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Ssend_init(out[1], count, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Bsend_init(out[2], count, MPI_INT, 1, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Rsend_init(out[3], count, MPI_INT, 1, 3, MPI_COMM_WORLD, &requests[3]);
  }
  for (start = 0; start < starts; ++start) {
    for (mode = 0; mode < 4; ++mode) {
      for (i = 0; i < count; ++i) {
        out[mode][i] = start * 1000 + mode * 100 + i;
        in[mode][i] = -1;
      }
    }
    if (check_rank == 1) MPI_Startall(4, requests);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0) {
      if (start % 2) {
        MPI_Startall(4, requests);
      } else {
        for (mode = 0; mode < 4; ++mode) MPI_Start(&requests[mode]);
      }
    }
    MPI_Waitall(4, requests, statuses);
    for (mode = 0; mode < 4; ++mode) {
      CHECK(requests[mode] != MPI_REQUEST_NULL);
      if (check_rank != 1) continue;
      CHECK_EQUAL(mode, statuses[mode].MPI_TAG);
      CHECK_EQUAL(count, received_count(&statuses[mode], MPI_INT));
      for (i = 0; i < count; ++i) CHECK_EQUAL(out[mode][i], in[mode][i]);
    }
  }
  for (mode = 0; mode < 4; ++mode) {
    MPI_Request_free(&requests[mode]);
    CHECK(requests[mode] == MPI_REQUEST_NULL);
  }
  MPI_Buffer_detach(&detached, &detached_size);
  CHECK(detached == buffer);
}

/* An inactive request completes at once, with the empty status. */
static void inactive(void) {
  MPI_Request request;
  MPI_Status status;
  int value, flag = 0, cancelled, indx = 0;
  MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  CHECK_EQUAL(MPI_ANY_SOURCE, status.MPI_SOURCE);
  CHECK_EQUAL(MPI_ANY_TAG, status.MPI_TAG);
  CHECK_EQUAL(0, received_count(&status, MPI_INT));
  MPI_Test_cancelled(&status, &cancelled);
  CHECK(!cancelled);
  MPI_Test(&request, &flag, &status);
  CHECK(flag);
  MPI_Waitany(1, &request, &indx, &status);
  CHECK_EQUAL(MPI_UNDEFINED, indx);
  CHECK(request != MPI_REQUEST_NULL);
  MPI_Request_free(&request);
}

static void null_peers(void) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int value = 5, i;
  MPI_Send_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
  for (i = 0; i < 3; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, statuses);
    CHECK_EQUAL(MPI_PROC_NULL, statuses[1].MPI_SOURCE);
    CHECK_EQUAL(5, value);
  }
  for (i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
}

/* A strided type is packed anew at each start. */
static void derived(void) {
  MPI_Datatype column;
  MPI_Request request;
  int data[64], start, i;
  MPI_Type_vector(8, 1, 8, MPI_INT, &column);
  MPI_Type_commit(&column);
  if (check_rank == 0) {
    MPI_Send_init(data, 1, column, 1, 9, MPI_COMM_WORLD, &request);
  } else {
    MPI_Recv_init(data, 1, column, 0, 9, MPI_COMM_WORLD, &request);
  }
  MPI_Type_free(&column); /* the request keeps it */
  for (start = 0; start < 5; ++start) {
    for (i = 0; i < 64; ++i) data[i] = check_rank == 0 ? start * 100 + i : -1;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (check_rank == 1) {
      for (i = 0; i < 64; ++i) CHECK_EQUAL(i % 8 == 0 ? start * 100 + i : -1, data[i]);
    }
  }
  MPI_Request_free(&request);
}

int main(int argc, char** argv) {
  int size;
  MPI_Init(&argc, &argv);
  check_start(&size);
  CHECK_EQUAL(2, size);
  every_mode();
  inactive();
  null_peers();
  derived();
  MPI_Finalize();
  return 0;
}
