/* Puts and gets between fences, into every kind of window: short and long, of derived types on either side, to oneself,
 * to nobody, and by request. */
#include "rma_check.h"

static int size;

static void neighbours(struct window* window, MPI_Aint bytes) {
  const int right = (check_rank + 1) % size, left = (check_rank + size - 1) % size;
  unsigned char* sent = malloc((size_t)bytes + 1);
  unsigned char* fetched = malloc((size_t)bytes + 1);
  fill_bytes(sent, (size_t)bytes, (unsigned)check_rank);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window->win);
  MPI_Put(sent, (int)bytes, MPI_BYTE, right, window_at(window, right, 0), (int)bytes, MPI_BYTE, window->win);
  MPI_Win_fence(0, window->win);
  CHECK(are_bytes(window->memory, (size_t)bytes, (unsigned)left));
  MPI_Get(fetched, (int)bytes, MPI_BYTE, right, window_at(window, right, 0), (int)bytes, MPI_BYTE, window->win);
  MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOSUCCEED, window->win);
  CHECK(are_bytes(fetched, (size_t)bytes, (unsigned)check_rank));
  free(sent);
  free(fetched);
}

/* A column here becomes a row there, a row here a column there, and a column a column. */
static void derived(struct window* window) {
  enum { n = 60 };
  static int matrix[n][n];
  const int to = (check_rank + 1) % size, from = (check_rank + size - 1) % size;
  int(*there)[n] = (int(*)[n])(void*)window->memory;
  MPI_Datatype column;
  int i, j;
  MPI_Type_vector(n, 1, n, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (i = 0; i < n; ++i) {
    for (j = 0; j < n; ++j) matrix[i][j] = check_rank * 1000000 + i * n + j;
  }
  MPI_Win_fence(0, window->win);
  MPI_Put(&matrix[0][3], 1, column, to, window_at(window, to, 5 * n * (int)sizeof(int)), n, MPI_INT, window->win);
  MPI_Put(matrix[7], n, MPI_INT, to, window_at(window, to, 11 * (int)sizeof(int)), 1, column, window->win);
  MPI_Put(&matrix[0][20], 1, column, to, window_at(window, to, 30 * (int)sizeof(int)), 1, column, window->win);
  MPI_Win_fence(0, window->win);
  for (i = 0; i < n; ++i) {
    if (i != 11 && i != 30) CHECK_EQUAL(from * 1000000 + i * n + 3, there[5][i]);
    if (i != 5) CHECK_EQUAL(from * 1000000 + 7 * n + i, there[i][11]);
    CHECK_EQUAL(from * 1000000 + i * n + 20, there[i][30]);
  }
  memset(matrix, 0, sizeof matrix);
  MPI_Win_fence(0, window->win);
  MPI_Get(&matrix[0][1], 1, column, to, window_at(window, to, 30 * (int)sizeof(int)), 1, column, window->win);
  MPI_Win_fence(0, window->win);
  for (i = 0; i < n; ++i) CHECK_EQUAL(check_rank * 1000000 + i * n + 20, matrix[i][1]);
  MPI_Type_free(&column);
}

/* Many small pieces, more than any call of the kernel or message takes at once. */
static void scattered(struct window* window) {
  enum { pieces = 3000 };
  static short values[pieces], back[pieces];
  const int to = (check_rank + 1) % size;
  MPI_Datatype type;
  int i;
  MPI_Type_vector(pieces, 1, 3, MPI_SHORT, &type);
  MPI_Type_commit(&type);
  for (i = 0; i < pieces; ++i) values[i] = (short)(check_rank * 7 + i);
  MPI_Win_fence(0, window->win);
  MPI_Put(values, pieces, MPI_SHORT, to, window_at(window, to, 2), 1, type, window->win);
  MPI_Win_fence(0, window->win);
  MPI_Get(back, pieces, MPI_SHORT, to, window_at(window, to, 2), 1, type, window->win);
  MPI_Win_fence(0, window->win);
  CHECK(memcmp(values, back, sizeof values) == 0);
  MPI_Type_free(&type);
}

static void to_oneself_and_nobody(struct window* window) {
  int value = 42, back = 0;
  MPI_Win_fence(0, window->win);
  MPI_Put(&value, 1, MPI_INT, check_rank, window_at(window, check_rank, 8), 1, MPI_INT, window->win);
  MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window->win);
  MPI_Win_fence(0, window->win);
  MPI_Get(&back, 1, MPI_INT, check_rank, window_at(window, check_rank, 8), 1, MPI_INT, window->win);
  MPI_Get(&back, 0, MPI_INT, check_rank, window_at(window, check_rank, 8), 0, MPI_INT, window->win);
  MPI_Win_fence(0, window->win);
  CHECK_EQUAL(42, back);
}

static void by_request(struct window* window) {
  enum { count = 1000 };
  static double values[count], back[count];
  const int to = (check_rank + 1) % size;
  MPI_Request requests[2];
  MPI_Status status;
  int i, flag = 0;
  for (i = 0; i < count; ++i) values[i] = check_rank + i * 0.5;
  MPI_Win_lock_all(0, window->win);
  MPI_Rput(values, count, MPI_DOUBLE, to, window_at(window, to, 0), count, MPI_DOUBLE, window->win, &requests[0]);
  MPI_Rput(values, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, 1, MPI_DOUBLE, window->win, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Win_flush(to, window->win);
  MPI_Rget(back, count, MPI_DOUBLE, to, window_at(window, to, 0), count, MPI_DOUBLE, window->win, &requests[0]);
  while (!flag) MPI_Test(&requests[0], &flag, &status);
  CHECK(memcmp(values, back, sizeof values) == 0);
  MPI_Win_unlock_all(window->win);
}

int main(int argc, char** argv) {
  int flavor;
  MPI_Init(&argc, &argv);
  check_start(&size);
  for (flavor = 0; flavor < flavors; ++flavor) {
    struct window window;
    MPI_Aint bytes;
    window_open(&window, flavor, 1 << 20);
    for (bytes = 0; bytes <= 1 << 20; bytes = bytes == 0 ? 1 : bytes * 8 - 3 < 1 << 20 ? bytes * 8 - 3 : bytes * 8) {
      neighbours(&window, bytes);
    }
    neighbours(&window, 1 << 20);
    derived(&window);
    scattered(&window);
    to_oneself_and_nobody(&window);
    by_request(&window);
    window_close(&window);
  }
  MPI_Finalize();
  return 0;
}
