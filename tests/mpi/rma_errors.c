/* Wrong arguments of one-sided calls: the error class of the standard, and the window is usable afterwards. */
#include "rma_check.h"

static int size;

static void arguments(struct window* window) {
  const int me = check_rank;
  MPI_Win win = window->win;
  MPI_Datatype uncommitted, mixed;
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {0, 8};
  const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Op own;
  int value = 1, old = 0, flag;
  MPI_Type_contiguous(2, MPI_INT, &uncommitted);
  MPI_Type_create_struct(2, lengths, places, types, &mixed);
  MPI_Type_commit(&mixed);
  MPI_Op_create((MPI_User_function*)(void (*)(void))arguments, 1, &own);
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Put(&value, 1, MPI_INT, me, window_at(window, me, 0), 1, MPI_INT, win));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_unlock(me, win));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_unlock_all(win));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_flush(me, win));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_complete(win));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_wait(win));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_test(win, &flag));
  CHECK_CLASS(MPI_ERR_LOCKTYPE, MPI_Win_lock(0, me, 0, win));
  CHECK_CLASS(MPI_ERR_RANK, MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win));
  CHECK_CLASS(MPI_ERR_ASSERT, MPI_Win_lock(MPI_LOCK_SHARED, me, MPI_MODE_NOPUT, win));
  CHECK_CLASS(MPI_ERR_ASSERT, MPI_Win_fence(MPI_MODE_NOCHECK, win));
  CHECK_CLASS(MPI_ERR_GROUP, MPI_Win_post(MPI_GROUP_NULL, 0, win));
  MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_lock_all(0, win));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_fence(0, win));
  CHECK_CLASS(MPI_ERR_RMA_SYNC, MPI_Win_free(&win));
  CHECK_CLASS(MPI_ERR_RANK, MPI_Put(&value, 1, MPI_INT, size, 0, 1, MPI_INT, win));
  CHECK_CLASS(MPI_ERR_RANK, MPI_Get(&value, 1, MPI_INT, -7, 0, 1, MPI_INT, win));
  CHECK_CLASS(MPI_ERR_COUNT, MPI_Put(&value, -1, MPI_INT, me, window_at(window, me, 0), 1, MPI_INT, win));
  CHECK_CLASS(MPI_ERR_TYPE, MPI_Put(&value, 1, MPI_DATATYPE_NULL, me, window_at(window, me, 0), 1, MPI_INT, win));
  CHECK_CLASS(MPI_ERR_TYPE, MPI_Put(&value, 1, uncommitted, me, window_at(window, me, 0), 2, MPI_INT, win));
  CHECK_CLASS(MPI_ERR_RMA_RANGE,
              MPI_Put(&value, 1, MPI_INT, me, window_at(window, me, window->bytes), 1, MPI_INT, win));
  CHECK_CLASS(MPI_ERR_RMA_RANGE,
              MPI_Get(&value, 1, MPI_INT, me, window_at(window, me, window->bytes - 3), 1, MPI_INT, win));
  CHECK_CLASS(MPI_ERR_OP, MPI_Accumulate(&value, 1, MPI_INT, me, window_at(window, me, 0), 1, MPI_INT, own, win));
  CHECK_CLASS(MPI_ERR_OP,
              MPI_Accumulate(&value, 1, MPI_INT, me, window_at(window, me, 0), 1, MPI_INT, MPI_OP_NULL, win));
  CHECK_CLASS(MPI_ERR_OP,
              MPI_Accumulate(&value, 1, MPI_FLOAT, me, window_at(window, me, 0), 1, MPI_FLOAT, MPI_BAND, win));
  CHECK_CLASS(MPI_ERR_TYPE, MPI_Accumulate(&value, 1, mixed, me, window_at(window, me, 0), 1, mixed, MPI_SUM, win));
  CHECK_CLASS(MPI_ERR_TYPE, MPI_Compare_and_swap(&value, &value, &old, MPI_FLOAT, me, window_at(window, me, 0), win));
  CHECK_EQUAL(MPI_SUCCESS, MPI_Put(&value, 1, MPI_INT, me, window_at(window, me, 0), 1, MPI_INT, win));
  MPI_Win_unlock(me, win);
  if (window->flavor != flavor_dynamic) {
    CHECK_CLASS(MPI_ERR_RMA_FLAVOR, MPI_Win_attach(win, &value, 4));
    MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
    CHECK_CLASS(MPI_ERR_DISP, MPI_Put(&value, 1, MPI_INT, me, -4, 1, MPI_INT, win));
    MPI_Win_unlock(me, win);
  } else {
    CHECK_CLASS(MPI_ERR_RMA_ATTACH, MPI_Win_detach(win, &value));
    CHECK_CLASS(MPI_ERR_RMA_ATTACH, MPI_Win_attach(win, window->memory + 8, 8));
  }
  MPI_Op_free(&own);
  MPI_Type_free(&uncommitted);
  MPI_Type_free(&mixed);
}

static void no_window(void) {
  int value = 0;
  MPI_Win win = MPI_WIN_NULL;
  CHECK_CLASS(MPI_ERR_WIN, MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
  CHECK_CLASS(MPI_ERR_WIN, MPI_Win_fence(0, win));
  CHECK_CLASS(MPI_ERR_WIN, MPI_Win_free(&win));
  CHECK_CLASS(MPI_ERR_COMM, MPI_Win_create(&value, 4, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win));
  CHECK_CLASS(MPI_ERR_SIZE, MPI_Win_create(&value, -1, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win));
  CHECK_CLASS(MPI_ERR_DISP, MPI_Win_create(&value, 4, 0, MPI_INFO_NULL, MPI_COMM_SELF, &win));
}

int main(int argc, char** argv) {
  int flavor;
  MPI_Init(&argc, &argv);
  check_start(&size);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (flavor = 0; flavor < flavors; ++flavor) {
    struct window window;
    window_open(&window, flavor, 256);
    MPI_Win_set_errhandler(window.win, MPI_ERRORS_RETURN);
    arguments(&window);
    window_close(&window);
  }
  no_window();
  MPI_Finalize();
  return 0;
}
