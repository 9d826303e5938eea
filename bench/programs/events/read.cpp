// Requirement 95 of Spec 3. Sequential reading of memory that is each core's own, as events: does one core slow another
// down? Each core makes and first touches its memory, and reads a piece of 1 MiB per event, whose end posts the next.
//   wide    32 bytes at a time (AVX2) where the processor has it, else 16
//   plain   8 bytes at a time
// `bytes_per_tick` is for all cores together. Context: app.
#include <vif/event.hpp>

#include <dlfcn.h>
#include <immintrin.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "document.hpp"

namespace {

constexpr std::size_t piece = std::size_t{1} << 20;

__attribute__((target("avx2"))) uint64_t read_32(const char* start) {
  __m256i sum = _mm256_setzero_si256();
  for (std::size_t at = 0; at < piece; at += 128) {
    for (std::size_t line = 0; line < 128; line += 32) {
      sum = _mm256_xor_si256(sum, _mm256_load_si256(reinterpret_cast<const __m256i*>(start + at + line)));
    }
  }
  return static_cast<uint64_t>(_mm256_extract_epi64(sum, 0));
}

uint64_t read_16(const char* start) {
  __m128i sum = _mm_setzero_si128();
  for (std::size_t at = 0; at < piece; at += 16) {
    sum = _mm_xor_si128(sum, _mm_load_si128(reinterpret_cast<const __m128i*>(start + at)));
  }
  return static_cast<uint64_t>(_mm_cvtsi128_si64(sum));
}

uint64_t read_8(const char* start) {
  uint64_t sum = 0;
  for (std::size_t at = 0; at < piece; at += 8) {
    // Volatile: each word by an instruction of its own.
    sum ^= *reinterpret_cast<const volatile uint64_t*>(start + at);
  }
  return sum;
}

using Reader = uint64_t (*)(const char*);

struct Course {
  std::atomic<bool> stop{false};
  std::atomic<int> running{0};
  std::atomic<uint64_t> sum{0};
};

// The state of one core, used by events of one colour.
struct alignas(128) Lane {
  vif::Runtime* runtime;
  Course* course;
  vif::Colour colour;
  Reader read;
  std::size_t bytes;
  char* memory = nullptr;
  std::size_t at = 0;
  std::atomic<uint64_t> done{0};  // by its colour

  void begin() {
    memory = static_cast<char*>(std::aligned_alloc(4096, bytes));
    if (memory == nullptr) std::abort();
    std::memset(memory, 1, bytes);
    next();
  }
  void next() {
    if (course->stop.load(std::memory_order_relaxed)) {
      std::free(memory);
      --course->running;
      return;
    }
    course->sum.fetch_add(read(memory + at), std::memory_order_relaxed);
    at = (at + piece) % bytes;
    done.store(done.load(std::memory_order_relaxed) + piece, std::memory_order_relaxed);
    runtime->post(colour, [this] { next(); });
  }
};

void measure(bench::Document& document, const char* name, Reader read, int cores, std::size_t bytes, double seconds) {
  vif::RuntimeOptions options;
  options.cores = cores;
  vif::Runtime runtime(options);
  Course course;
  course.running = cores;
  std::vector<std::unique_ptr<Lane>> lanes;
  for (int i = 0; i < cores; ++i) {
    lanes.emplace_back(new Lane{&runtime, &course, runtime.new_colour(), read, bytes});
    runtime.post(lanes.back()->colour, [lane = lanes.back().get()] { lane->begin(); });
  }
  const auto done = [&] {
    uint64_t sum = 0;
    for (const auto& lane : lanes) sum += lane->done.load(std::memory_order_relaxed);
    return sum;
  };
  const auto all_read = [&] {
    for (const auto& lane : lanes) {
      if (lane->done.load(std::memory_order_relaxed) < bytes) return false;
    }
    return true;
  };
  while (!all_read()) sleep_seconds(0.005);
  bench::Samples rate;
  for (int window = 0; window < 10; ++window) {
    const uint64_t before = done(), began = bench::ticks();
    sleep_seconds(seconds / 10);
    rate.add(static_cast<double>(done() - before) / static_cast<double>(bench::ticks() - began));
  }
  course.stop = true;
  while (course.running != 0) sleep_seconds(0.001);
  runtime.stop();
  runtime.run();
  json* json = document.open_point();
  json_text(json, "reading", name);
  json_integer(json, "cores", cores);
  json_samples(json, "bytes_per_tick", rate.get());
  document.close_point();
}

}  // namespace

int main(int argc, char** argv) {
  const char *size = "64M", *seconds = "0.3", *cores = "1,2";
  argument table[] = {{"size", &size, "bytes that each core reads, a multiple of 1M"},
                      {"seconds", &seconds, "how long each is measured"},
                      {"cores", &cores, "cores that read, a list"}};
  const bool help = argc > 1 && std::strcmp(argv[1], "--help") == 0;
  if (!arguments_read(argc, argv, "Sequential reading of each core's own memory.", table, 3, true)) return help ? 0 : 2;
  const std::size_t bytes = std::max<std::size_t>(number_of(size) / piece, 1) * piece;
  uint64_t counts[8];
  const std::size_t runs = list_of_sizes(cores, counts, 8);
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&vif::Runtime::current), &info);
  bench::Document document("events-read", "Vif", info.dli_fname != nullptr ? info.dli_fname : "", table, 3);
  for (std::size_t run = 0; run < runs; ++run) {
    const int count = static_cast<int>(counts[run]);
    measure(document, "wide", __builtin_cpu_supports("avx2") ? read_32 : read_16, count, bytes, seconds_of(seconds));
    measure(document, "plain", read_8, count, bytes, seconds_of(seconds));
  }
  return 0;
}
