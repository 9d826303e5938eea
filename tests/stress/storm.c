// Random MPI traffic, every byte of it checked: see storm.h and README.md.
//
// Usage: storm [--seconds S] [--rounds N] [--seed X] [--threads K] [--signals] [--limit S] [--hold S]
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "storm.h"

struct Options {
  double seconds;
  long rounds;  // 0: no bound
  int threads;
  int signals;
  int limit;  // seconds without a finished round, after which the watchdog speaks
  int hold;   // seconds from there to the end of the process: time to attach a debugger
};

static struct Options options = {5, 0, 1, 0, 60, 3};
static struct Storm storms[most_threads];
static double start_time;

static double now(void) {
  struct timespec moment;
  clock_gettime(CLOCK_MONOTONIC, &moment);
  return (double)moment.tv_sec + 1e-9 * (double)moment.tv_nsec;
}

// Chooses the communicator of the round. True when it must be freed afterwards.
static int choose_comm(struct Storm* storm) {
  struct Random* random = &storm->shared;
  random_start(random, storm_seed, (uint64_t)storm->thread, storm->round, 0);
  const int chosen = (int)random_below(random, comms_per_thread);
  const int colour = storm->colours[chosen];
  const int made = (int)random_below(random, 30);
  storm->comm = storm->comms[chosen];
  if (made == 0) {
    doing(storm, "MPI_Comm_dup of communicator %ld", chosen, 0, 0);
    MPI_Comm_dup(storm->comms[chosen], &storm->comm);
  } else if (made == 1) {
    doing(storm, "MPI_Comm_split of communicator %ld", chosen, 0, 0);
    MPI_Comm_split(storm->comms[chosen], 0, -storm->world_rank, &storm->comm);
  }
  MPI_Comm_rank(storm->comm, &storm->rank);
  MPI_Comm_size(storm->comm, &storm->size);
  random_start(random, storm_seed, (uint64_t)storm->thread, storm->round, (uint64_t)colour + 1);
  storm->next_identity = random_below(random, UINT64_C(1) << 50);
  return made <= 1;
}

static void one_round(struct Storm* storm) {
  struct Collective pending[most_pending];
  const int made = choose_comm(storm);
  struct Random* random = &storm->shared;
  int count = 0;
  const int parts = 1 + (int)random_below(random, most_pending);
  for (int i = 0; i < parts; ++i) {
    if (random_chance(random, 40)) collective_start(storm, &pending[count++], 0);
    compute(storm);
    const uint64_t what = random_below(random, 10);
    if (what < 5) {
      traffic(storm);
    } else if (what < 8) {
      rings(storm);
    } else {
      struct Collective collective;
      collective_start(storm, &collective, 1);
      collective_finish(storm, &collective);
    }
    while (count > 0 && random_chance(&storm->own, 30)) collective_finish(storm, &pending[--count]);
  }
  while (count > 0) collective_finish(storm, &pending[--count]);
  doing(storm, "MPI_Comm_free", 0, 0, 0);
  if (made) MPI_Comm_free(&storm->comm);
}

static void* storm_run(void* argument) {
  struct Storm* storm = argument;
  random_start(&storm->own, storm_seed, (uint64_t)storm->thread, (uint64_t)storm->world_rank, 77);
  for (int more = 1; more;) {
    const double before = now();
    one_round(storm);
    if (now() - before > storm->slowest) storm->slowest = now() - before;
    watchdog_calm();
    storm->round++;
    more = now() - start_time < options.seconds && (options.rounds == 0 || (long)storm->round < options.rounds);
    doing(storm, "MPI_Bcast of whether to go on", 0, 0, 0);
    MPI_Bcast(&more, 1, MPI_INT, 0, storm->comms[0]);
  }
  doing(storm, "nothing, all rounds are done", 0, 0, 0);
  return NULL;
}

static void make_comms(struct Storm* storm, int thread, MPI_Op operator) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  storm->thread = thread;
  storm->world_rank = rank;
  storm->operator= operator;
  for (int i = 0; i < comms_per_thread; ++i) storm->colours[i] = 0;
  MPI_Comm* comms = storm->comms;
  if (thread == 0)
    comms[0] = MPI_COMM_WORLD;
  else
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  MPI_Comm_dup(comms[0], &comms[1]);
  MPI_Comm_split(comms[0], 0, size - rank, &comms[2]);  // all, in the opposite order
  storm->colours[3] = rank % 2;
  MPI_Comm_split(comms[0], rank % 2, rank, &comms[3]);
  storm->colours[4] = rank * 2 < size;
  MPI_Comm_split(comms[2], storm->colours[4], rank, &comms[4]);
}

static void free_comms(struct Storm* storm) {
  for (int i = comms_per_thread - 1; i > 0; --i) MPI_Comm_free(&storm->comms[i]);
  if (storm->thread > 0) MPI_Comm_free(&storm->comms[0]);
}

static int parse(int argc, char** argv) {
  const char* seed = getenv("VIF_TEST_SEED");
  struct timespec moment;
  clock_gettime(CLOCK_REALTIME, &moment);
  storm_seed = seed != NULL && *seed != '\0' ? strtoull(seed, NULL, 10) : (uint64_t)moment.tv_nsec / 1000;
  for (int i = 1; i < argc; ++i) {
    const char* value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(argv[i], "--signals") == 0) {
      options.signals = 1;
      continue;
    }
    if (value == NULL) return 0;
    if (strcmp(argv[i], "--seconds") == 0)
      options.seconds = atof(value);
    else if (strcmp(argv[i], "--rounds") == 0)
      options.rounds = atol(value);
    else if (strcmp(argv[i], "--seed") == 0)
      storm_seed = strtoull(value, NULL, 10);
    else if (strcmp(argv[i], "--threads") == 0)
      options.threads = atoi(value);
    else if (strcmp(argv[i], "--limit") == 0)
      options.limit = atoi(value);
    else if (strcmp(argv[i], "--hold") == 0)
      options.hold = atoi(value);
    else
      return 0;
    ++i;
  }
  return options.threads >= 1 && options.threads <= most_threads;
}

static void run_threads(void) {
  pthread_t threads[most_threads];
  for (int i = 1; i < options.threads; ++i) pthread_create(&threads[i], NULL, storm_run, &storms[i]);
  storm_run(&storms[0]);
  for (int i = 1; i < options.threads; ++i) pthread_join(threads[i], NULL);
}

static void report(int rank, int size) {
  unsigned long long sums[3] = {0, 0, 0};
  double slowest = 0, slowest_of_all;
  for (int i = 0; i < options.threads; ++i) {
    sums[0] += storms[i].messages;
    sums[1] += storms[i].bytes;
    sums[2] += storms[i].round;
    if (storms[i].slowest > slowest) slowest = storms[i].slowest;
  }
  unsigned long long totals[3];
  MPI_Reduce(sums, totals, 3, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&slowest, &slowest_of_all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  printf(
      "storm: %d processes, %d threads each, seed %llu: %llu rounds, %llu messages, %.1f MB, all as expected; the "
      "slowest round took %.2f s\n",
      size, options.threads, (unsigned long long)storm_seed, sums[2], totals[0], (double)totals[1] * 1e-6,
      slowest_of_all);
  fflush(stdout);
}

int main(int argc, char** argv) {
  if (!parse(argc, argv)) {
    fprintf(stderr,
            "Usage: storm [--seconds S] [--rounds N] [--seed X] [--threads 1-%d] [--signals] [--limit S] "
            "[--hold S]\n",
            most_threads);
    return 2;
  }
  int provided, rank, size;
  const int wanted = options.threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, wanted, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (provided < wanted) {
    if (rank == 0) fprintf(stderr, "storm: this MPI does not offer MPI_THREAD_MULTIPLE.\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Bcast(&storm_seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("storm: seed %llu (--seed or VIF_TEST_SEED repeats it)\n", (unsigned long long)storm_seed);
  fflush(stdout);
  MPI_Op operator;
  MPI_Op_create(storm_operator, 0, &operator);
  for (int i = 0; i < options.threads; ++i) make_comms(&storms[i], i, operator);
  const int buffer_size = 16 << 20;
  void* buffer = malloc((size_t)buffer_size);
  MPI_Buffer_attach(buffer, buffer_size);
  start_time = now();
  watchdog_start(storms, options.threads, options.limit, options.hold);
  if (options.signals) signals_start(storm_seed + (uint64_t)rank);
  run_threads();
  if (options.signals) signals_stop();
  report(rank, size);
  int detached;
  MPI_Buffer_detach(&buffer, &detached);
  free(buffer);
  for (int i = 0; i < options.threads; ++i) free_comms(&storms[i]);
  MPI_Op_free(&operator);
  MPI_Finalize();
  return 0;
}
