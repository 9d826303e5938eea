// The works that event runtimes are compared on, written once against an adaptor of the runtime:
//
//   struct Adaptor {
//     explicit Adaptor(int cores, int lanes);            starts `cores` threads that run what is posted
//     template <class F> void post(int lane, F function) from anywhere; functions of one lane run one at a time, in
//                                                        order; lanes are spread evenly over the cores
//     void finish();                                     nothing is posted any more: ends the threads
//   };
//
//   ping-pong      each core has one function that posts the next to its own lane: what an event costs
//   fan-out        one function posts 100 others over all lanes, and the last of them posts it again (the
//                  producer-consumer of Geneves 2013): `empty`; `memory` carries 22 bytes, and fills and sorts them 50
//                  times; or each function takes a time, in nanoseconds
//   skewed         as fan-out, but all 100 lanes belong to the first core: what stealing is for
//   barrier        8 functions, the last of which starts the next 8
// Requirements of Spec 3: 16, 20, 34 to 36, 45, 47, 53 and 54 are measured with these works, by `vif bench events works
// --ablate` and `vif bench events waiting`; 14 by `vif bench events stealing`.
// A measure counts functions in windows of time while the threads run. Context: app.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "document.hpp"

namespace works {

constexpr int fan = 100;  // functions that the producer posts at once
constexpr int met = 8;    // functions of a barrier

// Nanoseconds per tick, measured once.
inline double ns_per_tick() {
  static const double value = [] {
    const int64_t began_ns = now_ns();
    const uint64_t began = bench::ticks();
    while (now_ns() - began_ns < 20'000'000) {
    }
    return static_cast<double>(now_ns() - began_ns) / static_cast<double>(bench::ticks() - began);
  }();
  return value;
}

inline void take_time(uint64_t wanted_ticks) {
  const uint64_t began = bench::ticks();
  while (bench::ticks() - began < wanted_ticks) {
  }
}

// 22 bytes, filled and sorted 50 times.
inline void sort_some(std::array<unsigned char, 22>& bytes) {
  uint32_t state = 12345U + bytes[0];
  for (int turn = 0; turn < 50; ++turn) {
    for (unsigned char& byte : bytes) {
      state = state * 1664525U + 1013904223U;
      byte = static_cast<unsigned char>(state >> 24);
    }
    for (std::size_t end = bytes.size() - 1; end > 0; --end) {
      for (std::size_t i = 0; i < end; ++i) {
        if (bytes[i] > bytes[i + 1]) std::swap(bytes[i], bytes[i + 1]);
      }
    }
  }
}

struct alignas(128) Count {
  std::atomic<uint64_t> done{0};  // by one function at a time
  void add(uint64_t amount) { done.store(done.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed); }
};

// What all works share: when to stop, what was done, and who still runs.
struct Course {
  explicit Course(int lanes) : counts(static_cast<std::size_t>(lanes)) {}
  alignas(128) std::atomic<bool> stop{false};
  alignas(128) std::atomic<int> chains{0};  // that have not seen `stop`
  alignas(128) std::atomic<int> remaining{0};
  std::vector<Count> counts;

  uint64_t done() const {
    uint64_t sum = 0;
    for (const Count& count : counts) sum += count.done.load(std::memory_order_relaxed);
    return sum;
  }
};

template <class Adaptor>
struct Ball {
  Adaptor* adaptor;
  Course* course;
  int lane;
  void operator()() const {
    if (course->stop.load(std::memory_order_relaxed)) {
      course->chains.fetch_sub(1);
      return;
    }
    course->counts[static_cast<std::size_t>(lane)].add(1);
    adaptor->post(lane, *this);
  }
};

enum class Handler : uint8_t { empty, memory, timed };

template <class Adaptor>
struct Producer {
  Adaptor* adaptor;
  Course* course;
  uint64_t ticks_each;
  Handler handler;
  int fan_out;
  int stride;  // from one lane to the next

  void operator()() const {
    if (course->stop.load(std::memory_order_relaxed)) {
      course->chains.fetch_sub(1);
      return;
    }
    course->remaining.store(fan_out, std::memory_order_relaxed);
    for (int i = 0; i < fan_out; ++i) {
      switch (handler) {
        case Handler::empty:
          adaptor->post(i * stride, [self = *this] { self.one_done(); });
          break;
        case Handler::memory:
          adaptor->post(i * stride, [self = *this, carried = std::array<unsigned char, 22>{}] {
            auto bytes = carried;  // some runtimes call their functions as constants
            sort_some(bytes);
            self.course->remaining.fetch_add(bytes[0] & 0, std::memory_order_relaxed);  // the result is used
            self.one_done();
          });
          break;
        case Handler::timed:
          adaptor->post(i * stride, [self = *this] {
            take_time(self.ticks_each);
            self.one_done();
          });
          break;
      }
    }
  }

  void one_done() const {
    if (course->remaining.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    course->counts[0].add(static_cast<uint64_t>(fan_out));
    adaptor->post(0, *this);
  }
};

// The last of 8 starts the next 8 itself.
template <class Adaptor>
struct Meeting {
  Adaptor* adaptor;
  Course* course;

  void start() const {
    course->remaining.store(met, std::memory_order_relaxed);
    for (int i = 0; i < met; ++i) adaptor->post(i, *this);
  }
  void operator()() const {
    if (course->remaining.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    course->counts[0].add(met);
    if (course->stop.load(std::memory_order_relaxed)) {
      course->chains.fetch_sub(1);
    } else {
      start();
    }
  }
};

template <class Adaptor>
void begin(const std::string& work, int cores, Adaptor& adaptor, Course& course) {
  if (work == "ping-pong") {
    course.chains = cores;
    for (int lane = 0; lane < cores; ++lane) adaptor.post(lane, Ball<Adaptor>{&adaptor, &course, lane});
    return;
  }
  course.chains = 1;
  if (work == "barrier") {
    Meeting<Adaptor>{&adaptor, &course}.start();
    return;
  }
  const bool skewed = work.rfind("skewed ", 0) == 0;
  Producer<Adaptor> producer{&adaptor, &course, 0, Handler::empty, fan, skewed ? cores : 1};
  if (work == "fan-out memory") producer.handler = Handler::memory;
  if (work.size() > 2 && work.compare(work.size() - 2, 2, "ns") == 0) {
    producer.handler = Handler::timed;
    producer.ticks_each = static_cast<uint64_t>(std::stod(work.substr(work.find(' '))) / ns_per_tick());
  }
  adaptor.post(0, producer);
}

// Millions of functions per second, in windows of a tenth of the time.
template <class Adaptor>
void measure(const std::string& work, int cores, double seconds, bench::Samples& rate) {
  const bool skewed = work.rfind("skewed ", 0) == 0;
  const int lanes = work == "ping-pong" ? cores : work == "barrier" ? met : skewed ? fan * cores : fan;
  Adaptor adaptor(cores, lanes);
  Course course(std::max(lanes, 1));
  begin(work, cores, adaptor, course);
  sleep_seconds(seconds / 5);
  uint64_t done = course.done();
  double began = bench::seconds_now();
  for (int window = 0; window < 10; ++window) {
    sleep_seconds(seconds / 10);
    const uint64_t now_done = course.done();
    const double now = bench::seconds_now();
    rate.add(static_cast<double>(now_done - done) / (now - began) * 1e-6);
    done = now_done;
    began = now;
  }
  course.stop = true;
  while (course.chains != 0) sleep_seconds(0.0005);
  adaptor.finish();
}

inline std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

constexpr const char* all_works = "ping-pong,fan-out empty,fan-out 1000ns,fan-out 10000ns,fan-out memory,barrier";

// main() of each program: library is its name and version.
template <class Adaptor>
int run(int argc, char** argv, const std::string& library, const std::string& library_file) {
  const char *which = all_works, *cores = "1,2", *seconds = "0.3";
  argument table[] = {{"works", &which, "which works, with commas"},
                      {"cores", &cores, "how many cores run them, a list"},
                      {"seconds", &seconds, "how long each work is measured"}};
  const bool help = argc > 1 && std::strcmp(argv[1], "--help") == 0;
  if (!arguments_read(argc, argv, "Works of an event runtime: functions per second.", table, 3, true))
    return help ? 0 : 2;
  uint64_t list[8];
  const std::size_t count = list_of_sizes(cores, list, 8);
  const double each = seconds_of(seconds);
  bench::Document document("events-works", library, library_file, table, 3);
  for (const std::string& work : split(which)) {
    for (std::size_t i = 0; i < count; ++i) {
      bench::Samples rate;
      measure<Adaptor>(work, static_cast<int>(list[i]), each, rate);
      json* json = document.open_point();
      json_text(json, "work", work.c_str());
      json_integer(json, "cores", static_cast<int64_t>(list[i]));
      json_samples(json, "rate", rate.get());
      document.close_point();
    }
  }
  return 0;
}

}  // namespace works
