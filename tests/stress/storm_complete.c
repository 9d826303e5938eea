// Waits for requests in every way that MPI offers.
#include <stdlib.h>

#include "storm.h"

static void in_random_order(struct Storm* storm, int count, MPI_Request* requests, MPI_Status* statuses, int testing) {
  int* order = malloc(sizeof *order * (size_t)count);
  for (int i = 0; i < count; ++i) {
    const int j = (int)random_below(&storm->own, (uint64_t)i + 1);
    order[i] = order[j];
    order[j] = i;
  }
  for (int i = 0; i < count; ++i) {
    const int index = order[i];
    doing(storm, testing ? "MPI_Test of request %ld of %ld" : "MPI_Wait for request %ld of %ld", index, count, 0);
    int done = !testing;
    if (!testing) MPI_Wait(&requests[index], &statuses[index]);
    while (!done) MPI_Test(&requests[index], &done, &statuses[index]);
  }
  free(order);
}

static void any_by_any(struct Storm* storm, int count, MPI_Request* requests, MPI_Status* statuses, int testing) {
  for (int left = count; left > 0; --left) {
    doing(storm, testing ? "MPI_Testany, %ld of %ld left" : "MPI_Waitany, %ld of %ld left", left, count, 0);
    int index = MPI_UNDEFINED;
    int done = !testing;
    MPI_Status status;
    if (!testing) MPI_Waitany(count, requests, &index, &status);
    while (!done) MPI_Testany(count, requests, &index, &done, &status);
    if (index < 0 || index >= count) fail(storm, "request %d of %d completed, with %d left", index, count, left);
    statuses[index] = status;
  }
}

static void some_by_some(struct Storm* storm, int count, MPI_Request* requests, MPI_Status* statuses, int testing) {
  int* indices = malloc(sizeof *indices * (size_t)count);
  MPI_Status* some = malloc(sizeof *some * (size_t)count);
  for (int left = count; left > 0;) {
    doing(storm, testing ? "MPI_Testsome, %ld of %ld left" : "MPI_Waitsome, %ld of %ld left", left, count, 0);
    int completed = 0;
    if (testing)
      MPI_Testsome(count, requests, &completed, indices, some);
    else
      MPI_Waitsome(count, requests, &completed, indices, some);
    if (completed < !testing || completed > left) fail(storm, "%d requests completed, with %d left", completed, left);
    for (int i = 0; i < completed; ++i) statuses[indices[i]] = some[i];
    left -= completed;
  }
  free(indices);
  free(some);
}

void complete_all(struct Storm* storm, int count, MPI_Request* requests, MPI_Status* statuses) {
  if (count == 0) return;
  const int way = (int)random_below(&storm->own, 8);
  switch (way) {
    case 0:
    case 1:
      in_random_order(storm, count, requests, statuses, way);
      break;
    case 2:
    case 3:
      any_by_any(storm, count, requests, statuses, way - 2);
      break;
    case 4:
    case 5:
      some_by_some(storm, count, requests, statuses, way - 4);
      break;
    case 6: {
      doing(storm, "MPI_Testall of %ld requests", count, 0, 0);
      int done = 0;
      while (!done) MPI_Testall(count, requests, &done, statuses);
      break;
    }
    default:
      doing(storm, "MPI_Waitall for %ld requests", count, 0, 0);
      MPI_Waitall(count, requests, statuses);
  }
  for (int i = 0; i < count; ++i) {
    if (requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&requests[i]);
  }
}
