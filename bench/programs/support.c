// Clocks, samples, computation and arguments of the benchmark programs. Context: app.
#include "support.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

int64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

double cpu_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6 + (double)usage.ru_stime.tv_sec +
         (double)usage.ru_stime.tv_usec * 1e-6;
}

void samples_add(struct samples* samples, double value) {
  if (samples->count == samples->capacity) {
    samples->capacity = samples->capacity ? 2 * samples->capacity : 64;
    samples->values = realloc(samples->values, samples->capacity * sizeof(double));
    if (samples->values == NULL) {
      fprintf(stderr, "The benchmark has no memory left for its samples; give fewer iterations.\n");
      exit(1);
    }
  }
  samples->values[samples->count++] = value;
}

void samples_clear(struct samples* samples) { samples->count = 0; }

void samples_free(struct samples* samples) {
  free(samples->values);
  *samples = (struct samples){0};
}

static int compare_doubles(const void* left, const void* right) {
  double a = *(const double*)left, b = *(const double*)right;
  return (a > b) - (a < b);
}

double samples_quantile(struct samples* samples, double fraction) {
  if (samples->count == 0) return NAN;
  qsort(samples->values, samples->count, sizeof(double), compare_doubles);
  double position = fraction * (double)(samples->count - 1);
  size_t below = (size_t)position;
  size_t above = below + 1 < samples->count ? below + 1 : below;
  double part = position - (double)below;
  return samples->values[below] * (1 - part) + samples->values[above] * part;
}

// The chain of multiplications keeps the CPU busy at a known speed: each step waits for the one before, so neither the
// compiler nor the CPU can shorten it. Forbidden to inline, so that every program runs the same instructions.
__attribute__((noinline, aligned(64))) void compute_steps(uint64_t steps) {
  uint64_t value = steps | 1;
  for (uint64_t step = 0; step < steps; ++step) {
    value = value * 6364136223846793005u + 1442695040888963407u;
    __asm__ volatile("" : "+r"(value));
  }
}

double compute_calibrate(void) {
  uint64_t steps = 1000;
  int64_t best = 0;
  // Grow until one run lasts a quarter of a millisecond: long against the clock, short against a scheduler tick.
  for (;;) {
    int64_t start = now_ns();
    compute_steps(steps);
    best = now_ns() - start;
    if (best >= 250000) break;
    steps *= 2;
  }
  for (int attempt = 0; attempt < 20; ++attempt) {
    int64_t start = now_ns();
    compute_steps(steps);
    int64_t elapsed = now_ns() - start;
    if (elapsed < best) best = elapsed;
  }
  return (double)steps / (double)best;
}

bool arguments_read(int argc, char** argv, const char* purpose, struct argument* table, size_t count, bool speaks) {
  for (int at = 1; at < argc; ++at) {
    const char* given = argv[at];
    if (strcmp(given, "--help") == 0 || strcmp(given, "-h") == 0) {
      if (speaks) {
        printf("%s\nOptions:\n", purpose);
        for (size_t row = 0; row < count; ++row)
          printf("  --%-14s %s [%s]\n", table[row].name, table[row].meaning, *table[row].value);
      }
      return false;
    }
    struct argument* found = NULL;
    for (size_t row = 0; row < count; ++row)
      if (strncmp(given, "--", 2) == 0 && strcmp(given + 2, table[row].name) == 0) found = &table[row];
    if (found == NULL || at + 1 == argc) {
      if (speaks) {
        const char* trouble = found ? "needs a value" : "is not an option of this program";
        fprintf(stderr, "%s: '%s' %s; --help lists the options.\n", argv[0], given, trouble);
      }
      return false;
    }
    *found->value = argv[++at];
  }
  return true;
}

static uint64_t suffix_factor(char** end) {
  switch (**end) {
    case 'K':
    case 'k':
      ++*end;
      return 1024;
    case 'M':
    case 'm':
      ++*end;
      return 1024 * 1024;
    case 'G':
    case 'g':
      ++*end;
      return 1024 * 1024 * 1024;
    default:
      return 1;
  }
}

size_t list_of_sizes(const char* text, uint64_t* list, size_t capacity) {
  size_t count = 0;
  const char* at = text;
  for (;;) {
    char* end = NULL;
    errno = 0;
    uint64_t value = strtoull(at, &end, 10);
    bool number = end != at && errno == 0 && *at != '-';
    if (number) value *= suffix_factor(&end);
    if (!number || (*end != ',' && *end != '\0') || count == capacity) {
      fprintf(stderr, "'%s' is not a list of at most %zu numbers such as 8,64K,1M.\n", text, capacity);
      exit(2);
    }
    list[count++] = value;
    if (*end == '\0') return count;
    at = end + 1;
  }
}

uint64_t number_of(const char* text) {
  uint64_t value;
  list_of_sizes(text, &value, 1);
  return value;
}

double seconds_of(const char* text) {
  char* end = NULL;
  double value = strtod(text, &end);
  if (end == text || *end != '\0' || !(value >= 0)) {
    fprintf(stderr, "'%s' is not a duration in seconds.\n", text);
    exit(2);
  }
  return value;
}
