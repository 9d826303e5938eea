/* Buffered sends: the room of the attached buffer, its reuse, detaching, automatic buffers, buffers of communicators.
 */
#include "p2p_check.h"

enum { bytes = 1000, messages = 8, room = messages * (bytes + MPI_BSEND_OVERHEAD) };

static char buffer[room], other_buffer[room];
static unsigned char data[bytes];

static void send_many(int count, MPI_Comm comm) {
  int i;
  for (i = 0; i < count; ++i) {
    fill_bytes(data, bytes, (unsigned)i);
    CHECK_CLASS(MPI_SUCCESS, MPI_Bsend(data, bytes, MPI_BYTE, 1, 1, comm));
    memset(data, 0, bytes); /* it was copied */
  }
}

static void receive_many(int count, MPI_Comm comm) {
  int i;
  for (i = 0; i < count; ++i) {
    MPI_Recv(data, bytes, MPI_BYTE, 0, 1, comm, MPI_STATUS_IGNORE);
    CHECK(are_bytes(data, bytes, (unsigned)i));
  }
}

/* As many messages as the standard promises room for, before the receiver looks; the room comes back. */
static void promised_room(void) {
  int round, size;
  void* back;
  MPI_Buffer_attach(buffer, room);
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Buffer_attach(other_buffer, room));
  for (round = 0; round < 20; ++round) {
    if (check_rank == 0) send_many(messages, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 1) receive_many(messages, MPI_COMM_WORLD);
    MPI_Buffer_flush();
  }
  MPI_Buffer_detach(&back, &size);
  CHECK(back == buffer);
  CHECK_EQUAL(room, size);
}

/* A message that cannot have room is an error, and harms nothing. */
static void too_large(void) {
  static unsigned char large[room + 1];
  int size;
  void* back;
  MPI_Buffer_attach(buffer, room);
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Bsend(large, room, MPI_BYTE, 1, 2, MPI_COMM_WORLD));
  if (check_rank == 0) send_many(messages, MPI_COMM_WORLD);
  if (check_rank == 1) receive_many(messages, MPI_COMM_WORLD);
  MPI_Buffer_detach(&back, &size);
}

static void automatic(void) {
  int size = -1;
  void* back = NULL;
  MPI_Request request;
  MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
  if (check_rank == 0) send_many(500, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Buffer_iflush(&request);
  if (check_rank == 1) receive_many(500, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Buffer_detach(&back, &size);
  CHECK(back == MPI_BUFFER_AUTOMATIC);
}

static void of_communicator(void) {
  MPI_Comm comm;
  int size;
  void* back;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Bsend(data, 1, MPI_BYTE, MPI_PROC_NULL + 3, 1, MPI_COMM_WORLD));
  MPI_Comm_attach_buffer(comm, buffer, room);
  if (check_rank == 0) send_many(messages, comm);
  if (check_rank == 1) receive_many(messages, comm);
  MPI_Comm_flush_buffer(comm);
  MPI_Comm_iflush_buffer(comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_detach_buffer(comm, &back, &size);
  CHECK(back == buffer);
  CHECK_EQUAL(room, size);
  MPI_Comm_free(&comm);
}

/* MPI_Finalize delivers what is still buffered. */
static void left_to_finalize(void) {
  MPI_Buffer_attach(buffer, room);
  if (check_rank == 0) send_many(2, MPI_COMM_WORLD);
  if (check_rank == 1) receive_many(2, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int size;
  MPI_Init(&argc, &argv);
  check_start(&size);
  CHECK_EQUAL(2, size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  promised_room();
  too_large();
  automatic();
  of_communicator();
  left_to_finalize();
  MPI_Finalize();
  return 0;
}
