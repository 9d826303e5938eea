/* A target that computes and calls nothing is served: rank 0 waits in plain memory for what the others put and add, and
 * they wait in a lock epoch for what it answers. Libraries that need calls of the target would hang here. */
#include "rma_check.h"

static int size;

/* Plain looks at memory, as a computation would make them. */
static int look(const unsigned char* memory, int offset) {
  return *(const volatile int*)(const void*)(memory + offset);
}

static void set(unsigned char* memory, int offset, int value) { *(volatile int*)(void*)(memory + offset) = value; }

static void serve(struct window* window, int rounds) {
  int round, value = 0;
  for (round = 1; round <= rounds; ++round) {
    if (check_rank == 0) {
      while (look(window->memory, 0) != round * (size - 1)) {
      }
      MPI_Win_sync(window->win);
      set(window->memory, 64, round);
      MPI_Win_sync(window->win);
    } else {
      const int one = 1;
      MPI_Accumulate(&one, 1, MPI_INT, 0, window_at(window, 0, 0), 1, MPI_INT, MPI_SUM, window->win);
      MPI_Win_flush(0, window->win);
      do {
        MPI_Fetch_and_op(&one, &value, MPI_INT, 0, window_at(window, 0, 64), MPI_NO_OP, window->win);
        MPI_Win_flush(0, window->win);
      } while (value < round);
      CHECK_EQUAL(round, value);
    }
  }
}

int main(int argc, char** argv) {
  int flavor;
  MPI_Init(&argc, &argv);
  check_start(&size);
  for (flavor = 0; flavor < flavors; ++flavor) {
    struct window window;
    window_open(&window, flavor, 128);
    MPI_Win_lock_all(0, window.win);
    serve(&window, 10);
    MPI_Win_unlock_all(window.win);
    window_close(&window);
  }
  MPI_Finalize();
  return 0;
}
