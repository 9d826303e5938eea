/* MPI_Sendrecv, MPI_Sendrecv_replace and their non-blocking forms, round a ring and to oneself. */
#include "p2p_check.h"

enum { largest = 500000 };

static unsigned char out[largest], in[largest];
static const int sizes[] = {0, 1, 100, 5000, 70000, largest};

static void ring(int size, int form) {
  const int right = (check_rank + 1) % size, left = (check_rank + size - 1) % size;
  size_t s;
  for (s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
    const int bytes = sizes[s];
    unsigned char* got = form % 2 ? out : in;
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    fill_bytes(out, (size_t)bytes, (unsigned)(check_rank + bytes));
    switch (form) {
      case 0:
        MPI_Sendrecv(out, bytes, MPI_BYTE, right, 3, in, largest, MPI_BYTE, left, 3, MPI_COMM_WORLD, &status);
        break;
      case 1:
        MPI_Sendrecv_replace(out, bytes, MPI_BYTE, right, 3, left, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        break;
      case 2:
        MPI_Isendrecv(out, bytes, MPI_BYTE, right, 3, in, largest, MPI_BYTE, left, 3, MPI_COMM_WORLD, &request);
        break;
      default:
        MPI_Isendrecv_replace(out, bytes, MPI_BYTE, right, 3, left, 3, MPI_COMM_WORLD, &request);
        break;
    }
    if (form >= 2) MPI_Wait(&request, &status);
    CHECK_EQUAL(left, status.MPI_SOURCE);
    CHECK_EQUAL(3, status.MPI_TAG);
    CHECK_EQUAL(bytes, received_count(&status, MPI_BYTE));
    CHECK(are_bytes(got, (size_t)bytes, (unsigned)(left + bytes)));
  }
}

/* Shifts along a line: the ends talk to MPI_PROC_NULL. */
static void line(int size) {
  const int right = check_rank + 1 < size ? check_rank + 1 : MPI_PROC_NULL;
  const int left = check_rank > 0 ? check_rank - 1 : MPI_PROC_NULL;
  int mine = check_rank, got = -5;
  MPI_Status status;
  MPI_Request request;
  MPI_Sendrecv(&mine, 1, MPI_INT, right, 0, &got, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &status);
  CHECK_EQUAL(left, status.MPI_SOURCE);
  CHECK_EQUAL(left == MPI_PROC_NULL ? -5 : left, got);
  mine = check_rank;
  MPI_Sendrecv_replace(&mine, 1, MPI_INT, left, 0, right, 0, MPI_COMM_WORLD, &status);
  CHECK_EQUAL(right == MPI_PROC_NULL ? check_rank : right, mine);
  got = -5;
  mine = check_rank;
  MPI_Isendrecv(&mine, 1, MPI_INT, right, 0, &got, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  CHECK_EQUAL(left, status.MPI_SOURCE);
  CHECK_EQUAL(left == MPI_PROC_NULL ? -5 : left, got);
}

static void derived(int size) {
  const int right = (check_rank + 1) % size, left = (check_rank + size - 1) % size;
  MPI_Datatype every_third;
  int data[30], i, form;
  MPI_Type_vector(10, 1, 3, MPI_INT, &every_third);
  MPI_Type_commit(&every_third);
  for (form = 0; form < 2; ++form) {
    for (i = 0; i < 30; ++i) data[i] = check_rank * 100 + i;
    if (form == 0) {
      MPI_Sendrecv_replace(data, 1, every_third, right, 0, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Request request;
      MPI_Isendrecv_replace(data, 1, every_third, right, 0, left, 0, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (i = 0; i < 30; ++i) CHECK_EQUAL((i % 3 == 0 ? left : check_rank) * 100 + i, data[i]);
  }
  MPI_Type_free(&every_third);
}

int main(int argc, char** argv) {
  int size, form;
  MPI_Init(&argc, &argv);
  check_start(&size);
  for (form = 0; form < 4; ++form) ring(size, form);
  line(size);
  derived(size);
  MPI_Finalize();
  return 0;
}
