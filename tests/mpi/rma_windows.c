/* Windows as objects: attributes, names, groups, hints, memory of other processes, dynamic memory, handlers. */
#include "rma_check.h"

static int size, deleted, handled;

static int delete_attribute(MPI_Win win, int keyval, void* value, void* extra) {
  (void)win;
  (void)keyval;
  (void)extra;
  deleted += *(int*)value;
  return MPI_SUCCESS;
}

static void handler(MPI_Win* win, int* code, ...) {
  (void)win;
  (void)code;
  ++handled;
}

static void attributes(void) {
  double memory[4];
  MPI_Win win;
  int keyval, flag, value = 5;
  int *unit, *flavor, *model;
  MPI_Aint* bytes;
  void *base, *found;
  char name[MPI_MAX_OBJECT_NAME];
  MPI_Group group, world;
  MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
  CHECK(flag && base == memory);
  MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag);
  CHECK(flag && *bytes == sizeof memory);
  MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag);
  CHECK(flag && *unit == sizeof(double));
  MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag);
  CHECK(flag && *flavor == MPI_WIN_FLAVOR_CREATE);
  MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &flag);
  CHECK(flag && *model == MPI_WIN_UNIFIED);
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_attribute, &keyval, NULL);
  MPI_Win_get_attr(win, keyval, &found, &flag);
  CHECK(!flag);
  MPI_Win_set_attr(win, keyval, &value);
  MPI_Win_get_attr(win, keyval, &found, &flag);
  CHECK(flag && found == &value);
  MPI_Win_delete_attr(win, keyval);
  CHECK_EQUAL(5, deleted);
  MPI_Win_set_attr(win, keyval, &value);
  MPI_Win_free_keyval(&keyval);
  CHECK_EQUAL(MPI_KEYVAL_INVALID, keyval);
  MPI_Win_get_name(win, name, &flag);
  CHECK_EQUAL(0, flag);
  MPI_Win_set_name(win, "a window");
  MPI_Win_get_name(win, name, &flag);
  CHECK(flag == 8 && strcmp(name, "a window") == 0);
  MPI_Win_get_group(win, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_compare(group, world, &flag);
  CHECK_EQUAL(MPI_IDENT, flag);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  MPI_Win_free(&win);
  CHECK_EQUAL(10, deleted);
}

static void hints(void) {
  MPI_Win win;
  MPI_Info info;
  char value[16];
  int flag, *memory;
  MPI_Info_create(&info);
  MPI_Info_set(info, "no_locks", "true");
  MPI_Win_allocate(4, 1, info, MPI_COMM_WORLD, &memory, &win);
  MPI_Info_free(&info);
  MPI_Win_get_info(win, &info);
  MPI_Info_get(info, "no_locks", 15, value, &flag);
  CHECK(flag && strcmp(value, "true") == 0);
  MPI_Win_set_info(win, info);
  MPI_Info_free(&info);
  MPI_Win_free(&win);
}

/* Parts of different sizes follow each other, and every process reads and writes them by plain loads and stores. */
static void shared(int apart) {
  MPI_Win win;
  MPI_Info info;
  int *mine, *base, rank, i, unit;
  MPI_Aint bytes;
  char* expected = NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", apart ? "true" : "false");
  MPI_Win_allocate_shared((check_rank + 1) * (int)sizeof(int), sizeof(int), info, MPI_COMM_WORLD, &mine, &win);
  MPI_Info_free(&info);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  for (i = 0; i <= check_rank; ++i) mine[i] = check_rank * 100 + i;
  MPI_Win_sync(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(win);
  for (rank = 0; rank < size; ++rank) {
    MPI_Win_shared_query(win, rank, &bytes, &unit, &base);
    CHECK_EQUAL((rank + 1) * (int)sizeof(int), bytes);
    CHECK_EQUAL(sizeof(int), unit);
    for (i = 0; i <= rank; ++i) CHECK_EQUAL(rank * 100 + i, base[i]);
    if (!apart && expected != NULL) CHECK((char*)base == expected);
    expected = (char*)base + bytes;
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

static void nothing_shared_by_some(void) {
  MPI_Win win;
  double *mine, *base;
  MPI_Aint bytes;
  int unit;
  MPI_Win_allocate_shared(check_rank == size - 1 ? 80 : 0, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  if (check_rank == size - 1) mine[9] = 2.5;
  MPI_Win_fence(0, win);
  MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &base);
  CHECK_EQUAL(80, bytes);
  CHECK(base[9] == 2.5);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

/* More pieces than a first table holds, attached and detached in any order. */
static void dynamic(void) {
  enum { pieces = 50 };
  static long memory[2 * pieces];
  MPI_Win win;
  MPI_Aint base;
  long value = 77, back = 0;
  int i;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  for (i = 0; i < pieces; ++i) MPI_Win_attach(win, &memory[2 * i], sizeof(long));
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  for (i = 0; i < pieces; ++i) {
    MPI_Get_address(&memory[2 * i], &base);
    CHECK_EQUAL(MPI_SUCCESS, MPI_Put(&value, 1, MPI_LONG, 0, base, 1, MPI_LONG, win));
    CHECK_EQUAL(77, memory[2 * i]);
  }
  MPI_Win_unlock(0, win);
  for (i = 0; i < pieces; i += 2) CHECK_EQUAL(MPI_SUCCESS, MPI_Win_detach(win, &memory[2 * i]));
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Get_address(&memory[2], &base);
  CHECK_EQUAL(MPI_SUCCESS, MPI_Get(&back, 1, MPI_LONG, 0, base, 1, MPI_LONG, win));
  CHECK_EQUAL(77, back);
  MPI_Win_unlock(0, win);
  MPI_Win_free(&win);
}

static void handlers(void) {
  MPI_Win win;
  MPI_Errhandler mine, found;
  int memory[1];
  MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_create_errhandler(handler, &mine);
  MPI_Win_get_errhandler(win, &found);
  CHECK(found == MPI_ERRORS_ARE_FATAL);
  MPI_Win_set_errhandler(win, mine);
  MPI_Win_get_errhandler(win, &found);
  CHECK(found == mine);
  MPI_Errhandler_free(&found);
  MPI_Errhandler_free(&mine);
  MPI_Win_call_errhandler(win, MPI_ERR_OTHER);
  CHECK_EQUAL(1, handled);
  MPI_Win_lock(99, 0, 0, win);
  CHECK_EQUAL(2, handled);
  MPI_Win_free(&win);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  check_start(&size);
  attributes();
  hints();
  shared(0);
  shared(1);
  nothing_shared_by_some();
  dynamic();
  handlers();
  MPI_Finalize();
  return 0;
}
