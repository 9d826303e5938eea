// How fast a message is taken into account beside threads that compute. Ranks 0 and 1 send 4 bytes there and back while
// each of them has so many threads that compute all the time. Two forms: back to back, and paced: one round trip after
// a pause of exponential length (by default 1 ms on average) spent in nanosleep, so that messages come at any moment of
// the machine and not in bursts between two stalls. Context: app.
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "together.h"
#include "world.h"

enum { most_threads = 64 };

struct crowd {
  pthread_t threads[most_threads];
  int count;
  atomic_bool stop;
  atomic_int started;
};

static void* compute_all_the_time(void* argument) {
  struct crowd* crowd = argument;
  atomic_fetch_add(&crowd->started, 1);
  while (!atomic_load_explicit(&crowd->stop, memory_order_relaxed)) compute_steps(20000);
  return NULL;
}

static void crowd_start(struct crowd* crowd, int count) {
  crowd->count = count;
  atomic_store(&crowd->stop, false);
  atomic_store(&crowd->started, 0);
  for (int at = 0; at < count; ++at)
    if (pthread_create(&crowd->threads[at], NULL, compute_all_the_time, crowd) != 0)
      world_fail("a thread cannot be started; is there a limit on processes?");
  while (atomic_load(&crowd->started) < count) sleep_seconds(0.001);
}

static double clock_seconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double crowd_seconds(const struct crowd* crowd) {
  double sum = 0;
  for (int at = 0; at < crowd->count; ++at) {
    clockid_t clock;
    if (pthread_getcpuclockid(crowd->threads[at], &clock) == 0) sum += clock_seconds(clock);
  }
  return sum;
}

static void crowd_stop(struct crowd* crowd) {
  atomic_store(&crowd->stop, true);
  for (int at = 0; at < crowd->count; ++at) pthread_join(crowd->threads[at], NULL);
}

// Marsaglia's xorshift64*; the seed is printed with the parameters.
static double uniform(uint64_t* state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return ((double)((*state * 2685821657736338717u) >> 11) + 0.5) / 9007199254740992.0;
}

struct plan {
  double seconds;
  double pause_us;  // 0: back to back
  uint64_t seed;
};

static void ask(const struct plan* plan, struct samples* round_us) {
  uint64_t state = plan->seed * 0x9e3779b97f4a7c15u + 1;
  int32_t out = 1, in = 0;
  int64_t end = now_ns() + (int64_t)(plan->seconds * 1e9);
  while (now_ns() < end) {
    if (plan->pause_us > 0) sleep_seconds(-log(uniform(&state)) * plan->pause_us * 1e-6);
    int64_t start = now_ns();
    MPI_Send(&out, 1, MPI_INT32_T, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(&in, 1, MPI_INT32_T, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    samples_add(round_us, (double)(now_ns() - start) / 1000.0);
    if (in != out) world_fail("the answer is not the one to this question.");
    ++out;
  }
  out = 0;
  MPI_Send(&out, 1, MPI_INT32_T, 1, 1, MPI_COMM_WORLD);
}

static void answer(void) {
  int32_t word = 1;
  while (word != 0) {
    MPI_Recv(&word, 1, MPI_INT32_T, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (word != 0) MPI_Send(&word, 1, MPI_INT32_T, 0, 2, MPI_COMM_WORLD);
  }
}

static void report(const char* form, int threads, struct samples* round_us, const double percent[2],
                   struct json* json) {
  double sum = 0;
  for (size_t at = 0; at < round_us->count; ++at) sum += round_us->values[at];
  json_open(json, NULL, '{');
  json_text(json, "form", form);
  json_integer(json, "threads", threads);
  json_samples(json, "round_us", round_us);
  json_number(json, "mean_us", sum / (double)round_us->count);
  json_number(json, "p99_us", samples_quantile(round_us, 0.99));
  json_number(json, "p999_us", samples_quantile(round_us, 0.999));
  json_number(json, "max_us", samples_quantile(round_us, 1));
  json_number(json, "compute_percent", percent[0]);
  json_number(json, "talk_percent", percent[1]);
  json_close(json, '}');
}

// One form with one number of threads. Of the CPU time that there was (that of the usable CPUs, or of as many as there
// are computing threads): what the computing threads got, and what the ranks' own threads took.
static void measure(const struct world* world, const char* form, const struct plan* plan, int threads,
                    struct json* json) {
  static struct crowd crowd;
  struct samples round_us = {0};
  crowd_start(&crowd, threads);
  MPI_Barrier(MPI_COMM_WORLD);
  double crowd_before = crowd_seconds(&crowd), talk_before = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
  int64_t start = now_ns();
  if (world->rank == 0) ask(plan, &round_us);
  if (world->rank == 1) answer();
  double wall = (double)(now_ns() - start) / 1e9;
  double mine[2] = {crowd_seconds(&crowd) - crowd_before, clock_seconds(CLOCK_THREAD_CPUTIME_ID) - talk_before};
  double all[2];
  crowd_stop(&crowd);
  MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  int cpus = usable_cpus();
  int fill = threads * world->size < cpus && threads > 0 ? threads * world->size : cpus;
  double percent[2] = {threads > 0 ? 100 * all[0] / (wall * fill) : NAN, 100 * all[1] / (wall * cpus)};
  if (world->rank == 0) report(form, threads, &round_us, percent, json);
  samples_free(&round_us);
}

int main(int argc, char** argv) {
  const char *threads = "0,1,2,4", *seconds = "2", *pause = "1000", *forms = "both", *seed = "1";
  struct argument table[] = {{"threads", &threads, "numbers of computing threads in each rank"},
                             {"seconds", &seconds, "length of each measure"},
                             {"pause", &pause, "mean pause of the paced form in microseconds"},
                             {"forms", &forms, "paced, back or both"},
                             {"seed", &seed, "of the pauses"}};
  struct world world;
  int status;
  const char* purpose = "Round trip of 4 bytes beside threads that compute, back to back and paced.";
  if (!world_start(&world, &argc, &argv, 2, purpose, table, 5, &status)) return status;
  if (world.size > 2) world_fail("reactivity runs on exactly 2 ranks.");
  if (strcmp(forms, "both") != 0 && strcmp(forms, "paced") != 0 && strcmp(forms, "back") != 0)
    world_fail("--forms is paced, back or both.");
  uint64_t counts[16];
  size_t lines = list_of_sizes(threads, counts, 16);
  struct json json;
  if (world.rank == 0) world_document(&json, "reactivity", &world, table, 5);
  for (size_t at = 0; at < lines; ++at) {
    if (counts[at] > most_threads) world_fail("there are at most 64 computing threads in each rank.");
    struct plan plan = {seconds_of(seconds), (double)number_of(pause), number_of(seed)};
    if (strcmp(forms, "back") != 0) measure(&world, "paced", &plan, (int)counts[at], &json);
    plan.pause_us = 0;
    if (strcmp(forms, "paced") != 0) measure(&world, "back to back", &plan, (int)counts[at], &json);
  }
  if (world.rank == 0) world_document_end(&json);
  return world_stop();
}
