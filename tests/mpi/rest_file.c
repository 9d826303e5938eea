/* Files: views with holes, every kind of pointer, split and ordered access, sizes, representations, and errors. */
#include <unistd.h>

#include "p2p_check.h"

enum { COUNT = 1000 };

static int rank, size;
static char name[256];

static MPI_File opened(int mode) {
  MPI_File file;
  CHECK_EQUAL(MPI_SUCCESS, MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &file));
  return file;
}

/* Each rank sees every size-th integer; together they fill the file without a hole. */
static void interleaved(void) {
  MPI_File file = opened(MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_Datatype every, seen;
  MPI_Status status;
  MPI_Offset offset;
  int out[COUNT], in[COUNT], i, *whole;
  MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)sizeof(int) * size, &every);
  MPI_Type_contiguous(3, every, &seen);
  MPI_Type_commit(&seen);
  MPI_File_set_size(file, 0);
  CHECK_EQUAL(MPI_SUCCESS,
              MPI_File_set_view(file, 8 + rank * (MPI_Offset)sizeof(int), MPI_INT, seen, "native", MPI_INFO_NULL));
  for (i = 0; i < COUNT; ++i) out[i] = rank + i * size;
  MPI_File_write_all(file, out, COUNT, MPI_INT, &status);
  CHECK_EQUAL(COUNT, received_count(&status, MPI_INT));
  MPI_File_get_position(file, &offset);
  CHECK_EQUAL(COUNT, offset);
  MPI_File_get_byte_offset(file, 5, &offset);
  CHECK_EQUAL(8 + (rank + 5 * size) * (int)sizeof(int), offset);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek(file, -10, MPI_SEEK_END);
  MPI_File_get_position(file, &offset);
  CHECK_EQUAL(COUNT - 10, offset);
  MPI_File_read(file, in, 20, MPI_INT, &status);
  CHECK_EQUAL(10, received_count(&status, MPI_INT));
  CHECK_EQUAL(rank + (COUNT - 1) * size, in[9]);
  MPI_File_set_view(file, 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  whole = calloc((size_t)COUNT * (size_t)size, sizeof(int));
  MPI_File_read_at_all(file, 0, whole, COUNT * size, MPI_INT, &status);
  for (i = 0; i < COUNT * size; ++i) CHECK_EQUAL(i, whole[i]);
  free(whole);
  MPI_Type_free(&seen);
  MPI_Type_free(&every);
  MPI_File_close(&file);
  CHECK(file == MPI_FILE_NULL);
}

/* Memory with holes, written and read again. */
static void pieces_in_memory(void) {
  MPI_File file = opened(MPI_MODE_RDWR);
  MPI_Datatype column;
  MPI_Request request;
  MPI_Status status;
  int out[40], in[40], i;
  MPI_Type_vector(10, 1, 4, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (i = 0; i < 40; ++i) {
    out[i] = rank * 100 + i;
    in[i] = -1;
  }
  MPI_File_iwrite_at(file, rank * 40, out, 1, column, &request);
  MPI_Wait(&request, &status);
  CHECK_EQUAL(10, received_count(&status, MPI_INT));
  MPI_File_iread_at(file, rank * 40, in, 1, column, &request);
  MPI_Wait(&request, &status);
  for (i = 0; i < 40; ++i) CHECK_EQUAL(i % 4 == 0 ? rank * 100 + i : -1, in[i]);
  MPI_Type_free(&column);
  MPI_File_close(&file);
}

static void shared_pointer(void) {
  MPI_File file = opened(MPI_MODE_RDWR);
  MPI_Offset offset;
  MPI_Status status;
  int mine[2] = {rank, -rank}, *all = calloc((size_t)size * 2, sizeof(int)), i;
  MPI_File_set_size(file, 0);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_write_ordered(file, mine, 2, MPI_INT, &status);
  MPI_File_get_position_shared(file, &offset);
  CHECK_EQUAL(2 * size, offset);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_read_ordered_begin(file, mine, 2, MPI_INT);
  MPI_File_read_ordered_end(file, mine, &status);
  CHECK_EQUAL(rank, mine[0]);
  CHECK_EQUAL(-rank, mine[1]);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_write_shared(file, &rank, 1, MPI_INT, &status);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at(file, 0, all, size, MPI_INT, &status);
  for (i = 0; i < size; ++i) mine[0] += all[i] - i; /* the ranks in some order */
  CHECK_EQUAL(rank, mine[0]);
  free(all);
  MPI_File_close(&file);
}

static void representations(void) {
  MPI_File file = opened(MPI_MODE_RDWR);
  unsigned char bytes[8];
  int values[2] = {0x01020304, -2}, got[2];
  char form[MPI_MAX_DATAREP_STRING];
  MPI_Datatype etype, filetype;
  MPI_Offset where;
  MPI_Aint extent;
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL);
  MPI_File_get_view(file, &where, &etype, &filetype, form);
  CHECK(strcmp(form, "external32") == 0 && etype == MPI_INT && filetype == MPI_INT);
  MPI_File_get_type_extent(file, MPI_LONG, &extent);
  CHECK_EQUAL(4, extent);
  MPI_File_write_at(file, rank * 2, values, 2, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_read_at(file, rank * 2, got, 2, MPI_INT, MPI_STATUS_IGNORE);
  CHECK(got[0] == values[0] && got[1] == values[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  MPI_File_read_at(file, 0, bytes, 8, MPI_BYTE, MPI_STATUS_IGNORE);
  CHECK(bytes[0] == 1 && bytes[3] == 4 && bytes[4] == 255 && bytes[7] == 254);
  MPI_File_close(&file);
}

static void sizes(void) {
  MPI_File file = opened(MPI_MODE_RDWR);
  MPI_Offset bytes;
  MPI_Group group;
  int flag, members;
  MPI_File_set_size(file, 100);
  MPI_File_get_size(file, &bytes);
  CHECK_EQUAL(100, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_preallocate(file, 50);
  MPI_File_get_size(file, &bytes);
  CHECK_EQUAL(100, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_preallocate(file, 5000);
  MPI_File_get_size(file, &bytes);
  CHECK_EQUAL(5000, bytes);
  MPI_File_set_atomicity(file, 1);
  MPI_File_get_atomicity(file, &flag);
  CHECK(flag);
  MPI_File_write_at(file, 0, &flag, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_File_get_group(file, &group);
  MPI_Group_size(group, &members);
  CHECK_EQUAL(size, members);
  MPI_Group_free(&group);
  MPI_File_close(&file);
}

static void errors(void) {
  MPI_File file;
  int value = 0;
  MPI_Request request;
  CHECK_CLASS(MPI_ERR_NO_SUCH_FILE,
              MPI_File_open(MPI_COMM_WORLD, "/no/such/folder/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
  CHECK_CLASS(MPI_ERR_AMODE,
              MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
  CHECK_CLASS(MPI_ERR_AMODE, MPI_File_open(MPI_COMM_WORLD, name, 0, MPI_INFO_NULL, &file));
  CHECK_CLASS(MPI_ERR_FILE_EXISTS, MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL,
                                                 MPI_INFO_NULL, &file));
  CHECK_CLASS(MPI_ERR_NO_SUCH_FILE, MPI_File_delete("/no/such/file", MPI_INFO_NULL));
  CHECK_CLASS(MPI_ERR_FILE, MPI_File_close(&(MPI_File){MPI_FILE_NULL}));
  CHECK_CLASS(MPI_ERR_FILE, MPI_File_read(MPI_FILE_NULL, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  file = opened(MPI_MODE_RDONLY);
  CHECK_CLASS(MPI_ERR_READ_ONLY, MPI_File_write(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_CLASS(MPI_ERR_COUNT, MPI_File_read(file, &value, -1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_CLASS(MPI_ERR_TYPE, MPI_File_read(file, &value, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE));
  CHECK_CLASS(MPI_ERR_ARG, MPI_File_read_at(file, -1, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_CLASS(MPI_ERR_ARG, MPI_File_seek(file, -1, MPI_SEEK_SET));
  CHECK_CLASS(MPI_ERR_ARG, MPI_File_seek(file, 0, 77));
  CHECK_CLASS(MPI_ERR_UNSUPPORTED_DATAREP, MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "unheard of", MPI_INFO_NULL));
  CHECK(MPI_File_iread(file, &value, -1, MPI_INT, &request) != MPI_SUCCESS);
  CHECK(MPI_File_read_all_end(file, &value, MPI_STATUS_IGNORE) != MPI_SUCCESS);
  MPI_File_close(&file);
}

int main(int count, char** words) {
  MPI_File file;
  MPI_Init(&count, &words);
  check_start(&size);
  rank = check_rank;
  if (rank == 0)
    snprintf(name, sizeof name, "%s/vif-rest-file-%d", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", getpid());
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  interleaved();
  pieces_in_memory();
  shared_pointer();
  representations();
  sizes();
  errors();
  file = opened(MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
  MPI_File_close(&file);
  CHECK(access(name, F_OK) != 0);
  MPI_Finalize();
  return 0;
}
