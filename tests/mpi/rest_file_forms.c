/* Every way to write and to read a file: each process has a block of its own, found by an explicit offset, by its own
   pointer through a view, or by the shared pointer in the order of the ranks. */
#include "p2p_check.h"

#include <unistd.h>

enum { many = 7 };

static MPI_File file;
static int size, block[many], got[many];
static MPI_Offset mine;

static void fill(int seed) {
  int i;
  for (i = 0; i < many; ++i) block[i] = check_rank * 100 + seed * 10 + i;
  memset(got, -1, sizeof got);
}

static void wait_for(MPI_Request* request) {
  MPI_Status status;
  MPI_Wait(request, &status);
  CHECK_EQUAL(many, received_count(&status, MPI_INT));
}

static void check_got(const MPI_Status* status) {
  int i;
  if (status != NULL) CHECK_EQUAL(many, received_count(status, MPI_INT));
  for (i = 0; i < many; ++i) CHECK_EQUAL(block[i], got[i]);
}

/* What was written is read by everybody after this. */
static void settle(void) {
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek(file, mine, MPI_SEEK_SET);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
}

static void at_offsets(void) {
  MPI_Request request;
  MPI_Status status;
  fill(1);
  MPI_File_write_at_all(file, mine, block, many, MPI_INT, &status);
  settle();
  MPI_File_read_at_all(file, mine, got, many, MPI_INT, &status);
  check_got(&status);
  fill(2);
  MPI_File_iwrite_at(file, mine, block, many, MPI_INT, &request);
  wait_for(&request);
  settle();
  MPI_File_iread_at(file, mine, got, many, MPI_INT, &request);
  wait_for(&request);
  check_got(NULL);
  fill(3);
  MPI_File_iwrite_at_all(file, mine, block, many, MPI_INT, &request);
  wait_for(&request);
  settle();
  MPI_File_iread_at_all(file, mine, got, many, MPI_INT, &request);
  wait_for(&request);
  check_got(NULL);
  fill(4);
  MPI_File_write_at_all_begin(file, mine, block, many, MPI_INT);
  MPI_File_write_at_all_end(file, block, &status);
  settle();
  MPI_File_read_at_all_begin(file, mine, got, many, MPI_INT);
  MPI_File_read_at_all_end(file, got, &status);
  check_got(&status);
}

static void by_own_pointer(void) {
  MPI_Request request;
  MPI_Status status;
  settle();
  fill(5);
  MPI_File_write(file, block, many, MPI_INT, &status);
  settle();
  MPI_File_read(file, got, many, MPI_INT, &status);
  check_got(&status);
  settle();
  fill(6);
  MPI_File_write_all(file, block, many, MPI_INT, &status);
  settle();
  MPI_File_read_all(file, got, many, MPI_INT, &status);
  check_got(&status);
  settle();
  fill(7);
  MPI_File_iwrite(file, block, many, MPI_INT, &request);
  wait_for(&request);
  settle();
  MPI_File_iread(file, got, many, MPI_INT, &request);
  wait_for(&request);
  check_got(NULL);
  settle();
  fill(8);
  MPI_File_iwrite_all(file, block, many, MPI_INT, &request);
  wait_for(&request);
  settle();
  MPI_File_iread_all(file, got, many, MPI_INT, &request);
  wait_for(&request);
  check_got(NULL);
  settle();
  fill(9);
  MPI_File_write_all_begin(file, block, many, MPI_INT);
  MPI_File_write_all_end(file, block, &status);
  settle();
  MPI_File_read_all_begin(file, got, many, MPI_INT);
  MPI_File_read_all_end(file, got, &status);
  check_got(&status);
}

/* Whose block is whose, only the ordered ones know; the others take a block each, and all of them are taken. */
static void by_shared_pointer(void) {
  MPI_Request request;
  MPI_Status status;
  int taken, all, i;
  settle();
  fill(1);
  MPI_File_write_ordered(file, block, many, MPI_INT, &status);
  settle();
  MPI_File_read_ordered(file, got, many, MPI_INT, &status);
  check_got(&status);
  settle();
  fill(2);
  MPI_File_write_ordered_begin(file, block, many, MPI_INT);
  MPI_File_write_ordered_end(file, block, &status);
  settle();
  MPI_File_read_ordered_begin(file, got, many, MPI_INT);
  MPI_File_read_ordered_end(file, got, &status);
  check_got(&status);
  for (i = 0; i < 2; ++i) {
    settle();
    fill(3);
    if (i == 0) {
      MPI_File_write_shared(file, block, many, MPI_INT, &status);
    } else {
      MPI_File_iwrite_shared(file, block, many, MPI_INT, &request);
      wait_for(&request);
    }
    settle();
    if (i == 0) {
      MPI_File_read_shared(file, got, many, MPI_INT, &status);
    } else {
      MPI_File_iread_shared(file, got, many, MPI_INT, &request);
      wait_for(&request);
    }
    CHECK_EQUAL(got[0] + many - 1, got[many - 1]);
    taken = got[0] / 100;
    MPI_Allreduce(&taken, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_EQUAL(size * (size - 1) / 2, all);
  }
}

static int handled;
/* A structure has the bounds of its member that was resized, and so the next one would overlap with it. A program that
   never reaches the next may use it all the same: HDF5 does. */
static void a_member_that_was_resized(void) {
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {0, 12};
  const int words[2] = {check_rank + 1, check_rank + 1000};
  int seen[4];
  MPI_Datatype types[2] = {MPI_INT, MPI_DATATYPE_NULL}, both;
  MPI_Status status;
  MPI_Type_create_resized(MPI_INT, 0, 8, &types[1]);
  MPI_Type_create_struct(2, lengths, places, types, &both);
  MPI_Type_commit(&both);
  CHECK_EQUAL(MPI_SUCCESS, MPI_File_set_view(file, check_rank * 64, MPI_INT, both, "native", MPI_INFO_NULL));
  MPI_File_write_at_all(file, 0, words, 2, MPI_INT, &status);
  CHECK_EQUAL(2, received_count(&status, MPI_INT));
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_read_at(file, check_rank * 16, seen, 4, MPI_INT, &status);
  CHECK_EQUAL(words[0], seen[0]);
  CHECK_EQUAL(words[1], seen[3]);
  MPI_Type_free(&both);
  MPI_Type_free(&types[1]);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void note(MPI_File* where, int* code, ...) {
  (void)where;
  (void)code;
  ++handled;
}

static void handle_and_hints(void) {
  MPI_Errhandler handler, current;
  MPI_Info info, used;
  int amode, present;
  char value[8];
  MPI_File_get_amode(file, &amode);
  CHECK_EQUAL(MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, amode);
  MPI_File_create_errhandler(note, &handler);
  MPI_File_set_errhandler(file, handler);
  MPI_File_get_errhandler(file, &current);
  CHECK(current == handler);
  MPI_Errhandler_free(&current);
  MPI_File_call_errhandler(file, MPI_ERR_IO);
  CHECK_EQUAL(1, handled);
  MPI_File_set_errhandler(file, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&handler);
  MPI_Info_create(&info);
  MPI_Info_set(info, "a_key_that_no_library_knows", "1");
  CHECK_EQUAL(MPI_SUCCESS, MPI_File_set_info(file, info));
  MPI_Info_free(&info);
  MPI_File_get_info(file, &used);
  MPI_Info_get(used, "an_other_key", 7, value, &present);
  CHECK(!present);
  MPI_Info_free(&used);
  CHECK(MPI_File_fromint(MPI_File_toint(file)) == file);
}

int main(int argc, char** argv) {
  char name[64];
  MPI_Init(&argc, &argv);
  check_start(&size);
  snprintf(name, sizeof name, "/tmp/rest_file_forms.%d", (int)getpid());
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  CHECK_EQUAL(MPI_SUCCESS,
              MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                            MPI_INFO_NULL, &file));
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  mine = check_rank * many;
  at_offsets();
  by_own_pointer();
  by_shared_pointer();
  a_member_that_was_resized();
  handle_and_hints();
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
