/* A generalized request: its functions are called at the right moments, and its status is the program's. */
#include <mpi.h>
#include <pthread.h>

#include "p2p_check.h"

struct state {
  int queries, frees, cancels, complete_when_cancelled;
};

static int query(void* extra, MPI_Status* status) {
  struct state* state = extra;
  ++state->queries;
  status->MPI_SOURCE = 3;
  status->MPI_TAG = 7;
  MPI_Status_set_elements(status, MPI_INT, 5);
  MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}

static int release(void* extra) {
  ++((struct state*)extra)->frees;
  return MPI_SUCCESS;
}

static int cancel(void* extra, int complete) {
  ++((struct state*)extra)->cancels;
  ((struct state*)extra)->complete_when_cancelled = complete;
  return MPI_SUCCESS;
}

static int refuse(void* extra, MPI_Status* status) {
  (void)extra;
  (void)status;
  return MPI_ERR_BUFFER;
}

static void* complete_it(void* request) {
  MPI_Grequest_complete(*(MPI_Request*)request);
  return NULL;
}

int main(void) {
  struct state state = {0, 0, 0, -1};
  MPI_Request request, copy;
  MPI_Status status;
  pthread_t thread;
  int flag, size, provided;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
  check_start(&size);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);

  MPI_Grequest_start(query, release, cancel, &state, &request);
  MPI_Test(&request, &flag, &status);
  CHECK(!flag);
  MPI_Cancel(&request);
  CHECK_EQUAL(0, state.complete_when_cancelled);
  copy = request;
  pthread_create(&thread, NULL, complete_it, &copy);
  MPI_Wait(&request, &status);
  pthread_join(thread, NULL);
  CHECK(request == MPI_REQUEST_NULL);
  CHECK_EQUAL(3, status.MPI_SOURCE);
  CHECK_EQUAL(7, status.MPI_TAG);
  CHECK_EQUAL(5, received_count(&status, MPI_INT));
  CHECK_EQUAL(1, state.queries);
  CHECK_EQUAL(1, state.frees);
  CHECK_EQUAL(1, state.cancels);

  MPI_Grequest_start(query, release, cancel, &state, &request);
  MPI_Grequest_complete(request);
  MPI_Request_get_status(request, &flag, &status);
  CHECK(flag);
  CHECK_EQUAL(7, status.MPI_TAG);
  CHECK_EQUAL(1, state.frees);
  MPI_Request_free(&request);
  CHECK_EQUAL(2, state.frees);

  MPI_Grequest_start(refuse, release, cancel, &state, &request);
  MPI_Grequest_complete(request);
  CHECK_CLASS(MPI_ERR_BUFFER, MPI_Wait(&request, &status));
  CHECK_CLASS(MPI_ERR_REQUEST, MPI_Grequest_complete(MPI_REQUEST_NULL));
  MPI_Finalize();
  return 0;
}
