/* Partitioned messages: parts in any order, cut differently by the two sides, in pieces, repeated; and wrong uses. */
#include "p2p_check.h"

enum { PARTS = 6, COUNT = 500 };

static int rank, size;

/* The sender has `parts` parts, the receiver `theirs`, of the same message. */
static void ring(int parts, int theirs) {
  const int total = PARTS * COUNT, right = (rank + 1) % size, left = (rank + size - 1) % size;
  int* out = calloc((size_t)total, sizeof(int));
  int* in = calloc((size_t)total, sizeof(int));
  MPI_Request send, receive;
  int round, i, flag;
  MPI_Psend_init(out, parts, total / parts, MPI_INT, right, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &send);
  MPI_Precv_init(in, theirs, total / theirs, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &receive);
  for (round = 0; round < 3; ++round) {
    MPI_Status status;
    for (i = 0; i < total; ++i) {
      out[i] = rank * 1000003 + round * 7919 + i;
      in[i] = -1;
    }
    MPI_Start(&receive);
    MPI_Start(&send);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pready(parts - 1, send);
    flag = 1;
    if (parts > 1) MPI_Parrived(receive, 0, &flag);
    CHECK(!flag || parts == 1);
    MPI_Barrier(MPI_COMM_WORLD);
    for (i = parts - 2; i >= 0; --i) MPI_Pready(i, send);
    for (i = 0; i < theirs; ++i) {
      do {
        MPI_Parrived(receive, i, &flag);
      } while (!flag);
      CHECK_EQUAL(left * 1000003 + round * 7919 + i * (total / theirs), in[i * (total / theirs)]);
    }
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, &status);
    CHECK_EQUAL(left, status.MPI_SOURCE);
    CHECK_EQUAL(total, received_count(&status, MPI_INT));
    for (i = 0; i < total; ++i) CHECK_EQUAL(left * 1000003 + round * 7919 + i, in[i]);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Request_free(&send);
  MPI_Request_free(&receive);
  free(out);
  free(in);
}

/* Every second integer on both sides. */
static void in_pieces(void) {
  int out[40], in[40], i, list[2] = {3, 0};
  MPI_Datatype every_second, pairs;
  MPI_Request requests[2];
  MPI_Type_vector(5, 1, 2, MPI_INT, &every_second);
  MPI_Type_create_resized(every_second, 0, 10 * sizeof(int), &pairs);
  MPI_Type_free(&every_second);
  MPI_Type_commit(&pairs);
  for (i = 0; i < 40; ++i) {
    out[i] = rank * 100 + i;
    in[i] = -1;
  }
  MPI_Precv_init(in, 4, 1, pairs, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Psend_init(out, 4, 1, pairs, (rank + 1) % size, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Pready_list(2, list, requests[1]);
  MPI_Pready_range(1, 2, requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (i = 0; i < 40; ++i) CHECK_EQUAL(i % 2 == 0 ? (rank + size - 1) % size * 100 + i : -1, in[i]);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Type_free(&pairs);
}

static void wrong_uses(void) {
  int value = 0, flag;
  MPI_Request send, receive;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK_CLASS(MPI_ERR_ARG, MPI_Psend_init(&value, 0, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
  CHECK_CLASS(MPI_ERR_RANK, MPI_Psend_init(&value, 1, 1, MPI_INT, size, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
  CHECK_CLASS(MPI_ERR_COMM, MPI_Psend_init(&value, 1, 1, MPI_INT, 0, 0, MPI_COMM_NULL, MPI_INFO_NULL, &send));
  CHECK_CLASS(MPI_ERR_REQUEST, MPI_Pready(0, MPI_REQUEST_NULL));
  MPI_Precv_init(&flag, 1, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_INFO_NULL, &receive);
  MPI_Psend_init(&value, 1, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_INFO_NULL, &send);
  CHECK_CLASS(MPI_ERR_REQUEST, MPI_Pready(0, send));
  MPI_Start(&receive);
  MPI_Start(&send);
  CHECK_CLASS(MPI_ERR_ARG, MPI_Pready(1, send));
  CHECK_CLASS(MPI_ERR_REQUEST, MPI_Pready(0, receive));
  CHECK_EQUAL(MPI_SUCCESS, MPI_Pready(0, send));
  CHECK_CLASS(MPI_ERR_ARG, MPI_Pready(0, send));
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  MPI_Request_free(&send);
  MPI_Request_free(&receive);
  MPI_Psend_init(&value, 1, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_SELF, MPI_INFO_NULL, &send);
  MPI_Start(&send);
  MPI_Pready(0, send);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Request_free(&send);
}

int main(void) {
  MPI_Init(NULL, NULL);
  check_start(&size);
  rank = check_rank;
  ring(6, 6);
  ring(6, 2);
  ring(2, 3);
  ring(1, 6);
  ring(6, 1);
  in_pieces();
  wrong_uses();
  MPI_Finalize();
  return 0;
}
