// Chance, contents of buffers, failures, the program's own signals, and the watchdog of the storm.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "storm.h"

uint64_t storm_seed;
volatile sig_atomic_t storm_signals;

static uint64_t mix(uint64_t x) {
  x ^= x >> 30;
  x *= UINT64_C(0xbf58476d1ce4e5b9);
  x ^= x >> 27;
  x *= UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

static uint64_t random_next(struct Random* random) { return mix(random->state += UINT64_C(0x9e3779b97f4a7c15)); }

void random_start(struct Random* random, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  random->state = mix(mix(mix(mix(a + 1) + b) + c) + d);
}

uint64_t random_below(struct Random* random, uint64_t limit) { return random_next(random) % limit; }

int random_chance(struct Random* random, int percent) { return (int)random_below(random, 100) < percent; }

size_t random_size(struct Random* random, size_t most) {
  static const size_t thresholds[] = {0, 24, 64, 2048, 4096, 16384, 65536, 262144};
  size_t size;
  if (random_chance(random, 65)) {
    size = thresholds[random_below(random, sizeof thresholds / sizeof *thresholds)] + random_below(random, 3);
    size -= size > 0;
  } else {
    // As many sizes between 1 and 2 as between 1 M and 2 M.
    size = (size_t)random_below(random, (uint64_t)1 << (1 + random_below(random, 22)));
  }
  return size <= most ? size : (size_t)random_below(random, most + 1);
}

void doing(struct Storm* storm, const char* format, long a, long b, long c) {
  storm->details[0] = a;
  storm->details[1] = b;
  storm->details[2] = c;
  storm->doing = format;
}

void fail(struct Storm* storm, const char* format, ...) {
  char words[600];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  fprintf(stderr, "storm: rank %d (%d of %d in the communicator), thread %d, seed %llu, round %llu: %s\n",
          storm->world_rank, storm->rank, storm->size, storm->thread, (unsigned long long)storm_seed,
          (unsigned long long)storm->round, words);
  fflush(stderr);
  if (getenv("STORM_CORE") != NULL) abort();
  MPI_Abort(MPI_COMM_WORLD, 1);
  abort();
}

void compute(struct Storm* storm) {
  const uint64_t what = random_below(&storm->own, 100);
  if (what < 70) return;
  if (what < 95) {
    volatile uint64_t sink;
    uint64_t value = what;
    for (uint64_t left = random_below(&storm->own, 100000); left > 0; --left) value = value * 3 + left;
    sink = value;
    (void)sink;
  } else if (what < 97) {
    sched_yield();
  } else if (what < 99) {
    const struct timespec moment = {0, (long)random_below(&storm->own, 1000000)};
    if (nanosleep(&moment, NULL) != 0 && (errno != EINTR || storm_signals == 0)) {
      fail(storm, "nanosleep was cut short, but the program has had no signal of its own");
    }
  } else if (poll(NULL, 0, 1) != 0 && (errno != EINTR || storm_signals == 0)) {
    fail(storm, "poll was cut short, but the program has had no signal of its own");
  }
}

// A buffer is surrounded by marked bytes, and begins at any address. Some long ones are of MPI_Alloc_mem, which the
// other processes may map.
enum { edge = 64, shared_from = 32 * 1024, shared_percent = 40 };
struct Head {
  size_t size;
  void* memory;
  int shared;
};

unsigned char* buffer_make(struct Storm* storm, size_t size) {
  const size_t whole = size + 3 * edge + sizeof(struct Head);
  const int shared = size >= shared_from && random_chance(&storm->own, shared_percent);
  unsigned char* memory = NULL;
  if (shared)
    MPI_Alloc_mem((MPI_Aint)whole, MPI_INFO_NULL, &memory);
  else
    memory = malloc(whole);
  if (memory == NULL) fail(storm, "no memory for %zu bytes", size);
  unsigned char* buffer = memory + sizeof(struct Head) + edge + random_below(&storm->own, edge);
  memset(buffer - edge, 0xE5, edge);
  memset(buffer + size, 0xE5, edge);
  memset(buffer, 0x5E, size);
  const struct Head head = {size, memory, shared};
  memcpy(memory, &head, sizeof head);
  memcpy(buffer - edge, &memory, sizeof memory);
  return buffer;
}

void buffer_free(struct Storm* storm, unsigned char* buffer) {
  unsigned char* memory;
  struct Head head;
  memcpy(&memory, buffer - edge, sizeof memory);
  memcpy(&head, memory, sizeof head);
  if (head.memory != memory) fail(storm, "the bytes long before a buffer were overwritten");
  for (size_t i = 0; i < edge; ++i) {
    if (i >= sizeof memory && buffer[(ptrdiff_t)i - edge] != 0xE5)
      fail(storm, "bytes before a buffer were overwritten");
    if (buffer[head.size + i] != 0xE5) fail(storm, "byte %zu after a buffer of %zu was overwritten", i, head.size);
  }
  if (head.shared)
    MPI_Free_mem(memory);
  else
    free(memory);
}

static uint64_t content_word(uint64_t identity, size_t index) {
  const uint64_t x = (identity + 1) * UINT64_C(0x9e3779b97f4a7c15) + index * UINT64_C(0xd1342543de82ef95);
  return x ^ (x >> 29);
}

void content_fill(unsigned char* buffer, size_t size, uint64_t identity) {
  for (size_t i = 0; i < size; i += 8) {
    const uint64_t word = content_word(identity, i);
    memcpy(buffer + i, &word, size - i < 8 ? size - i : 8);
  }
}

void content_check(struct Storm* storm, const unsigned char* buffer, size_t size, uint64_t identity, const char* what) {
  for (size_t i = 0; i < size; i += 8) {
    const uint64_t word = content_word(identity, i);
    const size_t length = size - i < 8 ? size - i : 8;
    if (memcmp(buffer + i, &word, length) == 0) continue;
    uint64_t seen = 0;
    memcpy(&seen, buffer + i, length);
    fail(storm, "%s of %zu bytes is wrong from byte %zu on: %016llx instead of %016llx", what, size, i,
         (unsigned long long)seen, (unsigned long long)word);
  }
}

// The watchdog: an alarm that each round puts off.
static struct Storm* watched;
static int watched_threads;
static int watchdog_limit;
static int watchdog_hold;

static void watchdog_speak(int number) {
  (void)number;
  for (int i = 0; i < watched_threads; ++i) {
    char line[400];
    char what[200] = "starting";
    const struct Storm* storm = &watched[i];
    if (storm->doing != NULL) {
      snprintf(what, sizeof what, storm->doing, storm->details[0], storm->details[1], storm->details[2]);
    }
    const int length =
        snprintf(line, sizeof line,
                 "storm: no progress for %d s. Seed %llu, rank %d (%d of %d in the communicator), thread "
                 "%d, round %llu, process %d: %s\n",
                 watchdog_limit, (unsigned long long)storm_seed, storm->world_rank, storm->rank, storm->size,
                 storm->thread, (unsigned long long)storm->round, (int)getpid(), what);
    if (write(STDERR_FILENO, line, (size_t)length) < 0) _exit(3);
  }
  // The others, whose alarms come a little later, must be able to speak too.
  struct timespec left = {watchdog_hold, 0};
  while (nanosleep(&left, &left) != 0) continue;
  _exit(3);
}

void watchdog_start(struct Storm* storms, int threads, int limit, int hold) {
  watched = storms;
  watched_threads = threads;
  watchdog_limit = limit;
  watchdog_hold = hold;
  struct sigaction action = {.sa_handler = watchdog_speak};
  sigaction(SIGALRM, &action, NULL);
  alarm((unsigned)limit);
}

void watchdog_calm(void) { alarm((unsigned)watchdog_limit); }

// The program's own signals: a timer that its handler sets again, without SA_RESTART.
static timer_t signal_timer;
static struct Random signal_moments;

static void signal_again(void) {
  const long after = 1000 * (20 + (long)random_below(&signal_moments, random_chance(&signal_moments, 80) ? 200 : 5000));
  const struct itimerspec moment = {{0, 0}, {0, after}};
  timer_settime(signal_timer, 0, &moment, NULL);
}

static void signal_came(int number) {
  (void)number;
  const int kept = errno;
  storm_signals = storm_signals == 1 << 30 ? 1 : storm_signals + 1;
  signal_again();
  errno = kept;
}

void signals_start(uint64_t seed) {
  random_start(&signal_moments, seed, 5, 0, 0);
  struct sigaction action = {.sa_handler = signal_came};
  sigaction(SIGUSR1, &action, NULL);
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  if (timer_create(CLOCK_MONOTONIC, &event, &signal_timer) != 0) {
    fprintf(stderr, "storm: no timer can be had: %s\n", strerror(errno));
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  signal_again();
}

void signals_stop(void) {
  // First deaf, then without the timer: a handler that runs late must not set a deleted one.
  signal(SIGUSR1, SIG_IGN);
  timer_delete(signal_timer);
}
