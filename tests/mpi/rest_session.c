/* Sessions without MPI_Init: sets of processes, groups, error handlers, buffers, and a second session afterwards. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int errors_seen;

static void count_error(MPI_Session* session, int* code, ...) {
  (void)session;
  (void)code;
  ++errors_seen;
}

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                  \
    }                                                                           \
  } while (0)

static int named(MPI_Session session, const char* wanted) {
  int count, n;
  MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count);
  for (n = 0; n < count; ++n) {
    char name[MPI_MAX_PSET_NAME_LEN];
    int length = 0;
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, NULL);
    CHECK(length > 1 && length <= MPI_MAX_PSET_NAME_LEN);
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, name);
    CHECK((int)strlen(name) + 1 == length);
    if (strcmp(name, wanted) == 0) return 1;
  }
  return 0;
}

static void groups(MPI_Session session) {
  MPI_Group world, self;
  MPI_Info info;
  int size, length = 8, flag;
  char value[8];
  CHECK(named(session, "mpi://WORLD") && named(session, "mpi://SELF"));
  MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
  MPI_Group_from_session_pset(session, "mpi://SELF", &self);
  MPI_Group_size(self, &size);
  CHECK(size == 1);
  MPI_Group_size(world, &size);
  MPI_Session_get_pset_info(session, "mpi://WORLD", &info);
  MPI_Info_get_string(info, "mpi_size", &length, value, &flag);
  CHECK(flag && atoi(value) == size);
  MPI_Info_free(&info);
  MPI_Group_free(&world);
  MPI_Group_free(&self);
}

static void errors(MPI_Session session) {
  MPI_Errhandler handler, got;
  MPI_Group group;
  MPI_Session_create_errhandler(count_error, &handler);
  MPI_Session_set_errhandler(session, handler);
  MPI_Session_get_errhandler(session, &got);
  CHECK(got == handler);
  MPI_Errhandler_free(&got);
  CHECK(MPI_Group_from_session_pset(session, "mpi://NOBODY", &group) != MPI_SUCCESS);
  CHECK(errors_seen == 1);
  MPI_Session_call_errhandler(session, MPI_ERR_OTHER);
  CHECK(errors_seen == 2);
  MPI_Errhandler_free(&handler);
}

static void buffers(MPI_Session session) {
  static char memory[MPI_BSEND_OVERHEAD + 100];
  void* got;
  int size;
  MPI_Request request;
  MPI_Session_attach_buffer(session, memory, sizeof memory);
  CHECK(MPI_Session_attach_buffer(session, memory, sizeof memory) != MPI_SUCCESS);
  MPI_Session_flush_buffer(session);
  MPI_Session_iflush_buffer(session, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Session_detach_buffer(session, &got, &size);
  CHECK(got == (void*)memory && size == (int)sizeof memory);
}

int main(void) {
  MPI_Session session;
  MPI_Info info;
  int flag, again;
  for (again = 0; again < 2; ++again) {
    CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
    MPI_Initialized(&flag);
    CHECK(!flag);
    MPI_Session_get_info(session, &info);
    MPI_Info_free(&info);
    errors_seen = 0;
    groups(session);
    errors(session);
    buffers(session);
    MPI_Session_finalize(&session);
    CHECK(session == MPI_SESSION_NULL);
  }
  return 0;
}
