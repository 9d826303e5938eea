/* Long and short messages whose bytes do not lie side by side, on either side or both: every way to send and receive,
 * absolute addresses, truncation, types that are freed while the message is under way. */
#include "p2p_check.h"

static int size;

/* `count` numbers in pairs, with a hole behind each. */
static MPI_Datatype pairs(int count) {
  MPI_Datatype type;
  MPI_Type_vector(count / 2, 2, 3, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

static void fill(int* memory, int count, int seed) {
  int i;
  for (i = 0; i < count / 2 * 3; ++i) memory[i] = i % 3 == 2 ? -1 : seed + i;
}

static void check_pairs(const int* memory, int received, int count, int seed) {
  int i;
  for (i = 0; i < count; ++i) {
    const int at = i / 2 * 3 + i % 2;
    CHECK_EQUAL(i < received ? seed + at : -7, memory[at]);
  }
  for (i = 2; i < count / 2 * 3; i += 3) CHECK_EQUAL(-7, memory[i]);
}

enum way { blocking, synchronous, nonblocking, matched, persistent, exchanged, ways };

static void send(enum way way, const void* memory, int count, MPI_Datatype type, int to) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Datatype copy;
  switch (way) {
    case synchronous:
      MPI_Ssend(memory, count, type, to, 3, MPI_COMM_WORLD);
      break;
    case nonblocking:
      /* The type goes before the message has gone. */
      MPI_Type_dup(type, &copy);
      MPI_Isend(memory, count, copy, to, 3, MPI_COMM_WORLD, &request);
      if (copy != type) MPI_Type_free(&copy);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    case persistent:
      MPI_Send_init(memory, count, type, to, 3, MPI_COMM_WORLD, &request);
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Request_free(&request);
      break;
    case exchanged:
      MPI_Sendrecv(memory, count, type, to, 3, NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      break;
    default:
      MPI_Send(memory, count, type, to, 3, MPI_COMM_WORLD);
  }
}

static void receive(enum way way, void* memory, int count, MPI_Datatype type, int from, MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Message message;
  switch (way) {
    case nonblocking:
      MPI_Irecv(memory, count, type, from, 3, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, status);
      break;
    case matched:
      MPI_Mprobe(from, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
      MPI_Mrecv(memory, count, type, &message, status);
      break;
    case persistent:
      MPI_Recv_init(memory, count, type, from, 3, MPI_COMM_WORLD, &request);
      MPI_Start(&request);
      MPI_Wait(&request, status);
      MPI_Request_free(&request);
      break;
    case exchanged:
      MPI_Sendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, memory, count, type, from, 3, MPI_COMM_WORLD, status);
      break;
    default:
      MPI_Recv(memory, count, type, from, 3, MPI_COMM_WORLD, status);
  }
}

/* Pairs here, numbers side by side there, and the other way round, and pairs on both sides. */
static void between(enum way way, int count) {
  const int bytes = count / 2 * 3 * (int)sizeof(int);
  int* memory = malloc((size_t)bytes + 4);
  int* plain = malloc((size_t)count * sizeof *plain + 4);
  MPI_Datatype type = pairs(count);
  MPI_Status status;
  int i;
  if (check_rank == 0) {
    fill(memory, count, 100);
    send(way, memory, 1, type, 1);
    send(way, memory, 1, type, 1);
    for (i = 0; i < count; ++i) plain[i] = 100 + i / 2 * 3 + i % 2;
    send(way, plain, count, MPI_INT, 1);
    send(way, plain, count / 2, MPI_INT, 1);
  } else if (check_rank == 1) {
    receive(way, plain, count, MPI_INT, 0, &status);
    CHECK_EQUAL(count, received_count(&status, MPI_INT));
    for (i = 0; i < count; ++i) CHECK_EQUAL(100 + i / 2 * 3 + i % 2, plain[i]);
    for (i = 0; i < 3; ++i) {
      const int expected = i < 2 ? count : count / 2;
      int k;
      for (k = 0; k < count / 2 * 3; ++k) memory[k] = -7;
      receive(way, memory, 1, type, 0, &status);
      CHECK_EQUAL(expected, received_count(&status, MPI_INT));
      check_pairs(memory, expected, count, 100);
    }
  }
  MPI_Type_free(&type);
  free(memory);
  free(plain);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void to_oneself(int count) {
  const int bytes = count / 2 * 3 * (int)sizeof(int);
  int* from = malloc((size_t)bytes);
  int* to = malloc((size_t)bytes);
  MPI_Datatype type = pairs(count);
  MPI_Request requests[2];
  int i, early;
  fill(from, count, 5);
  for (early = 0; early < 2; ++early) {
    for (i = 0; i < count / 2 * 3; ++i) to[i] = -7;
    if (early) MPI_Irecv(to, 1, type, check_rank, 9, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(from, 1, type, check_rank, 9, MPI_COMM_WORLD, &requests[1]);
    if (!early) MPI_Irecv(to, 1, type, check_rank, 9, MPI_COMM_WORLD, &requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    check_pairs(to, count, count, 5);
  }
  MPI_Type_free(&type);
  free(from);
  free(to);
}

/* Two arrays by their addresses, as one message. */
static void absolute(int count) {
  int* first = malloc((size_t)count * sizeof *first);
  double* second = malloc((size_t)count * sizeof *second);
  const int lengths[2] = {count, count};
  const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Aint places[2];
  MPI_Datatype type;
  int i;
  MPI_Get_address(first, &places[0]);
  MPI_Get_address(second, &places[1]);
  MPI_Type_create_struct(2, lengths, places, types, &type);
  MPI_Type_commit(&type);
  for (i = 0; i < count; ++i) {
    first[i] = check_rank == 0 ? i : 0;
    second[i] = check_rank == 0 ? i * 0.5 : 0;
  }
  if (check_rank == 0) MPI_Send(MPI_BOTTOM, 1, type, 1, 4, MPI_COMM_WORLD);
  if (check_rank == 1) MPI_Recv(MPI_BOTTOM, 1, type, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (i = 0; i < count && check_rank < 2; ++i) CHECK(first[i] == i && second[i] == i * 0.5);
  MPI_Type_free(&type);
  free(first);
  free(second);
}

static void truncated(int count) {
  int* memory = malloc((size_t)count * 2 * sizeof *memory);
  MPI_Datatype type = pairs(count), half = pairs(count / 2);
  int i;
  if (check_rank == 0) {
    fill(memory, count, 1);
    MPI_Send(memory, 1, type, 1, 5, MPI_COMM_WORLD);
  } else if (check_rank == 1) {
    for (i = 0; i < 2 * count; ++i) memory[i] = -7;
    CHECK_CLASS(MPI_ERR_TRUNCATE, MPI_Recv(memory, 1, half, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (i = count / 4 * 3; i < 2 * count; ++i) CHECK_EQUAL(-7, memory[i]);
  }
  MPI_Type_free(&type);
  MPI_Type_free(&half);
  free(memory);
}

int main(int argc, char** argv) {
  const int counts[] = {2, 100, 4000, 20000, 400000};
  int way, i;
  MPI_Init(&argc, &argv);
  check_start(&size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (i = 0; i < 5; ++i) {
    for (way = 0; way < ways; ++way) between((enum way)way, counts[i]);
    to_oneself(counts[i]);
    absolute(counts[i]);
    truncated(counts[i] * 2);
  }
  MPI_Finalize();
  return 0;
}
