/* Passive targets: exclusive locks exclude, shared ones let others in, what is written under one is seen whole
 * under the other, many processes hammer the same counters. */
#include "rma_check.h"

static int size;

/* Read, change, write under an exclusive lock: nothing is lost. */
static void critical_section(struct window* window) {
  enum { times = 60 };
  int i, target, value;
  for (i = 0; i < times; ++i) {
    target = (check_rank + i) % size;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window->win);
    MPI_Get(&value, 1, MPI_INT, target, window_at(window, target, 16), 1, MPI_INT, window->win);
    MPI_Win_flush(target, window->win);
    ++value;
    MPI_Put(&value, 1, MPI_INT, target, window_at(window, target, 16), 1, MPI_INT, window->win);
    MPI_Win_unlock(target, window->win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  value = 0;
  for (target = 0; target < size; ++target) {
    int one;
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window->win);
    MPI_Get(&one, 1, MPI_INT, target, window_at(window, target, 16), 1, MPI_INT, window->win);
    MPI_Win_unlock(target, window->win);
    value += one;
  }
  CHECK_EQUAL(times * size, value);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* All hold a shared lock at once: each waits for all others while it holds it. */
static void shared_together(struct window* window) {
  const int one = 1;
  int count = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window->win);
  MPI_Accumulate(&one, 1, MPI_INT, 0, window_at(window, 0, 32), 1, MPI_INT, MPI_SUM, window->win);
  while (count < size) {
    MPI_Fetch_and_op(&one, &count, MPI_INT, 0, window_at(window, 0, 32), MPI_NO_OP, window->win);
    MPI_Win_flush(0, window->win);
  }
  MPI_Win_unlock(0, window->win);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Readers and writers: what is written under an exclusive lock is seen whole under a shared one. */
static void readers_and_writers(struct window* window) {
  enum { words = 64, times = 30 };
  static int block[words];
  int i, j;
  for (i = 0; i < times; ++i) {
    if ((check_rank + i) % 3 == 0) {
      for (j = 0; j < words; ++j) block[j] = check_rank * 1000 + i;
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window->win);
      MPI_Put(block, words, MPI_INT, 0, window_at(window, 0, 128), words, MPI_INT, window->win);
      MPI_Win_unlock(0, window->win);
    } else {
      MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window->win);
      MPI_Get(block, words, MPI_INT, 0, window_at(window, 0, 128), words, MPI_INT, window->win);
      MPI_Win_unlock(0, window->win);
      for (j = 1; j < words; ++j) CHECK_EQUAL(block[0], block[j]);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void everybody_adds(struct window* window) {
  enum { times = 400, words = 40 };
  static double ones[words], sums[words];
  int i;
  for (i = 0; i < words; ++i) ones[i] = 1;
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window->win);
  for (i = 0; i < times; ++i) {
    const int target = i % size;
    MPI_Accumulate(ones, words, MPI_DOUBLE, target, window_at(window, target, 1024), words, MPI_DOUBLE, MPI_SUM,
                   window->win);
    if (i % 16 == 0) MPI_Win_flush_local_all(window->win);
  }
  MPI_Win_flush_all(window->win);
  MPI_Win_unlock_all(window->win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, check_rank, 0, window->win);
  MPI_Get(sums, words, MPI_DOUBLE, check_rank, window_at(window, check_rank, 1024), words, MPI_DOUBLE, window->win);
  MPI_Win_unlock(check_rank, window->win);
  for (i = 0; i < words; ++i) CHECK(sums[i] == size * (double)(times / size + (check_rank < times % size)));
  MPI_Barrier(MPI_COMM_WORLD);
}

static void nobody(struct window* window) {
  MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, window->win);
  MPI_Win_unlock(MPI_PROC_NULL, window->win);
}

int main(int argc, char** argv) {
  int flavor;
  MPI_Init(&argc, &argv);
  check_start(&size);
  for (flavor = 0; flavor < flavors; ++flavor) {
    struct window window;
    window_open(&window, flavor, 4096);
    critical_section(&window);
    shared_together(&window);
    readers_and_writers(&window);
    everybody_adds(&window);
    nobody(&window);
    window_close(&window);
  }
  MPI_Finalize();
  return 0;
}
