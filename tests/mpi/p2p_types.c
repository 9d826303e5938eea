/* Messages of derived types: blocking and not, shorter than the receive, from one layout into another. */
#include <stddef.h>

#include "p2p_check.h"

struct mixed {
  char letter;
  double number;
  int pair[2];
};

static MPI_Datatype mixed_type(void) {
  const int lengths[3] = {1, 1, 2};
  const MPI_Aint places[3] = {offsetof(struct mixed, letter), offsetof(struct mixed, number),
                              offsetof(struct mixed, pair)};
  const MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
  MPI_Datatype packed, sized;
  MPI_Type_create_struct(3, lengths, places, types, &packed);
  MPI_Type_create_resized(packed, 0, sizeof(struct mixed), &sized);
  MPI_Type_commit(&sized);
  MPI_Type_free(&packed);
  return sized;
}

static void structures(int count) {
  MPI_Datatype type = mixed_type();
  struct mixed* items = malloc((size_t)count * sizeof *items + 1);
  int i;
  MPI_Status status;
  memset(items, 0xab, (size_t)count * sizeof *items);
  if (check_rank == 0) {
    for (i = 0; i < count; ++i) {
      items[i].letter = (char)('a' + i % 26);
      items[i].number = i * 0.5;
      items[i].pair[0] = i;
      items[i].pair[1] = -i;
    }
    MPI_Send(items, count, type, 1, 1, MPI_COMM_WORLD);
  } else {
    MPI_Recv(items, count, type, 0, 1, MPI_COMM_WORLD, &status);
    CHECK_EQUAL(count, received_count(&status, type));
    for (i = 0; i < count; ++i) {
      CHECK_EQUAL('a' + i % 26, items[i].letter);
      CHECK(items[i].number == i * 0.5);
      CHECK_EQUAL(i, items[i].pair[0]);
      CHECK_EQUAL(-i, items[i].pair[1]);
    }
  }
  free(items);
  MPI_Type_free(&type);
}

/* A column of a matrix is sent, and arrives as a row; and the other way round, without blocking. */
static void rows_and_columns(void) {
  enum { n = 100 };
  static int matrix[n][n];
  MPI_Datatype column;
  MPI_Request requests[2];
  int i, j;
  MPI_Type_vector(n, 1, n, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (i = 0; i < n; ++i) {
    for (j = 0; j < n; ++j) matrix[i][j] = check_rank == 0 ? i * n + j : -1;
  }
  if (check_rank == 0) {
    MPI_Isend(&matrix[0][3], 1, column, 1, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&matrix[7][0], n, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Type_free(&column); /* what is under way keeps it */
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else {
    MPI_Irecv(&matrix[5][0], n, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&matrix[0][9], 1, column, 0, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Type_free(&column);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (i = 0; i < n; ++i) {
      for (j = 0; j < n; ++j) {
        const int in_row = i == 5, in_column = j == 9;
        if (in_column) {
          CHECK_EQUAL(7 * n + i, matrix[i][j]);
        } else {
          CHECK_EQUAL(in_row ? j * n + 3 : -1, matrix[i][j]);
        }
      }
    }
  }
}

/* A shorter message fills only the first places. */
static void shorter(void) {
  int data[40], i, elements;
  MPI_Datatype gapped;
  MPI_Status status;
  MPI_Type_vector(10, 2, 4, MPI_INT, &gapped);
  MPI_Type_commit(&gapped);
  for (i = 0; i < 40; ++i) data[i] = check_rank == 0 ? i : -1;
  if (check_rank == 0) {
    MPI_Send(data, 7, MPI_INT, 1, 2, MPI_COMM_WORLD);
  } else {
    MPI_Recv(data, 1, gapped, 0, 2, MPI_COMM_WORLD, &status);
    CHECK_EQUAL(MPI_UNDEFINED, received_count(&status, gapped));
    MPI_Get_elements(&status, gapped, &elements);
    CHECK_EQUAL(7, elements);
    for (i = 0; i < 40; ++i) {
      const int place = i / 4 * 2 + i % 4;
      CHECK_EQUAL(i % 4 < 2 && place < 7 ? place : -1, data[i]);
    }
  }
  MPI_Type_free(&gapped);
}

/* Absolute addresses from MPI_BOTTOM. */
static void absolute(void) {
  int one = check_rank == 0 ? 11 : 0, other = check_rank == 0 ? 22 : 0;
  const int lengths[2] = {1, 1};
  MPI_Aint places[2];
  MPI_Datatype both;
  MPI_Get_address(&one, &places[0]);
  MPI_Get_address(&other, &places[1]);
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &both);
  MPI_Type_commit(&both);
  if (check_rank == 0) {
    MPI_Ssend(MPI_BOTTOM, 1, both, 1, 3, MPI_COMM_WORLD);
  } else {
    MPI_Recv(MPI_BOTTOM, 1, both, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQUAL(11, one);
    CHECK_EQUAL(22, other);
  }
  MPI_Type_free(&both);
}

/* The large-count functions. */
static void large_counts(void) {
  static double data[1000];
  MPI_Count count;
  MPI_Status status;
  int i;
  for (i = 0; i < 1000; ++i) data[i] = check_rank == 0 ? i : 0;
  if (check_rank == 0) {
    MPI_Send_c(data, 1000, MPI_DOUBLE, 1, 4, MPI_COMM_WORLD);
  } else {
    MPI_Recv_c(data, 1000, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, &status);
    MPI_Get_count_c(&status, MPI_DOUBLE, &count);
    CHECK_EQUAL(1000, count);
    for (i = 0; i < 1000; ++i) CHECK(data[i] == i);
  }
}

int main(int argc, char** argv) {
  int size;
  MPI_Init(&argc, &argv);
  check_start(&size);
  CHECK_EQUAL(2, size);
  structures(0);
  structures(1);
  structures(1000);
  structures(60000);
  rows_and_columns();
  shorter();
  absolute();
  large_counts();
  MPI_Finalize();
  return 0;
}
