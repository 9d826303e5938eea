/* MPI_Cancel: of receives, of sends that nobody receives, of what is complete already; MPI_Request_free of the active.
 */
#include "p2p_check.h"

static void receives(void) {
  int value = 4, i, flag;
  MPI_Request requests[10];
  MPI_Status status;
  for (i = 0; i < 10; ++i) MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 600 + i, MPI_COMM_WORLD, &requests[i]);
  for (i = 9; i >= 0; --i) {
    MPI_Cancel(&requests[i]);
    CHECK(requests[i] != MPI_REQUEST_NULL);
    MPI_Wait(&requests[i], &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag);
  }
  CHECK_EQUAL(4, value);
}

/* A send either is cancelled or its message arrives; never both, never neither. */
static void sends(int bytes, int tag) {
  unsigned char* buffer = malloc((size_t)bytes);
  MPI_Request request;
  MPI_Status status;
  int cancelled = 0, flag = 0;
  if (check_rank == 0) {
    fill_bytes(buffer, (size_t)bytes, 5);
    MPI_Isend(buffer, bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    MPI_Send(&cancelled, 1, MPI_INT, 1, tag + 1, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&cancelled, 1, MPI_INT, 0, tag + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Iprobe(0, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    CHECK_EQUAL(!cancelled, flag);
    if (!cancelled) {
      MPI_Recv(buffer, bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &status);
      CHECK(are_bytes(buffer, (size_t)bytes, 5));
    }
  }
  free(buffer);
}

/* A message that a matched probe has taken cannot be cancelled any more: it arrives whole. */
static void matched(int bytes, int tag) {
  unsigned char* buffer = malloc((size_t)bytes);
  MPI_Request request;
  MPI_Message message;
  MPI_Status status;
  int cancelled;
  if (check_rank == 0) {
    fill_bytes(buffer, (size_t)bytes, 6);
    MPI_Isend(buffer, bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD, &request);
    MPI_Recv(NULL, 0, MPI_INT, 1, tag + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Cancel(&request);
    MPI_Send(NULL, 0, MPI_INT, 1, tag + 1, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(!cancelled);
  } else {
    MPI_Mprobe(0, tag, MPI_COMM_WORLD, &message, &status);
    CHECK_EQUAL(bytes, received_count(&status, MPI_BYTE));
    MPI_Send(NULL, 0, MPI_INT, 0, tag + 1, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_INT, 0, tag + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Mrecv(buffer, bytes, MPI_BYTE, &message, &status);
    CHECK_EQUAL(bytes, received_count(&status, MPI_BYTE));
    CHECK(are_bytes(buffer, (size_t)bytes, 6));
  }
  free(buffer);
}

static void already_complete(void) {
  int value = 0, flag, sent = 8;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&value, 1, MPI_INT, check_rank, 1, MPI_COMM_WORLD, &request);
  MPI_Send(&sent, 1, MPI_INT, check_rank, 1, MPI_COMM_WORLD);
  for (flag = 0; !flag;) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(!flag);
  CHECK_EQUAL(8, value);
  CHECK_EQUAL(1, received_count(&status, MPI_INT));
}

static void freed_while_active(void) {
  enum { many = 200 };
  int values[many], sent[many], i;
  MPI_Request request;
  for (i = 0; i < many; ++i) {
    sent[i] = i;
    values[i] = -1;
    if (check_rank == 1) {
      MPI_Irecv(&values[i], 1, MPI_INT, 0, 50, MPI_COMM_WORLD, &request);
    } else {
      MPI_Isend(&sent[i], 1, MPI_INT, 1, 50, MPI_COMM_WORLD, &request);
    }
    MPI_Request_free(&request);
    CHECK(request == MPI_REQUEST_NULL);
  }
  /* Messages do not overtake: this one is received after all of those. */
  if (check_rank == 1) {
    MPI_Recv(NULL, 0, MPI_INT, 0, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (i = 0; i < many; ++i) CHECK_EQUAL(i, values[i]);
  } else {
    MPI_Send(NULL, 0, MPI_INT, 1, 50, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD); /* the buffers live until here */
}

static void freed_persistent(void) {
  int value = -1, sent = 6;
  MPI_Request request;
  if (check_rank == 1) {
    MPI_Recv_init(&value, 1, MPI_INT, 0, 60, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Request_free(&request);
    MPI_Recv(NULL, 0, MPI_INT, 0, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQUAL(6, value);
  } else {
    MPI_Send_init(&sent, 1, MPI_INT, 1, 60, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Request_free(&request);
    MPI_Send(NULL, 0, MPI_INT, 1, 60, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int size, tag;
  MPI_Init(&argc, &argv);
  check_start(&size);
  CHECK_EQUAL(2, size);
  receives();
  for (tag = 100; tag < 120; tag += 2) sends(tag < 110 ? 16 : 1 << 20, tag);
  matched(16, 200);
  matched(1 << 20, 210);
  already_complete();
  freed_while_active();
  freed_persistent();
  MPI_Finalize();
  return 0;
}
