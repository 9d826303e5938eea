/* Wrong arguments are returned as errors of the right class when the program asks for that, and nothing is harmed. */
#include "p2p_check.h"

static int handled;

static void count_error(MPI_Comm* comm, int* error, ...) {
  (void)comm;
  CHECK(*error != MPI_SUCCESS);
  ++handled;
}

static void sends(void) {
  int value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Datatype loose;
  CHECK_CLASS(MPI_ERR_RANK, MPI_Send(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD));
  CHECK_CLASS(MPI_ERR_RANK, MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD));
  CHECK_CLASS(MPI_ERR_TAG, MPI_Send(&value, 1, MPI_INT, 0, -1, MPI_COMM_WORLD));
  CHECK_CLASS(MPI_ERR_TAG, MPI_Ssend(&value, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD));
  CHECK_CLASS(MPI_ERR_COUNT, MPI_Rsend(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
  CHECK_CLASS(MPI_ERR_TYPE, MPI_Isend(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD, &request));
  CHECK_CLASS(MPI_ERR_COMM, MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Bsend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
  MPI_Type_contiguous(2, MPI_INT, &loose);
  CHECK_CLASS(MPI_ERR_TYPE, MPI_Send(&value, 1, loose, 0, 0, MPI_COMM_WORLD));
  MPI_Type_free(&loose);
  CHECK(request == MPI_REQUEST_NULL);
}

static void receives(void) {
  int value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_CLASS(MPI_ERR_RANK, MPI_Recv(&value, 1, MPI_INT, 7, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK_CLASS(MPI_ERR_TAG, MPI_Irecv(&value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD, &request));
  CHECK_CLASS(MPI_ERR_COUNT, MPI_Recv_init(&value, -3, MPI_INT, 0, 0, MPI_COMM_WORLD, &request));
  CHECK_CLASS(MPI_ERR_RANK, MPI_Probe(-9, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK_CLASS(MPI_ERR_ROOT, MPI_Bcast(&value, 1, MPI_INT, 2, MPI_COMM_WORLD));
}

static void requests(void) {
  MPI_Request request = MPI_REQUEST_NULL;
  int value = 0;
  CHECK_CLASS(MPI_ERR_REQUEST, MPI_Start(&request));
  CHECK_CLASS(MPI_ERR_REQUEST, MPI_Request_free(&request));
  CHECK_CLASS(MPI_ERR_REQUEST, MPI_Cancel(&request));
  MPI_Recv_init(&value, 1, MPI_INT, 0, 444, MPI_COMM_SELF, &request);
  MPI_Start(&request);
  CHECK_CLASS(MPI_ERR_REQUEST, MPI_Start(&request));
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  MPI_Irecv(&value, 1, MPI_INT, 0, 444, MPI_COMM_SELF, &request);
  CHECK_CLASS(MPI_ERR_REQUEST, MPI_Start(&request));
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void truncation(int count) {
  int* data = calloc((size_t)count + 1, sizeof *data);
  MPI_Status status;
  if (check_rank == 0) {
    MPI_Send(data, count, MPI_INT, 1, 1, MPI_COMM_WORLD);
    data[0] = 17;
    MPI_Send(data, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  } else {
    char text[MPI_MAX_ERROR_STRING];
    int length, error;
    data[count - 1] = -1;
    error = MPI_Recv(data, count - 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
    CHECK_CLASS(MPI_ERR_TRUNCATE, error);
    CHECK_EQUAL(-1, data[count - 1]);
    MPI_Error_string(error, text, &length);
    CHECK(length > 20);
    MPI_Recv(data, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
    CHECK_EQUAL(17, data[0]);
  }
  free(data);
}

/* A user's handler of a communicator is called for its errors, and copies of the communicator inherit it. */
static void handlers(void) {
  MPI_Errhandler handler;
  MPI_Comm comm, copy;
  int value = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(count_error, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
  handled = 0;
  MPI_Send(&value, 1, MPI_INT, 99, 0, comm);
  CHECK_EQUAL(1, handled);
  MPI_Comm_dup(comm, &copy);
  MPI_Send(&value, 1, MPI_INT, 99, 0, copy);
  CHECK_EQUAL(2, handled);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  int size;
  MPI_Init(&argc, &argv);
  check_start(&size);
  CHECK_EQUAL(2, size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  sends();
  receives();
  requests();
  truncation(2);
  truncation(3000);
  truncation(500000);
  handlers();
  MPI_Finalize();
  return 0;
}
