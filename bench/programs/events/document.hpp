// What the event benchmarks share: the C support of the other programs, the counter, threads on CPUs of their own, and
// the head of the document. Context: app.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <thread>

extern "C" {
#include "../support.h"
#include "../together.h"
}

#include <x86intrin.h>

namespace bench {

// Ticks of the time-stamp counter: cycles at the processor's nominal frequency.
inline uint64_t ticks() { return __rdtsc(); }

inline double seconds_now() { return static_cast<double>(now_ns()) * 1e-9; }

// Samples that free themselves.
class Samples {
 public:
  Samples() = default;
  Samples(const Samples&) = delete;
  Samples& operator=(const Samples&) = delete;
  ~Samples() { samples_free(&samples_); }

  void add(double value) { samples_add(&samples_, value); }
  double median() { return samples_quantile(&samples_, 0.5); }
  // Of all but the slowest hundredth, which the system has interrupted.
  double mean() {
    samples_quantile(&samples_, 0.5);  // sorts them
    const std::size_t count = samples_.count - samples_.count / 100;
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += samples_.values[i];
    return count != 0 ? sum / static_cast<double>(count) : 0;
  }
  samples* get() { return &samples_; }

 private:
  samples samples_{};
};

// Writes {"benchmark", "schema", "library", "library_file", "parameters", "points": [ ... ]}.
class Document {
 public:
  Document(const char* benchmark, const std::string& library, const std::string& library_file,
           const argument* parameters, std::size_t count) {
    json_open(&json_, nullptr, '{');
    json_text(&json_, "benchmark", benchmark);
    json_integer(&json_, "schema", 1);
    json_text(&json_, "library", library.c_str());
    if (!library_file.empty()) json_text(&json_, "library_file", library_file.c_str());
    json_integer(&json_, "usable_cpus", usable_cpus());
    json_open(&json_, "parameters", '{');
    for (std::size_t i = 0; i < count; ++i) json_text(&json_, parameters[i].name, *parameters[i].value);
    json_close(&json_, '}');
    json_open(&json_, "points", '[');
  }
  ~Document() {
    json_close(&json_, ']');
    json_close(&json_, '}');
  }
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  json* open_point() {
    json_open(&json_, nullptr, '{');
    return &json_;
  }
  void close_point() { json_close(&json_, '}'); }

 private:
  json json_{stdout, 0, true};
};

}  // namespace bench
