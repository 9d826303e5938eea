/* A function that is not built says so through the right error handler, by its own name. */
#include "p2p_check.h"

static int calls = 0;
static int last_code = 0;

static void note_error(MPI_Comm* comm, int* code, ...) {
  CHECK(*comm == MPI_COMM_WORLD);
  last_code = *code;
  ++calls;
}

static void expect_name(const char* name) {
  char text[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_string(MPI_ERR_UNSUPPORTED_OPERATION, text, &length);
  if (strstr(text, name) == NULL) fprintf(stderr, "the message is: %s\n", text);
  CHECK(strstr(text, name) != NULL);
}

int main(int argc, char** argv) {
  MPI_Errhandler handler;
  MPI_Comm inter;
  int size;
  MPI_Init(&argc, &argv);
  check_start(&size);
  MPI_Comm_create_errhandler(note_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);

  CHECK_EQUAL(MPI_ERR_UNSUPPORTED_OPERATION, MPI_Comm_accept("port", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter));
  CHECK_EQUAL(1, calls);
  CHECK_EQUAL(MPI_ERR_UNSUPPORTED_OPERATION, last_code);
  expect_name("MPI_Comm_accept");

  CHECK_EQUAL(MPI_ERR_UNSUPPORTED_OPERATION, MPI_Close_port("port"));
  expect_name("MPI_Close_port");
  CHECK_EQUAL(1, calls);
  MPI_Errhandler_free(&handler);
  MPI_Finalize();
  return 0;
}
