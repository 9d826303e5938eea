/* Who moves collectives while the program computes: the info key vif_progress of communicators. Four ranks. */
#include "p2p_check.h"

#include <time.h>

enum { long_count = 300000 };

static MPI_Comm of_mode[3];
static const char* const modes[] = {"react", "thread", "poll"};
static int size;

static MPI_Info info_with(const char* value) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "vif_progress", value);
  return info;
}

static void check_mode(MPI_Comm comm, const char* expected) {
  MPI_Info info;
  char value[32] = "";
  int flag;
  MPI_Comm_get_info(comm, &info);
  MPI_Info_get(info, "vif_progress", 31, value, &flag);
  CHECK(flag && strcmp(value, expected) == 0);
  MPI_Info_free(&info);
}

/* A communicator gets its mode at its birth, or later, and a copy without an info has what the option says. */
static void hints(void) {
  int mode;
  const char* usual = getenv("VIF_PROGRESS");
  MPI_Comm copy;
  check_mode(MPI_COMM_WORLD, usual == NULL ? "react" : usual);
  for (mode = 0; mode < 3; ++mode) {
    MPI_Info info = info_with(modes[mode]);
    if (mode == 1) {
      MPI_Comm_dup(MPI_COMM_WORLD, &of_mode[mode]);
      CHECK_EQUAL(MPI_SUCCESS, MPI_Comm_set_info(of_mode[mode], info));
    } else {
      MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &of_mode[mode]);
    }
    MPI_Info_free(&info);
    check_mode(of_mode[mode], modes[mode]);
  }
  MPI_Comm_dup(of_mode[2], &copy);
  check_mode(copy, usual == NULL ? "react" : usual);
  MPI_Comm_free(&copy);
}

static void refusals(void) {
  MPI_Comm none;
  MPI_Info wrong = info_with("sometimes");
  MPI_Comm_set_errhandler(of_mode[0], MPI_ERRORS_RETURN);
  CHECK_CLASS(MPI_ERR_INFO_VALUE, MPI_Comm_set_info(of_mode[0], wrong));
  CHECK_CLASS(MPI_ERR_INFO_VALUE, MPI_Comm_dup_with_info(of_mode[0], wrong, &none));
  check_mode(of_mode[0], "react");
  MPI_Comm_set_errhandler(of_mode[0], MPI_ERRORS_ARE_FATAL);
  MPI_Info_free(&wrong);
}

/* Rank 2 must forward to rank 3 and computes. Does rank 3 get through meanwhile? A word that both load and store. */
static void forwarding(int mode) {
  const char* reaction = getenv("VIF_REACTION");
  const int interrupts = reaction == NULL || (strcmp(reaction, "poll") != 0 && strcmp(reaction, "sleep") != 0);
  const int acts_alone = mode == 1 || (mode == 0 && interrupts);
  int *data = malloc(long_count * sizeof *data), i, disp, passed = 0;
  volatile int* word;
  MPI_Aint bytes;
  MPI_Win win;
  MPI_Request request;
  MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, of_mode[mode], (void*)&word, &win);
  *word = 0;
  MPI_Win_shared_query(win, 3, &bytes, &disp, (void*)&word);
  MPI_Barrier(of_mode[mode]);
  for (i = 0; i < long_count; ++i) data[i] = check_rank == 0 ? i * 7 + mode : -1;
  MPI_Ibcast(data, long_count, MPI_INT, 0, of_mode[mode], &request);
  if (check_rank == 2) {
    const clock_t end = clock() + (acts_alone ? 60 : 0) * CLOCKS_PER_SEC + CLOCKS_PER_SEC / 50;
    while (!*word && clock() < end) continue;
    passed = *word;
    CHECK_EQUAL(acts_alone, passed);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (check_rank == 3) *word = 1;
  for (i = 0; i < long_count; ++i) CHECK_EQUAL(i * 7 + mode, data[i]);
  MPI_Win_free(&win);
  free(data);
}

/* A user's operator is for the application's threads alone, whoever moves the rest. */
static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  int i;
  (void)type;
  for (i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void start_all(int round, int n, int* in, int* out, MPI_Op op, MPI_Request* requests) {
  int mode;
  for (mode = 0; mode < 3; ++mode) {
    int* const from = in + mode * n;
    int* const to = out + mode * n * size * 4;
    MPI_Iallreduce(from, to, n, MPI_INT, mode == round % 3 ? op : MPI_SUM, of_mode[mode], &requests[4 * mode]);
    MPI_Iallgather(from, n, MPI_INT, to + n, n, MPI_INT, of_mode[mode], &requests[4 * mode + 1]);
    MPI_Ireduce(from, to + n + n * size, n, MPI_INT, op, round % size, of_mode[mode], &requests[4 * mode + 2]);
    MPI_Iscan(from, to + 2 * n + n * size, n, MPI_INT, MPI_SUM, of_mode[mode], &requests[4 * mode + 3]);
  }
}

static void check_all(int round, int n, const int* out) {
  int mode, i, r;
  for (mode = 0; mode < 3; ++mode) {
    const int* const to = out + mode * n * size * 4;
    for (i = 0; i < n; ++i) {
      const int all = size * (size - 1) / 2 + size * (i + mode);
      CHECK_EQUAL(all, to[i]);
      for (r = 0; r < size; ++r) CHECK_EQUAL(r + i + mode, to[n + r * n + i]);
      if (check_rank == round % size) CHECK_EQUAL(all, to[n + n * size + i]);
      CHECK_EQUAL(check_rank * (check_rank + 1) / 2 + (check_rank + 1) * (i + mode), to[2 * n + n * size + i]);
    }
  }
}

/* All modes at once, beside messages, and completed in every way. */
static void together(int round, int n) {
  MPI_Request requests[14];
  int *in = malloc(3 * n * sizeof *in), *out = calloc(12 * n * size, sizeof *out), mode, i, done = 0, index;
  int token = -1, mine = check_rank;
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  for (mode = 0; mode < 3; ++mode) {
    for (i = 0; i < n; ++i) in[mode * n + i] = check_rank + i + mode;
  }
  start_all(round, n, in, out, op, requests);
  MPI_Irecv(&token, 1, MPI_INT, (check_rank + 1) % size, 9, MPI_COMM_WORLD, &requests[12]);
  MPI_Isend(&mine, 1, MPI_INT, (check_rank + size - 1) % size, 9, MPI_COMM_WORLD, &requests[13]);
  if (round % 3 == 0) {
    MPI_Waitall(14, requests, MPI_STATUSES_IGNORE);
  } else if (round % 3 == 1) {
    while (!done) MPI_Testall(14, requests, &done, MPI_STATUSES_IGNORE);
  } else {
    for (i = 0; i < 14; ++i) MPI_Waitany(14, requests, &index, MPI_STATUS_IGNORE);
  }
  CHECK_EQUAL((check_rank + 1) % size, token);
  check_all(round, n, out);
  MPI_Op_free(&op);
  free(in);
  free(out);
}

int main(int argc, char** argv) {
  int mode, round;
  MPI_Init(&argc, &argv);
  check_start(&size);
  hints();
  refusals();
  for (mode = 0; mode < 3; ++mode) forwarding(mode);
  for (round = 0; round < 12; ++round) together(round, round % 2 == 0 ? 3 : 40000);
  for (mode = 0; mode < 3; ++mode) MPI_Comm_free(&of_mode[mode]);
  MPI_Finalize();
  return 0;
}
