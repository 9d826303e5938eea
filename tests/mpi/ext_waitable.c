/* Waitables (vif/mpi_ext.h): descriptors and callbacks that fire when requests are complete, while the program sleeps
 * in a call of its own. */
#include <poll.h>
#include <pthread.h>
#include <vif/mpi_ext.h>

#include "p2p_check.h"

/* Sleeps until the waitable has fired. */
static void await(VIF_Waitable waitable) {
  int fd, flag = 0;
  CHECK_EQUAL(MPI_SUCCESS, VIF_Waitable_fd(waitable, &fd));
  while (!flag) {
    struct pollfd entry = {fd, POLLIN, 0};
    CHECK_EQUAL(1, poll(&entry, 1, -1));
    CHECK_EQUAL(MPI_SUCCESS, VIF_Waitable_test(waitable, &flag));
  }
}

static void expect_complete(MPI_Request* request) {
  int flag;
  MPI_Test(request, &flag, MPI_STATUS_IGNORE);
  CHECK(flag);
}

static void check_message(int count, int other) {
  int *in = malloc(sizeof(int) * (size_t)count), *out = malloc(sizeof(int) * (size_t)count), i;
  MPI_Request requests[2];
  VIF_Waitable waitable;
  for (i = 0; i < count; ++i) out[i] = check_rank * 1000 + i;
  MPI_Irecv(in, count, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, count, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[1]);
  CHECK_EQUAL(MPI_SUCCESS, VIF_Waitable_create(2, requests, VIF_WAIT_ALL, &waitable));
  await(waitable);
  CHECK_EQUAL(MPI_SUCCESS, VIF_Waitable_free(&waitable));
  CHECK(waitable == VIF_WAITABLE_NULL);
  expect_complete(&requests[0]);
  expect_complete(&requests[1]);
  CHECK_EQUAL(other * 1000 + count - 1, in[count - 1]);
  free(in);
  free(out);
}

static void check_any(int other) {
  int in[2] = {-1, -1}, value = 5;
  MPI_Request requests[2];
  VIF_Waitable waitable;
  MPI_Irecv(&in[0], 1, MPI_INT, other, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&in[1], 1, MPI_INT, other, 3, MPI_COMM_WORLD, &requests[1]);
  VIF_Waitable_create(2, requests, VIF_WAIT_ANY, &waitable);
  MPI_Send(&value, 1, MPI_INT, other, 3, MPI_COMM_WORLD);
  await(waitable);
  VIF_Waitable_free(&waitable);
  expect_complete(&requests[1]);
  CHECK_EQUAL(5, in[1]);
  CHECK_EQUAL(-1, in[0]);
  /* One that never fires can be freed. */
  VIF_Waitable_create(1, &requests[0], VIF_WAIT_ALL, &waitable);
  VIF_Waitable_free(&waitable);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&value, 1, MPI_INT, other, 2, MPI_COMM_WORLD);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static void add_twice(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

/* A collective, and one with an operator of the program, which runs only with an application thread in the library. */
static void check_collectives(int size) {
  int mine = 1, sum[2] = {0, 0};
  MPI_Op op;
  MPI_Request requests[3];
  VIF_Waitable waitable;
  MPI_Op_create(add_twice, 0, &op);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
  MPI_Iallreduce(&mine, &sum[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
  MPI_Iallreduce(&mine, &sum[1], 1, MPI_INT, op, MPI_COMM_WORLD, &requests[2]);
  VIF_Waitable_create(3, requests, VIF_WAIT_ALL, &waitable);
  await(waitable);
  VIF_Waitable_free(&waitable);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  CHECK(sum[0] == size && sum[1] == size);
  MPI_Op_free(&op);
}

struct Signal {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int calls;
};

static void called(void* argument) {
  struct Signal* it = argument;
  pthread_mutex_lock(&it->lock);
  ++it->calls;
  pthread_cond_signal(&it->changed);
  pthread_mutex_unlock(&it->lock);
}

static void check_callback(int other) {
  struct Signal it = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
  int in = -1, value = 9;
  MPI_Request request;
  VIF_Waitable waitable;
  MPI_Irecv(&in, 1, MPI_INT, other, 4, MPI_COMM_WORLD, &request);
  VIF_Waitable_create(1, &request, VIF_WAIT_ALL, &waitable);
  CHECK_EQUAL(MPI_SUCCESS, VIF_Waitable_on_complete(waitable, called, &it));
  MPI_Send(&value, 1, MPI_INT, other, 4, MPI_COMM_WORLD);
  pthread_mutex_lock(&it.lock);
  while (it.calls == 0 && getenv("VIF_REACTION") == NULL) pthread_cond_wait(&it.changed, &it.lock);
  while (it.calls == 0) { /* the library may need to be called */
    int flag;
    pthread_mutex_unlock(&it.lock);
    MPI_Iprobe(other, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    pthread_mutex_lock(&it.lock);
  }
  pthread_mutex_unlock(&it.lock);
  VIF_Waitable_free(&waitable);
  expect_complete(&request);
  CHECK_EQUAL(1, it.calls);
  /* One that has fired calls at once. */
  MPI_Request none = MPI_REQUEST_NULL;
  VIF_Waitable_create(1, &none, VIF_WAIT_ALL, &waitable);
  VIF_Waitable_on_complete(waitable, called, &it);
  CHECK_EQUAL(2, it.calls);
  VIF_Waitable_free(&waitable);
}

static void check_refusals(void) {
  int flag;
  VIF_Waitable waitable = VIF_WAITABLE_NULL;
  MPI_Request none = MPI_REQUEST_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK_CLASS(MPI_ERR_ARG, VIF_Waitable_test(waitable, &flag));
  CHECK_CLASS(MPI_ERR_ARG, VIF_Waitable_free(&waitable));
  CHECK_CLASS(MPI_ERR_ARG, VIF_Waitable_create(1, &none, 7, &waitable));
  CHECK_CLASS(MPI_ERR_COUNT, VIF_Waitable_create(-1, &none, VIF_WAIT_ALL, &waitable));
}

int main(int argc, char** argv) {
  int size, provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  check_start(&size);
  for (int turn = 0; turn < 20; ++turn) {
    check_message(1, size - 1 - check_rank);
    check_message(200000, size - 1 - check_rank);
    check_any(size - 1 - check_rank);
    check_collectives(size);
    check_callback(size - 1 - check_rank);
  }
  check_refusals();
  MPI_Finalize();
  return 0;
}
