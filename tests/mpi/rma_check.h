/* What the programs about one-sided communication share: one window of each kind, with the same memory behind it. */
#ifndef RMA_CHECK_H
#define RMA_CHECK_H

#include "p2p_check.h"

enum { flavor_create, flavor_allocate, flavor_shared, flavor_dynamic, flavors };

struct window {
  MPI_Win win;
  int flavor;
  unsigned char* memory;
  MPI_Aint bytes;
  MPI_Aint* bases; /* what a displacement of zero is at each process */
};

/* Collective. The displacement unit is 1. */
static inline void window_open(struct window* window, int flavor, MPI_Aint bytes) {
  MPI_Aint base = 0;
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  window->flavor = flavor;
  window->bytes = bytes;
  window->bases = malloc((size_t)size * sizeof *window->bases);
  window->memory = NULL;
  switch (flavor) {
    case flavor_create:
      window->memory = malloc((size_t)bytes + 1);
      MPI_Win_create(window->memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window->win);
      break;
    case flavor_allocate:
      MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window->memory, &window->win);
      break;
    case flavor_shared:
      MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window->memory, &window->win);
      break;
    default:
      MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window->win);
      window->memory = malloc((size_t)bytes + 1);
      MPI_Win_attach(window->win, window->memory, bytes);
      MPI_Get_address(window->memory, &base);
      break;
  }
  memset(window->memory, 0, (size_t)bytes);
  MPI_Allgather(&base, 1, MPI_AINT, window->bases, 1, MPI_AINT, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

static inline void window_close(struct window* window) {
  if (window->flavor == flavor_dynamic) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(window->win, window->memory);
  }
  MPI_Win_free(&window->win);
  CHECK(window->win == MPI_WIN_NULL);
  if (window->flavor == flavor_create || window->flavor == flavor_dynamic) free(window->memory);
  free(window->bases);
}

static inline MPI_Aint window_at(const struct window* window, int rank, MPI_Aint offset) {
  return window->bases[rank] + offset;
}

#endif
