/* Post, start, complete, wait and test: a ring of neighbours, groups of one and of all, several epochs in a row, the
 * assertion that nothing needs to be checked. */
#include "rma_check.h"

static int size;

static MPI_Group group_of(int count, const int* ranks) {
  MPI_Group all, group;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, count, ranks, &group);
  MPI_Group_free(&all);
  return group;
}

static void ring(struct window* window, int with_test) {
  const int right = (check_rank + 1) % size, left = (check_rank + size - 1) % size;
  MPI_Group targets = group_of(1, &right), origins = group_of(1, &left);
  int i;
  for (i = 0; i < 50; ++i) {
    const int value = check_rank * 100 + i;
    int flag = 0, found;
    MPI_Win_post(origins, 0, window->win);
    MPI_Win_start(targets, 0, window->win);
    MPI_Put(&value, 1, MPI_INT, right, window_at(window, right, 24), 1, MPI_INT, window->win);
    MPI_Win_complete(window->win);
    if (with_test) {
      while (!flag) MPI_Win_test(window->win, &flag);
    } else {
      MPI_Win_wait(window->win);
    }
    memcpy(&found, window->memory + 24, sizeof found);
    CHECK_EQUAL(left * 100 + i, found);
  }
  MPI_Group_free(&targets);
  MPI_Group_free(&origins);
}

/* All put into the first process, which posts to all. */
static void all_to_one(struct window* window) {
  int* ranks = malloc((size_t)size * sizeof *ranks);
  int i, first = 0, epoch;
  MPI_Group everybody, one;
  for (i = 0; i < size; ++i) ranks[i] = i;
  everybody = group_of(size, ranks);
  one = group_of(1, &first);
  for (epoch = 0; epoch < 10; ++epoch) {
    const int value = check_rank + epoch;
    if (check_rank == 0) MPI_Win_post(everybody, 0, window->win);
    MPI_Win_start(one, 0, window->win);
    MPI_Put(&value, 1, MPI_INT, 0, window_at(window, 0, 4 * check_rank), 1, MPI_INT, window->win);
    MPI_Win_complete(window->win);
    if (check_rank == 0) {
      MPI_Win_wait(window->win);
      for (i = 0; i < size; ++i) CHECK_EQUAL(i + epoch, ((int*)(void*)window->memory)[i]);
    }
  }
  MPI_Group_free(&everybody);
  MPI_Group_free(&one);
  free(ranks);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void nothing_to_check(struct window* window) {
  const int right = (check_rank + 1) % size, left = (check_rank + size - 1) % size, value = check_rank;
  MPI_Group targets = group_of(1, &right), origins = group_of(1, &left);
  int found;
  MPI_Win_post(origins, MPI_MODE_NOCHECK, window->win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_start(targets, MPI_MODE_NOCHECK, window->win);
  MPI_Put(&value, 1, MPI_INT, right, window_at(window, right, 400), 1, MPI_INT, window->win);
  MPI_Win_complete(window->win);
  MPI_Win_wait(window->win);
  memcpy(&found, window->memory + 400, sizeof found);
  CHECK_EQUAL(left, found);
  MPI_Group_free(&targets);
  MPI_Group_free(&origins);
}

static void empty_groups(struct window* window) {
  MPI_Win_post(MPI_GROUP_EMPTY, 0, window->win);
  MPI_Win_start(MPI_GROUP_EMPTY, 0, window->win);
  MPI_Win_complete(window->win);
  MPI_Win_wait(window->win);
}

int main(int argc, char** argv) {
  int flavor;
  MPI_Init(&argc, &argv);
  check_start(&size);
  for (flavor = 0; flavor < flavors; ++flavor) {
    struct window window;
    window_open(&window, flavor, 4096);
    ring(&window, 0);
    ring(&window, 1);
    all_to_one(&window);
    nothing_to_check(&window);
    empty_groups(&window);
    window_close(&window);
  }
  MPI_Finalize();
  return 0;
}
