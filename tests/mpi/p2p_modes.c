/* Every send mode, blocking and not, with messages from nothing to 4 MB whose contents are checked. */
#include "p2p_check.h"

enum { modes = 8, largest = 4 << 20 };

static const int sizes[] = {0,     1,     2,     7,      8,      31,     32,     63,      64,      100,    255,
                            256,   1000,  1024,  4095,   4096,   4097,   8191,   8192,    16384,   20000,  32768,
                            65535, 65536, 65537, 100000, 131072, 262144, 524289, 1048576, 2097153, largest};

static void send_by(int mode, unsigned char* bytes, int size, int peer, int tag) {
  MPI_Request request;
  switch (mode) {
    case 0:
      MPI_Send(bytes, size, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
      return;
    case 1:
      MPI_Ssend(bytes, size, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
      return;
    case 2:
      MPI_Bsend(bytes, size, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
      return;
    case 3:
      MPI_Rsend(bytes, size, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
      return;
    case 4:
      MPI_Isend(bytes, size, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &request);
      break;
    case 5:
      MPI_Issend(bytes, size, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &request);
      break;
    case 6:
      MPI_Ibsend(bytes, size, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &request);
      break;
    default:
      MPI_Irsend(bytes, size, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &request);
      break;
  }
  CHECK(request != MPI_REQUEST_NULL);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(request == MPI_REQUEST_NULL);
}

static void receive_one(unsigned char* bytes, int size, int mode, int tag, int nonblocking) {
  MPI_Status status;
  MPI_Request request;
  memset(bytes, 0xee, (size_t)size + 8);
  if (nonblocking) {
    MPI_Irecv(bytes, size + 8, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &request);
    /* A ready send may only start when the receive is posted. */
    MPI_Send(NULL, 0, MPI_BYTE, 0, 999, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
  } else {
    MPI_Recv(bytes, size + 8, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &status);
  }
  CHECK_EQUAL(0, status.MPI_SOURCE);
  CHECK_EQUAL(tag, status.MPI_TAG);
  CHECK_EQUAL(size, received_count(&status, MPI_BYTE));
  CHECK(are_bytes(bytes, (size_t)size, (unsigned)(mode + size)));
  CHECK(bytes[size] == 0xee && bytes[size + 7] == 0xee);
}

int main(int argc, char** argv) {
  int size, mode;
  size_t s;
  unsigned char* bytes;
  void* buffer;
  int buffer_size;
  MPI_Init(&argc, &argv);
  check_start(&size);
  CHECK_EQUAL(2, size);
  bytes = malloc(largest + 8);
  buffer_size = 2 * largest + 4 * MPI_BSEND_OVERHEAD;
  buffer = malloc((size_t)buffer_size);
  MPI_Buffer_attach(buffer, buffer_size);
  for (mode = 0; mode < modes; ++mode) {
    const int ready = mode == 3 || mode == 7;
    for (s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
      const int tag = mode * 100 + (int)s;
      const int posted_first = ready || s % 2 == 1;
      if (check_rank == 0) {
        fill_bytes(bytes, (size_t)sizes[s], (unsigned)(mode + sizes[s]));
        if (posted_first) MPI_Recv(NULL, 0, MPI_BYTE, 1, 999, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        send_by(mode, bytes, sizes[s], 1, tag);
      } else {
        receive_one(bytes, sizes[s], mode, tag, posted_first);
      }
    }
  }
  MPI_Buffer_detach(&buffer, &buffer_size);
  CHECK_EQUAL(2 * largest + 4 * MPI_BSEND_OVERHEAD, buffer_size);
  free(buffer);
  free(bytes);
  MPI_Finalize();
  return 0;
}
