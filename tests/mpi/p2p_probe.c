/* Probes, plain and matched. Rank 0 receives from all the others. */
#include "p2p_check.h"

enum { rounds = 40, largest = 300000 };

static unsigned char bytes[largest + 1];

static int size_of(int sender, int round) {
  return round % 10 == 9 ? largest - sender : (sender * 37 + round * 11) % 5000;
}

static void send_rounds(void) {
  int round;
  for (round = 0; round < rounds; ++round) {
    const int size = size_of(check_rank, round);
    fill_bytes(bytes, (size_t)size, (unsigned)(check_rank * 1000 + round));
    MPI_Send(bytes, size, MPI_BYTE, 0, round, MPI_COMM_WORLD);
  }
}

static void check_message(const MPI_Status* status) {
  const int size = size_of(status->MPI_SOURCE, status->MPI_TAG);
  CHECK_EQUAL(size, received_count(status, MPI_BYTE));
  CHECK(are_bytes(bytes, (size_t)size, (unsigned)(status->MPI_SOURCE * 1000 + status->MPI_TAG)));
}

static void by_probe(int total) {
  int i;
  for (i = 0; i < total; ++i) {
    MPI_Status probed, received;
    int flag = 0;
    if (i % 2 == 0) {
      MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &probed);
    } else {
      while (!flag) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &probed);
    }
    MPI_Recv(bytes, received_count(&probed, MPI_BYTE), MPI_BYTE, probed.MPI_SOURCE, probed.MPI_TAG, MPI_COMM_WORLD,
             &received);
    CHECK_EQUAL(probed.MPI_SOURCE, received.MPI_SOURCE);
    CHECK_EQUAL(probed.MPI_TAG, received.MPI_TAG);
    check_message(&received);
  }
}

static void by_matched_probe(int total) {
  int i;
  for (i = 0; i < total; ++i) {
    MPI_Status probed, received;
    MPI_Message message = MPI_MESSAGE_NULL;
    int flag = 0, size;
    if (i % 2 == 0) {
      MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &probed);
    } else {
      while (!flag) MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &probed);
    }
    CHECK(message != MPI_MESSAGE_NULL);
    size = received_count(&probed, MPI_BYTE);
    if (i % 4 < 2) {
      MPI_Mrecv(bytes, size, MPI_BYTE, &message, &received);
    } else {
      MPI_Request request;
      MPI_Imrecv(bytes, size, MPI_BYTE, &message, &request);
      MPI_Wait(&request, &received);
    }
    CHECK(message == MPI_MESSAGE_NULL);
    CHECK_EQUAL(probed.MPI_SOURCE, received.MPI_SOURCE);
    CHECK_EQUAL(probed.MPI_TAG, received.MPI_TAG);
    check_message(&received);
  }
}

/* A message that was taken aside is out of the reach of other receives. */
static void taken_aside(void) {
  int one = 1, two = 2, got = 0;
  if (check_rank == 1) {
    MPI_Send(&one, 1, MPI_INT, 0, 77, MPI_COMM_WORLD);
    MPI_Send(&two, 1, MPI_INT, 0, 77, MPI_COMM_WORLD);
  } else if (check_rank == 0) {
    MPI_Message message;
    MPI_Mprobe(1, 77, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Recv(&got, 1, MPI_INT, 1, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQUAL(2, got);
    MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    CHECK_EQUAL(1, got);
  }
}

static void null_peer(void) {
  int flag = 0, value = 9;
  MPI_Status status;
  MPI_Message message;
  MPI_Request request;
  MPI_Probe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
  CHECK_EQUAL(MPI_PROC_NULL, status.MPI_SOURCE);
  MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  CHECK(flag);
  MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status);
  CHECK(message == MPI_MESSAGE_NO_PROC);
  MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
  CHECK(message == MPI_MESSAGE_NULL);
  CHECK_EQUAL(MPI_PROC_NULL, status.MPI_SOURCE);
  CHECK_EQUAL(9, value);
  MPI_Improbe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, &message, &status);
  CHECK(flag && message == MPI_MESSAGE_NO_PROC);
  MPI_Imrecv(&value, 1, MPI_INT, &message, &request);
  MPI_Wait(&request, &status);
  CHECK_EQUAL(MPI_PROC_NULL, status.MPI_SOURCE);
  MPI_Iprobe(MPI_ANY_SOURCE, 12345, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  CHECK(!flag);
}

int main(int argc, char** argv) {
  int size;
  MPI_Init(&argc, &argv);
  check_start(&size);
  if (check_rank == 0) {
    by_probe(rounds * (size - 1));
  } else {
    send_rounds();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (check_rank == 0) {
    by_matched_probe(rounds * (size - 1));
  } else {
    send_rounds();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  taken_aside();
  null_peer();
  MPI_Finalize();
  return 0;
}
