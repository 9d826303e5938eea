// What needs a fixed partner: every process sends to the one on its right and receives from the one on its left.
#include <stdlib.h>

#include "storm.h"

struct Ring {
  int right;
  int left;
  int tag;
  size_t size;
  uint64_t base;  // identity of the content that rank 0 sends
};

static uint64_t mine(struct Storm* storm, const struct Ring* ring) { return ring->base + (uint64_t)storm->rank; }
static uint64_t theirs(const struct Ring* ring) { return ring->base + (uint64_t)ring->left; }

static unsigned char* filled(struct Storm* storm, const struct Ring* ring) {
  unsigned char* buffer = buffer_make(storm, ring->size);
  content_fill(buffer, ring->size, mine(storm, ring));
  return buffer;
}

static void check_status(struct Storm* storm, const struct Ring* ring, MPI_Status* status) {
  int count = -1;
  MPI_Get_count(status, MPI_BYTE, &count);
  if (status->MPI_SOURCE != ring->left || status->MPI_TAG != ring->tag || (size_t)count != ring->size) {
    fail(storm, "%zu bytes from %d with tag %d were to come, but %d bytes from %d with tag %d came", ring->size,
         ring->left, ring->tag, count, status->MPI_SOURCE, status->MPI_TAG);
  }
}

static void ring_sendrecv(struct Storm* storm, const struct Ring* ring) {
  unsigned char* give = filled(storm, ring);
  unsigned char* take = buffer_make(storm, ring->size);
  const int count = (int)ring->size;
  MPI_Status status;
  if (random_chance(&storm->own, 50)) {
    doing(storm, "MPI_Sendrecv of %ld bytes to %ld, from %ld", count, ring->right, ring->left);
    MPI_Sendrecv(give, count, MPI_BYTE, ring->right, ring->tag, take, count, MPI_BYTE, ring->left, ring->tag,
                 storm->comm, &status);
    content_check(storm, take, ring->size, theirs(ring), "what MPI_Sendrecv received");
  } else {
    doing(storm, "MPI_Sendrecv_replace of %ld bytes to %ld, from %ld", count, ring->right, ring->left);
    MPI_Sendrecv_replace(give, count, MPI_BYTE, ring->right, ring->tag, ring->left, ring->tag, storm->comm, &status);
    content_check(storm, give, ring->size, theirs(ring), "what MPI_Sendrecv_replace received");
  }
  check_status(storm, ring, &status);
  buffer_free(storm, give);
  buffer_free(storm, take);
}

// A receive is cancelled while its message comes: it has the message, or the next receive gets it whole.
static void ring_cancel(struct Storm* storm, const struct Ring* ring) {
  unsigned char* give = filled(storm, ring);
  unsigned char* take = buffer_make(storm, ring->size);
  const int count = (int)ring->size;
  MPI_Request send, receive;
  const int receive_first = random_chance(&storm->own, 50);
  doing(storm, "starting a message of %ld bytes whose receive from %ld is cancelled", count, ring->left, 0);
  if (!receive_first) MPI_Issend(give, count, MPI_BYTE, ring->right, ring->tag, storm->comm, &send);
  MPI_Irecv(take, count, MPI_BYTE, ring->left, ring->tag, storm->comm, &receive);
  if (receive_first) MPI_Issend(give, count, MPI_BYTE, ring->right, ring->tag, storm->comm, &send);
  compute(storm);
  MPI_Cancel(&receive);
  doing(storm, "waiting for a cancelled receive of %ld bytes from %ld", count, ring->left, 0);
  MPI_Status status;
  MPI_Wait(&receive, &status);
  int cancelled = 0;
  MPI_Test_cancelled(&status, &cancelled);
  if (cancelled) {
    doing(storm, "receiving %ld bytes from %ld after a cancelled receive", count, ring->left, 0);
    MPI_Recv(take, count, MPI_BYTE, ring->left, ring->tag, storm->comm, &status);
  }
  check_status(storm, ring, &status);
  content_check(storm, take, ring->size, theirs(ring), "a message whose receive was cancelled");
  // A receive that nobody sends to can always be cancelled.
  MPI_Irecv(take, count, MPI_BYTE, ring->left, 1000, storm->comm, &receive);
  MPI_Cancel(&receive);
  doing(storm, "waiting for a cancelled receive that nobody sends to", 0, 0, 0);
  MPI_Wait(&receive, &status);
  MPI_Test_cancelled(&status, &cancelled);
  if (!cancelled) fail(storm, "a receive that nobody sends to was not cancelled");
  doing(storm, "waiting for the send of %ld bytes to %ld", count, ring->right, 0);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  buffer_free(storm, give);
  buffer_free(storm, take);
}

static void ring_persistent(struct Storm* storm, struct Ring* ring) {
  unsigned char* give = filled(storm, ring);
  unsigned char* take = buffer_make(storm, ring->size);
  const int count = (int)ring->size;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  const int times = 1 + (int)random_below(&storm->shared, 5);
  MPI_Recv_init(take, count, MPI_BYTE, ring->left, ring->tag, storm->comm, &requests[0]);
  MPI_Send_init(give, count, MPI_BYTE, ring->right, ring->tag, storm->comm, &requests[1]);
  for (int i = 0; i < times; ++i) {
    content_fill(give, ring->size, mine(storm, ring));
    doing(storm, "persistent exchange %ld of %ld, %ld bytes", i, times, count);
    MPI_Startall(2, requests);
    compute(storm);
    MPI_Waitall(2, requests, statuses);
    check_status(storm, ring, &statuses[0]);
    content_check(storm, take, ring->size, theirs(ring), "what a persistent receive received");
    ring->base += (uint64_t)storm->size;
    storm->next_identity = ring->base + (uint64_t)storm->size;
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  buffer_free(storm, give);
  buffer_free(storm, take);
}

// A message longer than its receive: an error on the receive, nothing written beyond the buffer, the send completes.
static void ring_truncate(struct Storm* storm, const struct Ring* ring) {
  if (ring->size == 0) return;
  const size_t room = (size_t)random_below(&storm->own, ring->size);
  unsigned char* give = filled(storm, ring);
  unsigned char* take = buffer_make(storm, room);
  MPI_Errhandler handler;
  MPI_Comm_get_errhandler(storm->comm, &handler);
  MPI_Comm_set_errhandler(storm->comm, MPI_ERRORS_RETURN);
  MPI_Request send;
  MPI_Isend(give, (int)ring->size, MPI_BYTE, ring->right, ring->tag, storm->comm, &send);
  doing(storm, "receiving a message of %ld bytes from %ld with room for %ld", (long)ring->size, ring->left, (long)room);
  MPI_Status status;
  const int code = MPI_Recv(take, (int)room, MPI_BYTE, ring->left, ring->tag, storm->comm, &status);
  int class = MPI_SUCCESS;
  MPI_Error_class(code, &class);
  if (class != MPI_ERR_TRUNCATE) fail(storm, "%zu bytes in %zu gave error class %d", ring->size, room, class);
  doing(storm, "waiting for the send of %ld bytes to %ld, received with less room", (long)ring->size, ring->right, 0);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Comm_set_errhandler(storm->comm, handler);
  MPI_Errhandler_free(&handler);
  buffer_free(storm, give);
  buffer_free(storm, take);
}

void rings(struct Storm* storm) {
  struct Random* random = &storm->shared;
  const int times = 1 + (int)random_below(random, 8);
  for (int i = 0; i < times; ++i) {
    const int distance = (int)random_below(random, (uint64_t)storm->size);
    const size_t most = random_chance(random, 10) ? 4u << 20 : 100000;
    struct Ring ring = {(storm->rank + distance) % storm->size, (storm->rank - distance + storm->size) % storm->size,
                        (int)random_below(random, 100), random_size(random, most), storm->next_identity};
    storm->next_identity += (uint64_t)storm->size;
    switch (random_below(random, 4)) {
      case 0:
        ring_sendrecv(storm, &ring);
        break;
      case 1:
        ring_cancel(storm, &ring);
        break;
      case 2:
        ring_persistent(storm, &ring);
        break;
      default:
        ring_truncate(storm, &ring);
    }
    storm->messages++;
    storm->bytes += ring.size;
  }
}
