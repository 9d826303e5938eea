// What every benchmark program shares: clocks, samples and their spread, a computation sized in time, arguments, and
// the JSON document that a program prints. Plain C11 without MPI, so that `interrupt` can use it too.
// Context: app (ordinary threads; nothing here is called from a signal handler except now_ns).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Nanoseconds of CLOCK_MONOTONIC, the same clock in every process of a host. Safe in a signal handler.
int64_t now_ns(void);

// CPU seconds (user and system, all threads) that this process has used.
double cpu_seconds(void);

// ---- Samples ------------------------------------------------------------------------------------------------------

struct samples {
  double* values;
  size_t count;
  size_t capacity;
};

void samples_add(struct samples* samples, double value);
void samples_clear(struct samples* samples);
void samples_free(struct samples* samples);
// The value below which the given fraction (0 to 1) of the samples lies. Sorts the samples.
double samples_quantile(struct samples* samples, double fraction);

// ---- Computation --------------------------------------------------------------------------------------------------

// A computation that touches no memory and calls nothing: its duration depends on the CPU alone.
void compute_steps(uint64_t steps);
// Measures the computation, and returns its speed in steps per nanosecond (the best of several measures).
double compute_calibrate(void);

// ---- Arguments: --name value --------------------------------------------------------------------------------------

struct argument {
  const char* name;     // without the dashes
  const char** value;   // in: the default; out: what the user gave
  const char* meaning;  // one sentence for --help
};

// Returns false when the program should end: after --help, or after a sentence on stderr about a wrong argument.
// Only a caller with `speaks` true prints (rank 0).
bool arguments_read(int argc, char** argv, const char* purpose, struct argument* table, size_t count, bool speaks);
// A comma-separated list of numbers, each with an optional suffix K, M or G (powers of 1024). Ends the process with a
// sentence if the text is not such a list.
size_t list_of_sizes(const char* text, uint64_t* list, size_t capacity);
uint64_t number_of(const char* text);
double seconds_of(const char* text);

// ---- JSON ---------------------------------------------------------------------------------------------------------

struct json {
  FILE* out;
  int depth;
  bool first;  // nothing has been written yet at this depth
};

void json_open(struct json* json, const char* name, char bracket);
void json_close(struct json* json, char bracket);
void json_text(struct json* json, const char* name, const char* value);
void json_number(struct json* json, const char* name, double value);
void json_integer(struct json* json, const char* name, int64_t value);
void json_flag(struct json* json, const char* name, bool value);
// {"median":…, "p10":…, "p25":…, "p75":…, "p95":…, "min":…, "max":…, "mean":…, "deviation":…, "count":…}
void json_samples(struct json* json, const char* name, struct samples* samples);
