// One binary for several libraries: prints on which it runs, and uses what an ABI must agree on: handles, constants,
// the layout of statuses, callbacks, special addresses. Run by abi_cross.sh.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static int deleted;

static void require(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "abi_cross: rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void add(void* given, void* result, int* count, MPI_Datatype* type) {
  require(*type == MPI_INT, "the operator got another type than MPI_INT");
  for (int i = 0; i < *count; ++i) ((int*)result)[i] += ((const int*)given)[i];
}

static int forget(MPI_Comm comm, int key, void* value, void* state) {
  (void)comm;
  (void)key;
  deleted = *(int*)value + *(int*)state;
  return MPI_SUCCESS;
}

static void point_to_point(void) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int give[3] = {rank, rank + 10, rank + 20}, take[3] = {-1, -1, -1}, count = -1;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Irecv(take, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(give, 2, MPI_INT, right, 17, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  MPI_Get_count(&statuses[0], MPI_INT, &count);
  require(statuses[0].MPI_SOURCE == left && statuses[0].MPI_TAG == 17 && count == 2, "the status is wrong");
  require(take[0] == left && take[1] == left + 10 && take[2] == -1, "the message is wrong");
  require(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL, "a request is not null after Waitall");
  MPI_Recv(take, 3, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &statuses[0]);
  require(statuses[0].MPI_SOURCE == MPI_PROC_NULL, "a receive from MPI_PROC_NULL has another source");
  MPI_Sendrecv(give, 1, MPI_INT, right, 1, take, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  require(take[0] == left, "MPI_Sendrecv with MPI_STATUS_IGNORE is wrong");
}

static void collectives(void) {
  int value = rank + 1, sum = 0;
  MPI_Op operator;
  MPI_Op_create(add, 1, &operator);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, operator, MPI_COMM_WORLD);
  require(sum == size * (size + 1) / 2, "MPI_Allreduce with an operator of the program is wrong");
  MPI_Op_free(&operator);
  require(operator== MPI_OP_NULL, "a freed operator is not MPI_OP_NULL");
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  require(value == size, "MPI_Allreduce with MPI_IN_PLACE is wrong");
}

static void objects(void) {
  struct {
    char letter;
    double number;
  } pair = {'a', 0.5 + rank}, other = {'b', 0};
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {0, (char*)&pair.number - (char*)&pair};
  const MPI_Datatype parts[] = {MPI_CHAR, MPI_DOUBLE};
  MPI_Datatype type;
  MPI_Type_create_struct(2, lengths, places, parts, &type);
  MPI_Type_commit(&type);
  other = pair;
  MPI_Bcast(&other, 1, type, 0, MPI_COMM_WORLD);
  require(other.letter == 'a' && other.number == 0.5, "a struct type is wrong");
  MPI_Type_free(&type);

  MPI_Comm half;
  int key, value = 40, state = 2, found = 0, *seen = NULL, *limit = NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : MPI_UNDEFINED, 0, &half);
  require((half == MPI_COMM_NULL) == (rank != 0), "MPI_UNDEFINED in MPI_Comm_split is wrong");
  if (half != MPI_COMM_NULL) MPI_Comm_free(&half);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, &state);
  MPI_Comm_dup(MPI_COMM_WORLD, &half);
  MPI_Comm_set_attr(half, key, &value);
  MPI_Comm_get_attr(half, key, &seen, &found);
  require(found && seen == &value, "an attribute is wrong");
  MPI_Comm_free(&half);
  require(deleted == 42, "the delete function of an attribute was not called");
  MPI_Comm_free_keyval(&key);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &found);
  require(found && *limit >= 32767, "MPI_TAG_UB is wrong");
}

static void errors(void) {
  int class = MPI_SUCCESS;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int code = MPI_Send(&class, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);
  MPI_Error_class(code, &class);
  require(class == MPI_ERR_RANK, "a send to a rank that does not exist gives another class than MPI_ERR_RANK");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char** argv) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Get_library_version(version, &length);
  require(length == (int)strlen(version), "the length of the library version is wrong");
  point_to_point();
  collectives();
  objects();
  errors();
  version[strcspn(version, "\n")] = '\0';
  printf("rank %d of %d on %s\n", rank, size, version);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
