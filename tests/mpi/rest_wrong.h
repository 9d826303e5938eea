/* What the generated program rest_wrong.c uses: good objects to put one wrong argument beside, objects that have been
   freed, and the keeping of accounts. Each part of the program runs in a process of its own, so that a call that kills
   it or never comes back is one finding and not the end. */
#ifndef REST_WRONG_H
#define REST_WRONG_H

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { any_error = -1, seconds_for_a_call = 20 };

/* Shared with the process that does the work. */
struct Account {
  volatile int next; /* the attempt that comes next */
  volatile int attempts, findings;
  const char* volatile function, * volatile argument, * volatile how;
};
static struct Account* account;
static int skipped_until; /* attempts that earlier processes have made */
static int attempt_number;

static MPI_Comm comm, cart, graph, adjacent;
static MPI_Group group;
static MPI_Info info;
static MPI_Win win, idle_win, dynamic;
static MPI_File file;
static MPI_Session session;
static MPI_Request persistent, psend, precv;
static MPI_T_cvar_handle cvar;
static MPI_T_pvar_session pvars;
static MPI_T_pvar_handle pvar;
static MPI_Datatype uncommitted;
static long long memory[64], other_memory[64], target_memory[64];
static char path[64];

static const int ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, zeros[8], negatives[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
static const int far_ranks[8] = {77, 77, 77, 77, 77, 77, 77, 77};
static const MPI_Count large_ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, large_zeros[8],
                       large_negatives[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
static const MPI_Aint address_zeros[8];
static int ints_out[64], ranges[1][3] = {{0, 0, 1}}, far_ranges[1][3] = {{77, 78, 1}};
static MPI_Aint aints_out[64];
static MPI_Count counts_out[64];
static char text_out[MPI_MAX_OBJECT_NAME + 8192];
static char* no_arguments[1];
static char** no_arguments_list[1];
static char* commands[1];
static MPI_Datatype types[8], no_types[8], types_out[8];
static MPI_Request requests[8];
static MPI_Status statuses[8];
static MPI_Info infos[1];

static int nothing_query(void* state, MPI_Status* status) {
  (void)state;
  (void)status;
  return MPI_SUCCESS;
}
static int nothing_free(void* state) {
  (void)state;
  return MPI_SUCCESS;
}
static int nothing_cancel(void* state, int complete) {
  (void)state;
  (void)complete;
  return MPI_SUCCESS;
}
static int nothing_extent(MPI_Datatype type, MPI_Aint* extent, void* state) {
  (void)type;
  (void)extent;
  (void)state;
  return MPI_SUCCESS;
}

static void make_objects(void) {
  int i, one = 1, zero = 0, number;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &one, &zero, 0, &cart);
  MPI_Graph_create(MPI_COMM_WORLD, 1, &one, &zero, 0, &graph);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &zero, MPI_UNWEIGHTED, 1, &zero, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &adjacent);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "value");
  MPI_Win_create(target_memory, sizeof target_memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_create(target_memory, sizeof target_memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &idle_win);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
  MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_set_errhandler(idle_win, MPI_ERRORS_RETURN);
  MPI_Win_lock_all(0, win);
  snprintf(path, sizeof path, "/tmp/rest_wrong.%d", (int)getpid());
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Send_init(memory, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &persistent);
  MPI_Psend_init(memory, 2, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &psend);
  MPI_Precv_init(other_memory, 2, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &precv);
  MPI_Start(&psend);
  MPI_Start(&precv);
  MPI_Type_contiguous(2, MPI_INT, &uncommitted);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &i);
  MPI_T_cvar_handle_alloc(0, NULL, &cvar, &number);
  MPI_T_pvar_session_create(&pvars);
  MPI_T_pvar_handle_alloc(pvars, 0, NULL, &pvar, &number);
  for (i = 0; i < 8; ++i) {
    types[i] = MPI_INT;
    no_types[i] = MPI_DATATYPE_NULL;
    requests[i] = MPI_REQUEST_NULL;
  }
  infos[0] = MPI_INFO_NULL;
  commands[0] = path;
}

/* Handles of what is no more. Made anew each time, so that nothing else has taken the place. */
static inline MPI_Comm freed_comm(void) {
  MPI_Comm made, kept;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  kept = made;
  MPI_Comm_free(&made);
  return kept;
}
static inline MPI_Group freed_group(void) {
  MPI_Group made, kept;
  MPI_Comm_group(MPI_COMM_WORLD, &made);
  kept = made;
  MPI_Group_free(&made);
  return kept;
}
static inline MPI_Datatype freed_type(void) {
  MPI_Datatype made, kept;
  MPI_Type_contiguous(3, MPI_INT, &made);
  kept = made;
  MPI_Type_free(&made);
  return kept;
}
static void no_operation(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)in;
  (void)inout;
  (void)count;
  (void)type;
}
static inline MPI_Op freed_op(void) {
  MPI_Op made, kept;
  MPI_Op_create(no_operation, 1, &made);
  kept = made;
  MPI_Op_free(&made);
  return kept;
}
static inline MPI_Info freed_info(void) {
  MPI_Info made, kept;
  MPI_Info_create(&made);
  kept = made;
  MPI_Info_free(&made);
  return kept;
}
static inline MPI_Win freed_win(void) {
  MPI_Win made, kept;
  MPI_Win_create(target_memory, 8, 1, MPI_INFO_NULL, MPI_COMM_SELF, &made);
  kept = made;
  MPI_Win_free(&made);
  return kept;
}
static inline MPI_File closed_file(void) {
  MPI_File made, kept;
  char name[sizeof path + 8];
  snprintf(name, sizeof name, "%s.closed", path);
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &made);
  kept = made;
  MPI_File_close(&made);
  return kept;
}
static inline MPI_Errhandler freed_errhandler(void) {
  MPI_Errhandler made, kept;
  MPI_Comm_create_errhandler((MPI_Comm_errhandler_function*)(void*)no_operation, &made);
  kept = made;
  MPI_Errhandler_free(&made);
  return kept;
}
static inline MPI_Session ended_session(void) {
  MPI_Session made, kept;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &made);
  kept = made;
  MPI_Session_finalize(&made);
  return kept;
}
static inline MPI_Request freed_request(void) {
  MPI_Request made, kept;
  MPI_Send_init(memory, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &made);
  kept = made;
  MPI_Request_free(&made);
  return kept;
}

/* A message of this process to itself that a probe has taken. */
static MPI_Message matched_message(void) {
  static int word;
  MPI_Message message;
  MPI_Request request;
  MPI_Isend(&word, 1, MPI_INT, 0, 77, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  MPI_Mprobe(0, 77, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  return message;
}
static inline MPI_Message received_message(void) {
  int word;
  MPI_Message message = matched_message(), kept = message;
  MPI_Mrecv(&word, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  return kept;
}

/* Whether this attempt is to be made by this process; writes down what it is going to do. */
static int begin_attempt(const char* function, const char* argument, const char* how) {
  if (attempt_number++ < skipped_until) return 0;
  account->next = attempt_number;
  account->function = function;
  account->argument = argument;
  account->how = how;
  alarm(seconds_for_a_call);
  return 1;
}

static void finding(const char* what) {
  ++account->findings;
  printf("%s: with %s %s: %s\n", account->function, account->argument, account->how, what);
  fflush(stdout);
}

static void end_attempt(int error, const int* classes, int count) {
  int found, i;
  char text[MPI_MAX_ERROR_STRING + 64];
  ++account->attempts;
  alarm(0);
  if (error == MPI_SUCCESS) {
    finding("success");
    return;
  }
  MPI_Error_class(error, &found);
  for (i = 0; i < count; ++i) {
    if (classes[i] == found || classes[i] == any_error) return;
  }
  snprintf(text, sizeof text, "error class %d: ", found);
  MPI_Error_string(error, text + strlen(text), &i);
  finding(text);
}

#define TRY(function, argument, how, call, ...)                              \
  if (begin_attempt(function, argument, how)) {                              \
    static const int classes[] = {__VA_ARGS__};                              \
    end_attempt((call), classes, (int)(sizeof classes / sizeof classes[0])); \
  }

/* A handle that was freed is noticed by looking at the memory that it leads to, which the address sanitizer forbids. */
#ifdef __SANITIZE_ADDRESS__
#define TRY_FREED(...)
#else
#define TRY_FREED TRY
#endif

static void try_all(void);

/* Children do the work; one that dies is followed by another, which goes on behind the attempt that killed it. */
int main(void) {
  account = mmap(NULL, sizeof *account, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (;;) {
    int status;
    const pid_t child = fork();
    if (child == 0) {
      skipped_until = account->next;
      MPI_Init(NULL, NULL);
      make_objects();
      try_all();
      MPI_File_close(&file);
      _exit(0); /* not MPI_Finalize: what wrong calls have left behind is not what is asked here */
    }
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
    if (account->function == NULL) {
      printf("the objects could not be made\n");
      return 1;
    }
    finding(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "it does not come back" : "the process dies");
  }
  printf("%d wrong calls, %d findings\n", account->attempts, account->findings);
  return account->findings == 0 && account->attempts > 0 ? 0 : 1;
}

#endif
