// What waiting costs. Rank 0 is late (it sleeps outside MPI); rank 1 waits for it in Recv, Barrier or Wait. Two
// figures: the CPU time that rank 1 burns during a long wait, and how late it comes back after rank 0's call. The
// second is paired, wait by wait, with a bare futex between the same two processes. Context: app.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "together.h"
#include "world.h"

enum operation { in_recv, in_barrier, in_wait, operations };
static const char* const operation_names[operations] = {"Recv", "Barrier", "Wait"};

struct meeting {
  _Atomic uint32_t word;
  _Atomic int64_t called_ns;  // written by rank 0 just before it wakes rank 1
};

// One page that ranks 0 and 1 share through a file which is unlinked as soon as both have it.
static struct meeting* meeting_page(int rank) {
  char path[256] = {0};
  int file = -1;
  if (rank == 0) {
    const char* folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    snprintf(path, sizeof path, "%s/bench-wait-XXXXXX", folder);
    file = mkstemp(path);
    if (file < 0 || ftruncate(file, 4096) != 0) world_fail("cannot make a temporary file; set TMPDIR to a folder.");
  }
  MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank != 0) file = open(path, O_RDWR);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) unlink(path);
  void* page = file < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (page == MAP_FAILED) world_fail("the ranks cannot share a page; this benchmark runs on one host.");
  close(file);
  return page;
}

static void late_call(enum operation operation) {
  char word = 0;
  if (operation == in_barrier)
    MPI_Barrier(MPI_COMM_WORLD);
  else
    MPI_Send(&word, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
}

static void waiting_call(enum operation operation) {
  char word;
  MPI_Request request;
  if (operation == in_barrier) {
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (operation == in_recv) {
    MPI_Recv(&word, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Irecv(&word, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

// Rank 1 returns the CPU seconds of its wait, rank 0 gets them by message.
static void burn(int rank, enum operation operation, double seconds, struct samples* percent) {
  double used[2];
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    sleep_seconds(seconds);
    late_call(operation);
    MPI_Recv(used, 2, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    samples_add(percent, 100.0 * used[0] / used[1]);
  } else {
    int64_t start = now_ns();
    double before = cpu_seconds();
    waiting_call(operation);
    used[0] = cpu_seconds() - before;
    used[1] = (double)(now_ns() - start) / 1e9;
    MPI_Send(used, 2, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
  }
}

static double wake(int rank, enum operation operation, struct meeting* meeting, double pause, bool bare) {
  // Counted here and not read from the page: a waiter that comes late must not wait for a wake-up that is over.
  static uint32_t bare_wakes = 0;
  double late_us = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    sleep_seconds(pause);
    atomic_store(&meeting->called_ns, now_ns());
    if (bare) {
      atomic_fetch_add(&meeting->word, 1);
      futex_wake_one(&meeting->word);
    } else {
      late_call(operation);
    }
    MPI_Recv(&late_us, 1, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    if (bare)
      futex_wait_while(&meeting->word, bare_wakes++);
    else
      waiting_call(operation);
    late_us = (double)(now_ns() - atomic_load(&meeting->called_ns)) / 1000.0;
    MPI_Send(&late_us, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
  }
  return late_us;
}

static void measure(struct world* world, enum operation operation, struct meeting* meeting, double seconds,
                    const uint64_t plan[3], struct json* json) {
  struct samples percent = {0}, call = {0}, bare = {0};
  for (uint64_t run = 0; run < plan[0]; ++run) burn(world->rank, operation, seconds, &percent);
  double pause = (double)plan[2] / 1e6;
  for (uint64_t run = 0; run < plan[1]; ++run) {
    samples_add(&call, wake(world->rank, operation, meeting, pause, false));
    samples_add(&bare, wake(world->rank, operation, meeting, pause, true));
  }
  if (world->rank == 0) {
    json_open(json, NULL, '{');
    json_text(json, "operation", operation_names[operation]);
    json_number(json, "seconds", seconds);
    json_samples(json, "cpu_percent", &percent);
    json_samples(json, "wake_us", &call);
    json_samples(json, "futex_wake_us", &bare);
    json_number(json, "wake_ratio", samples_quantile(&call, 0.5) / samples_quantile(&bare, 0.5));
    json_close(json, '}');
  }
  samples_free(&percent);
  samples_free(&call);
  samples_free(&bare);
}

int main(int argc, char** argv) {
  const char *seconds = "3", *repeat = "1", *wakes = "100", *pause = "5000";
  struct argument table[] = {{"seconds", &seconds, "how long rank 1 waits"},
                             {"repeat", &repeat, "number of long waits of each kind"},
                             {"wakes", &wakes, "number of wake-ups of each kind"},
                             {"pause", &pause, "microseconds that each wake-up is waited for"}};
  struct world world;
  int status;
  const char* purpose = "CPU time burnt by a rank that waits, and how late it wakes up.";
  if (!world_start(&world, &argc, &argv, 2, purpose, table, 4, &status)) return status;
  if (world.size > 2) world_fail("wait runs on exactly 2 ranks.");
  uint64_t plan[3] = {number_of(repeat), number_of(wakes), number_of(pause)};
  struct json json;
  if (world.rank == 0) world_document(&json, "wait", &world, table, 4);
  struct meeting* meeting = meeting_page(world.rank);
  for (int operation = 0; operation < operations; ++operation)
    measure(&world, (enum operation)operation, meeting, seconds_of(seconds), plan, &json);
  if (world.rank == 0) world_document_end(&json);
  return world_stop();
}
