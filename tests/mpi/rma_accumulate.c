/* Accumulates between fences and under locks: all operators, derived types, fetching, replacing, pairs and
 * complex numbers, compare-and-swap; the values are those of the definition. */
#include <complex.h>
#include <stddef.h>

#include "rma_check.h"

static int size;

static void sums(struct window* window) {
  enum { count = 5000 };
  static int mine[count];
  const int* there = (const int*)(const void*)window->memory;
  int i, rank;
  for (i = 0; i < count; ++i) mine[i] = check_rank + i;
  memset(window->memory, 0, sizeof mine);
  MPI_Win_fence(0, window->win);
  for (rank = 0; rank < size; ++rank) {
    MPI_Accumulate(mine, count, MPI_INT, rank, window_at(window, rank, 0), count, MPI_INT, MPI_SUM, window->win);
  }
  MPI_Win_fence(0, window->win);
  for (i = 0; i < count; ++i) CHECK_EQUAL(size * (size - 1) / 2 + i * size, there[i]);
  MPI_Win_fence(0, window->win);
}

/* Every other element of the target, from every third at the origin, at an odd address. */
static void derived(struct window* window) {
  enum { count = 700 };
  static double mine[3 * count];
  MPI_Datatype thirds, halves;
  int i, rank;
  for (i = 0; i < 3 * count; ++i) mine[i] = i;
  MPI_Type_vector(count, 1, 3, MPI_DOUBLE, &thirds);
  MPI_Type_vector(count, 1, 2, MPI_DOUBLE, &halves);
  MPI_Type_commit(&thirds);
  MPI_Type_commit(&halves);
  memset(window->memory, 0, 2 * count * sizeof(double) + 3);
  MPI_Win_fence(0, window->win);
  for (rank = 0; rank < size; ++rank) {
    MPI_Accumulate(mine, 1, thirds, rank, window_at(window, rank, 3), 1, halves, MPI_SUM, window->win);
  }
  MPI_Win_fence(0, window->win);
  for (i = 0; i < 2 * count; ++i) {
    double found;
    memcpy(&found, window->memory + 3 + (size_t)i * sizeof found, sizeof found);
    CHECK(found == (i % 2 == 0 ? i / 2 * 3.0 * size : 0));
  }
  MPI_Win_fence(0, window->win);
  MPI_Type_free(&thirds);
  MPI_Type_free(&halves);
}

static void operators(struct window* window) {
  const struct {
    MPI_Op op;
    int expected;
  } cases[] = {{MPI_SUM, 12 + 10},  {MPI_PROD, 120}, {MPI_MIN, 10}, {MPI_MAX, 12}, {MPI_BAND, 8},    {MPI_BOR, 14},
               {MPI_BXOR, 12 ^ 10}, {MPI_LAND, 1},   {MPI_LOR, 1},  {MPI_LXOR, 0}, {MPI_REPLACE, 10}};
  const int to = (check_rank + 1) % size;
  size_t i;
  for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    int value = 12, other = 10, old = 0;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, window->win);
    MPI_Accumulate(&value, 1, MPI_INT, to, window_at(window, to, 64), 1, MPI_INT, MPI_REPLACE, window->win);
    MPI_Get_accumulate(&other, 1, MPI_INT, &old, 1, MPI_INT, to, window_at(window, to, 64), 1, MPI_INT, cases[i].op,
                       window->win);
    MPI_Win_flush(to, window->win);
    CHECK_EQUAL(12, old);
    MPI_Fetch_and_op(NULL, &old, MPI_INT, to, window_at(window, to, 64), MPI_NO_OP, window->win);
    MPI_Win_unlock(to, window->win);
    CHECK_EQUAL(cases[i].expected, old);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

struct place {
  double value;
  int index;
};

/* The largest value and who has it: elements with a hole behind them. */
static void pairs(struct window* window) {
  enum { count = 300 };
  static struct place mine[count], old[count];
  struct place* there = (struct place*)(void*)window->memory;
  int i;
  memset(mine, 0, sizeof mine);
  for (i = 0; i < count; ++i) {
    there[i].value = -1;
    there[i].index = -1;
    mine[i].value = (check_rank * 7 + i * 3) % 11;
    mine[i].index = check_rank;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_fence(0, window->win);
  MPI_Get_accumulate(mine, count, MPI_DOUBLE_INT, old, count, MPI_DOUBLE_INT, 0, window_at(window, 0, 0), count,
                     MPI_DOUBLE_INT, MPI_MAXLOC, window->win);
  MPI_Win_fence(0, window->win);
  for (i = 0; i < count && check_rank == 0; ++i) {
    int rank, best = 0;
    for (rank = 1; rank < size; ++rank) {
      if ((rank * 7 + i * 3) % 11 > (best * 7 + i * 3) % 11) best = rank;
    }
    CHECK(there[i].value == (best * 7 + i * 3) % 11);
    CHECK_EQUAL(best, there[i].index);
  }
  for (i = 0; i < count; ++i) CHECK(old[i].value >= -1 && old[i].index < size);
  MPI_Win_fence(0, window->win);
}

static void complex_numbers(struct window* window) {
  double complex one = 1.0 + 2.0 * I;
  double complex* there = (double complex*)(void*)window->memory;
  int i;
  *there = 0;
  MPI_Win_fence(0, window->win);
  for (i = 0; i < 100; ++i) {
    MPI_Accumulate(&one, 1, MPI_C_DOUBLE_COMPLEX, 0, window_at(window, 0, 0), 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM,
                   window->win);
  }
  MPI_Win_fence(0, window->win);
  if (check_rank == 0) CHECK(creal(*there) == 100.0 * size && cimag(*there) == 200.0 * size);
  MPI_Win_fence(0, window->win);
}

/* A counter that hands out numbers, and a lock made of compare-and-swap. */
static void counters(struct window* window) {
  enum { times = 200 };
  long long* there = (long long*)(void*)window->memory;
  const long long one = 1, zero = 0;
  long long number, seen = -1;
  int i, free_value = -1, lock_value = check_rank;
  there[0] = 0;
  ((int*)(void*)window->memory)[8] = -1;
  there[10] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, window->win);
  for (i = 0; i < times; ++i) {
    MPI_Fetch_and_op(&one, &number, MPI_LONG_LONG, 0, window_at(window, 0, 0), MPI_SUM, window->win);
    MPI_Win_flush(0, window->win);
    CHECK(number > seen && number < (long long)times * size);
    seen = number;
  }
  for (i = 0; i < 20; ++i) {
    int before = 0;
    long long value;
    do {
      MPI_Compare_and_swap(&lock_value, &free_value, &before, MPI_INT, 0, window_at(window, 0, 32), window->win);
      MPI_Win_flush(0, window->win);
    } while (before != -1);
    MPI_Get(&value, 1, MPI_LONG_LONG, 0, window_at(window, 0, 80), 1, MPI_LONG_LONG, window->win);
    MPI_Win_flush(0, window->win);
    ++value;
    MPI_Put(&value, 1, MPI_LONG_LONG, 0, window_at(window, 0, 80), 1, MPI_LONG_LONG, window->win);
    MPI_Win_flush(0, window->win);
    MPI_Compare_and_swap(&free_value, &lock_value, &before, MPI_INT, 0, window_at(window, 0, 32), window->win);
    MPI_Win_flush(0, window->win);
    CHECK_EQUAL(check_rank, before);
  }
  MPI_Win_unlock_all(window->win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window->win);
  MPI_Fetch_and_op(&zero, &number, MPI_LONG_LONG, 0, window_at(window, 0, 0), MPI_SUM, window->win);
  MPI_Win_flush(0, window->win);
  CHECK_EQUAL(times * size, number);
  MPI_Fetch_and_op(&zero, &number, MPI_LONG_LONG, 0, window_at(window, 0, 80), MPI_NO_OP, window->win);
  MPI_Win_unlock(0, window->win);
  CHECK_EQUAL(20 * size, number);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void by_request(struct window* window) {
  float ones[3] = {1, 2, 3}, old[3] = {0, 0, 0};
  MPI_Request requests[2];
  float* there = (float*)(void*)window->memory;
  there[0] = there[1] = there[2] = (float)check_rank;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, check_rank, 0, window->win);
  MPI_Raccumulate(ones, 3, MPI_FLOAT, check_rank, window_at(window, check_rank, 0), 3, MPI_FLOAT, MPI_SUM, window->win,
                  &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Rget_accumulate(ones, 3, MPI_FLOAT, old, 3, MPI_FLOAT, check_rank, window_at(window, check_rank, 0), 3, MPI_FLOAT,
                      MPI_PROD, window->win, &requests[1]);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Win_unlock(check_rank, window->win);
  CHECK(old[2] == (float)check_rank + 3);
  CHECK(there[2] == ((float)check_rank + 3) * 3);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int flavor;
  MPI_Init(&argc, &argv);
  check_start(&size);
  for (flavor = 0; flavor < flavors; ++flavor) {
    struct window window;
    window_open(&window, flavor, 1 << 17);
    sums(&window);
    derived(&window);
    operators(&window);
    pairs(&window);
    complex_numbers(&window);
    counters(&window);
    by_request(&window);
    window_close(&window);
  }
  MPI_Finalize();
  return 0;
}
