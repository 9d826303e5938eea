// Cost of an allocation and its release, in ticks of the time-stamp counter (cycles at the nominal frequency).
//
//   pair      one object is made and dropped, again and again
//   batch     64 objects are made, then dropped in the same order, as events of a queue are
//   random    an object of random size among 1024 is replaced by another
//   cross     one core makes objects and writes in them, the other reads and drops them; a ring of 1024 in between.
//             The ring is not counted: each side times its batches of 32 calls, with the object's first word. The cost
//             is the mean of all but the slowest hundredth of the batches (making and dropping, added up).
// With Vif's own allocator, `cross` tells it which core will use the object, unless --hint no.
// Context: app.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <vector>

#include "allocator.hpp"
#include "document.hpp"

namespace {

using bench::Samples;
using bench::ticks;

constexpr int operations = 512;  // in one sample

uint64_t* word(void* object) { return static_cast<uint64_t*>(object); }

// Calls body() for the time given; each call is one sample, divided by the operations that it does.
template <class Body>
void sample(double seconds, Samples& samples, int count, Body body) {
  body();
  const double end = bench::seconds_now() + seconds;
  do {
    for (int i = 0; i < 20; ++i) {
      const uint64_t before = ticks();
      body();
      samples.add(static_cast<double>(ticks() - before) / count);
    }
  } while (bench::seconds_now() < end);
}

void pair(std::size_t bytes, double seconds, Samples& samples) {
  sample(seconds, samples, operations, [&] {
    for (int i = 0; i < operations; ++i) {
      void* object = allocator::make(bytes);
      *static_cast<volatile uint64_t*>(object) = 1;
      allocator::drop(object);
    }
  });
}

void batch(std::size_t bytes, double seconds, Samples& samples) {
  constexpr int depth = 64;
  std::array<void*, depth> objects;
  sample(seconds, samples, operations, [&] {
    for (int turn = 0; turn < operations / depth; ++turn) {
      for (void*& object : objects) *word(object = allocator::make(bytes)) = 1;
      for (void* object : objects) allocator::drop(object);
    }
  });
}

void random_sizes(std::size_t bytes, double seconds, Samples& samples) {
  constexpr std::size_t kept = 1024;
  std::vector<void*> objects(kept, nullptr);
  std::vector<std::pair<uint32_t, uint32_t>> plan(1 << 14);
  uint64_t state = 88172645463325252;
  for (auto& [place, size] : plan) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    place = state % kept;
    size = static_cast<uint32_t>(16 + (state >> 32) % bytes);
  }
  for (void*& object : objects) object = allocator::make(bytes);
  std::size_t at = 0;
  sample(seconds, samples, operations, [&] {
    for (int i = 0; i < operations; ++i) {
      const auto [place, size] = plan[at++ % plan.size()];
      allocator::drop(objects[place]);
      *word(objects[place] = allocator::make(size)) = 1;
    }
  });
  for (void* object : objects) allocator::drop(object);
}

// Pointers from one thread to another.
struct Ring {
  static constexpr uint64_t size = 1024;
  static constexpr uint64_t step = 32;
  std::array<void*, size> slots{};
  alignas(128) std::atomic<uint64_t> written{0};
  alignas(128) std::atomic<uint64_t> read{0};
  alignas(128) std::atomic<bool> stop{false};
  std::atomic<allocator::Place> place{};
  std::atomic<bool> ready{false};
};

void wait_turn() { _mm_pause(); }

// The dropping side. Only full batches are timed.
void consume(Ring& ring, Samples& samples) {
  bind_to_usable_cpu(1);
  ring.place = allocator::here();
  ring.ready = true;
  uint64_t sum = 0;
  for (uint64_t at = 0;; at += Ring::step) {
    while (ring.written.load(std::memory_order_acquire) == at) {
      if (ring.stop.load(std::memory_order_relaxed) && ring.written.load(std::memory_order_acquire) == at) {
        *static_cast<volatile uint64_t*>(&sum) = sum;
        return;
      }
      wait_turn();
    }
    std::array<void*, Ring::step> objects;
    for (uint64_t i = 0; i < Ring::step; ++i) objects[i] = ring.slots[(at + i) % Ring::size];
    ring.read.store(at + Ring::step, std::memory_order_release);
    const uint64_t before = ticks();
    for (void* object : objects) {
      sum += *word(object);
      allocator::drop(object);
    }
    samples.add(static_cast<double>(ticks() - before) / Ring::step);
  }
}

struct Cross {
  Samples making, dropping, through;
  double resident_kb = 0;  // how much the memory of the process grew meanwhile
};

double resident_kb() {
  double size = 0, resident = 0;
  if (FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lf %lf", &size, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return resident * 4;
}

void cross(std::size_t bytes, double seconds, bool hint, Cross& result) {
  Ring ring;
  const double before_all = resident_kb();
  std::thread consumer([&] { consume(ring, result.dropping); });
  bind_to_usable_cpu(0);
  while (!ring.ready) wait_turn();
  const allocator::Place to = ring.place;
  uint64_t at = 0;
  const double end = bench::seconds_now() + seconds;
  do {
    const uint64_t began = ticks();
    for (int turn = 0; turn < 256; ++turn, at += Ring::step) {
      std::array<void*, Ring::step> objects;
      const uint64_t before = ticks();
      for (void*& object : objects) {
        object = hint ? allocator::make_for(to, bytes) : allocator::make(bytes);
        *word(object) = at;
      }
      result.making.add(static_cast<double>(ticks() - before) / Ring::step);
      while (at + Ring::step - ring.read.load(std::memory_order_acquire) > Ring::size) wait_turn();
      for (uint64_t i = 0; i < Ring::step; ++i) ring.slots[(at + i) % Ring::size] = objects[i];
      ring.written.store(at + Ring::step, std::memory_order_release);
    }
    result.through.add(static_cast<double>(ticks() - began) / (256.0 * Ring::step));
  } while (bench::seconds_now() < end);
  result.resident_kb = resident_kb() - before_all;
  ring.stop = true;
  consumer.join();
}

void write_local(bench::Document& document, const char* pattern, uint64_t bytes, Samples& samples) {
  json* json = document.open_point();
  json_text(json, "pattern", pattern);
  json_integer(json, "size", static_cast<int64_t>(bytes));
  json_samples(json, "ticks", samples.get());
  document.close_point();
}

void write_cross(bench::Document& document, uint64_t bytes, Cross& result) {
  json* json = document.open_point();
  json_text(json, "pattern", "cross");
  json_integer(json, "size", static_cast<int64_t>(bytes));
  // Means: allocators that hand many objects over at once are quick in most batches, and pay in the others.
  json_number(json, "ticks", result.making.mean() + result.dropping.mean());
  json_number(json, "resident_kb", result.resident_kb);
  json_samples(json, "making_ticks", result.making.get());
  json_samples(json, "dropping_ticks", result.dropping.get());
  json_samples(json, "through_ticks", result.through.get());
  document.close_point();
}

}  // namespace

int main(int argc, char** argv) {
  const char *sizes = "32,64,128,512", *seconds = "0.2", *hint = "yes", *patterns = "pair,batch,random,cross";
  const char* as = "";
  argument table[] = {{"sizes", &sizes, "bytes of an object, a list"},
                      {"seconds", &seconds, "how long each point is measured"},
                      {"hint", &hint, "yes: tell the allocator which core will use an object (Vif only)"},
                      {"patterns", &patterns, "which of pair, batch, random, cross"},
                      {"as", &as, "what the document calls the allocator"}};
  const bool help = argc > 1 && std::strcmp(argv[1], "--help") == 0;
  if (!arguments_read(argc, argv, "Cost of an allocation and its release, on one core and across two.", table, 5, true))
    return help ? 0 : 2;
  uint64_t list[16];
  const std::size_t count = list_of_sizes(sizes, list, 16);
  const double each = seconds_of(seconds);
  const std::string wanted = patterns;
  bind_to_usable_cpu(0);
  bench::Document document("events-alloc", *as != 0 ? as : allocator::name(), allocator::file(), table, 5);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t bytes = std::max<uint64_t>(list[i], 16);
    const std::pair<const char*, void (*)(std::size_t, double, Samples&)> local[] = {
        {"pair", pair}, {"batch", batch}, {"random", random_sizes}};
    for (auto [name, run] : local) {
      if (wanted.find(name) == std::string::npos) continue;
      Samples samples;
      run(bytes, each, samples);
      write_local(document, name, bytes, samples);
    }
    if (wanted.find("cross") == std::string::npos || usable_cpus() < 2) continue;
    Cross result;
    cross(bytes, each, std::strcmp(hint, "yes") == 0, result);
    write_cross(document, bytes, result);
  }
  return 0;
}
