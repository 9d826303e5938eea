// Does the library disturb a computation while nothing is pending? Before MPI starts, each rank makes a twin process
// which never starts MPI. The two take turns on one CPU, slice by slice, each while the other sleeps in a futex; all
// ranks compute at the same time. The slow-down is the rank's time over its twin's, pair by pair. Context: app.
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "together.h"
#include "world.h"

struct turns {
  _Atomic uint32_t asked;      // slices that the rank has asked for
  _Atomic uint32_t answered;   // slices that the twin has done
  _Atomic uint64_t steps;      // length of a slice; 0 ends the twin
  _Atomic int64_t elapsed_ns;  // the twin's time for its last slice
  _Atomic int cpu;             // where the twin shall run, as an index of usable CPUs
};

static int64_t slice_ns(uint64_t steps) {
  int64_t start = now_ns();
  compute_steps(steps);
  return now_ns() - start;
}

static void twin(struct turns* turns) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (uint32_t seen = 0;; ++seen) {
    futex_wait_while(&turns->asked, seen);
    uint64_t steps = atomic_load(&turns->steps);
    if (steps == 0) _exit(0);
    if (seen == 0) bind_to_usable_cpu(atomic_load(&turns->cpu));
    atomic_store(&turns->elapsed_ns, slice_ns(steps));
    atomic_store(&turns->answered, seen + 1);
    futex_wake_one(&turns->answered);
  }
}

static struct turns* make_twin(pid_t* child) {
  struct turns* turns = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  *child = turns == MAP_FAILED ? -1 : fork();
  if (*child < 0) {
    fprintf(stderr, "quiet: cannot start the process to compare with; is there a limit on processes or memory?\n");
    exit(1);
  }
  if (*child == 0) twin(turns);
  return turns;
}

static int64_t twin_slice_ns(struct turns* turns) {
  uint32_t done = atomic_load(&turns->answered);
  atomic_fetch_add(&turns->asked, 1);
  futex_wake_one(&turns->asked);
  futex_wait_while(&turns->answered, done);
  return atomic_load(&turns->elapsed_ns);
}

static void end_twin(struct turns* turns, pid_t child) {
  atomic_store(&turns->steps, 0);
  atomic_fetch_add(&turns->asked, 1);
  futex_wake_one(&turns->asked);
  waitpid(child, NULL, 0);
}

// Percent by which the rank is slower than its twin, over the given number of pairs. Which goes first alternates.
static void compare(struct turns* turns, uint64_t pairs, struct samples* percent) {
  uint64_t steps = atomic_load(&turns->steps);
  samples_clear(percent);
  slice_ns(steps);
  twin_slice_ns(turns);
  for (uint64_t pair = 0; pair < pairs; ++pair) {
    int64_t own, other;
    if (pair % 2 == 0) {
      own = slice_ns(steps);
      other = twin_slice_ns(turns);
    } else {
      other = twin_slice_ns(turns);
      own = slice_ns(steps);
    }
    samples_add(percent, 100.0 * ((double)own / (double)other - 1));
  }
}

// Some traffic, all of it finished: afterwards nothing is pending, but the library has been used.
static void traffic(const struct world* world) {
  char out = 0, in = 0;
  for (int round = 0; round < 100; ++round) {
    MPI_Sendrecv(&out, 1, MPI_BYTE, (world->rank + 1) % world->size, 1, &in, 1, MPI_BYTE,
                 (world->rank + world->size - 1) % world->size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void report(const struct world* world, const char* when, struct samples* percent, struct json* json) {
  double own[2] = {samples_quantile(percent, 0.5), 0}, worst[2];
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  own[1] = (double)usage.ru_nivcsw;
  MPI_Reduce(own, worst, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (world->rank != 0) return;
  json_open(json, NULL, '{');
  json_text(json, "when", when);
  json_samples(json, "slower_percent", percent);
  json_number(json, "slower_percent_worst_rank", worst[0]);
  json_number(json, "preemptions_so_far", worst[1]);
  json_close(json, '}');
}

int main(int argc, char** argv) {
  const char *pairs = "400", *slice = "5000";
  struct argument table[] = {{"pairs", &pairs, "number of compared slices"},
                             {"slice", &slice, "length of a slice in microseconds"}};
  usable_cpus();
  pid_t child;
  struct turns* turns = make_twin(&child);
  double steps_per_ns = compute_calibrate();
  struct world world;
  int status;
  const char* purpose = "How much a computation slows down when the library is initialised and nothing is pending.";
  if (!world_start(&world, &argc, &argv, 1, purpose, table, 2, &status)) {
    end_twin(turns, child);
    return status;
  }
  bind_to_usable_cpu(world.rank);
  atomic_store(&turns->cpu, world.rank);
  atomic_store(&turns->steps, (uint64_t)((double)number_of(slice) * 1000.0 * steps_per_ns) + 1);
  struct json json;
  if (world.rank == 0) world_document(&json, "quiet", &world, table, 2);
  struct samples percent = {0};
  compare(turns, number_of(pairs), &percent);
  report(&world, "initialised", &percent, &json);
  traffic(&world);
  compare(turns, number_of(pairs), &percent);
  report(&world, "after traffic", &percent, &json);
  samples_free(&percent);
  end_twin(turns, child);
  if (world.rank == 0) world_document_end(&json);
  return world_stop();
}
