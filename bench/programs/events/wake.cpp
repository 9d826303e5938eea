// How long a sleeping core takes to run an event, beside a bare futex: post by post in turn, between the same two CPUs.
//
// The core sleeps at once when it has nothing to do; between two posts it has slept for the pause. `wake_us` is from
// just before the post to the first instruction of the handler; `futex_us` from just before the store and
// FUTEX_WAKE to the return of FUTEX_WAIT. `ring_ticks` and `futex_ring_ticks` are what the waking thread spends.
// With one usable CPU there is nothing to measure. Context: app.
#include <vif/event.hpp>

#include <dlfcn.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "document.hpp"

namespace {

using bench::Samples;

// A thread that sleeps on a futex, and notes when it woke.
struct Sleeper {
  alignas(128) std::atomic<uint32_t> word{0};
  alignas(128) std::atomic<int64_t> woke_ns{0};
  std::atomic<bool> stop{false};

  void run() {
    bind_to_usable_cpu(1);
    for (uint32_t seen = 0; !stop;) {
      while (word.load(std::memory_order_acquire) == seen) {
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
      }
      woke_ns.store(now_ns(), std::memory_order_release);
      ++seen;
    }
  }
  void wake() {
    word.fetch_add(1, std::memory_order_release);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
};

struct Results {
  Samples wake, futex, ring, futex_ring;
};

// The thread of the core is made where this thread is allowed: on the second CPU.
std::unique_ptr<vif::Runtime> make_runtime() {
  bind_to_usable_cpu(1);
  vif::RuntimeOptions options;
  options.cores = 1;
  options.wait = vif::RuntimeOptions::Wait::sleep;
  auto runtime = std::make_unique<vif::Runtime>(options);
  bind_to_usable_cpu(0);
  return runtime;
}

void measure(vif::Runtime& runtime, Sleeper& sleeper, uint64_t count, double pause_s, Results& results) {
  std::atomic<int64_t> ran_ns{0};
  for (uint64_t turn = 0; turn < 2 * count; ++turn) {
    const bool event = turn % 2 == 0;
    std::atomic<int64_t>& answer = event ? ran_ns : sleeper.woke_ns;
    answer.store(0, std::memory_order_relaxed);
    sleep_seconds(pause_s);
    const uint64_t before_ticks = bench::ticks();
    const int64_t before = now_ns();
    if (event) {
      runtime.post(0, [&ran_ns] { ran_ns.store(now_ns(), std::memory_order_release); });
    } else {
      sleeper.wake();
    }
    const uint64_t spent = bench::ticks() - before_ticks;
    int64_t after = 0;
    while ((after = answer.load(std::memory_order_acquire)) == 0) _mm_pause();
    (event ? results.wake : results.futex).add(static_cast<double>(after - before) * 1e-3);
    (event ? results.ring : results.futex_ring).add(static_cast<double>(spent));
  }
}

void write_point(bench::Document& document, uint64_t pause_us, Results& results) {
  json* json = document.open_point();
  json_integer(json, "pause_us", static_cast<int64_t>(pause_us));
  json_samples(json, "wake_us", results.wake.get());
  json_samples(json, "futex_us", results.futex.get());
  json_number(json, "ratio", results.wake.median() / results.futex.median());
  json_samples(json, "ring_ticks", results.ring.get());
  json_samples(json, "futex_ring_ticks", results.futex_ring.get());
  document.close_point();
}

}  // namespace

int main(int argc, char** argv) {
  const char *pauses = "50,1000", *count = "1000";
  argument table[] = {{"pauses", &pauses, "how long the core sleeps before each post, µs, a list"},
                      {"count", &count, "posts of each kind"}};
  const bool help = argc > 1 && std::strcmp(argv[1], "--help") == 0;
  if (!arguments_read(argc, argv, "Wake-up of a sleeping core beside a bare futex.", table, 2, true))
    return help ? 0 : 2;
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&vif::Runtime::current), &info);
  bench::Document document("events-wake", "Vif", info.dli_fname != nullptr ? info.dli_fname : "", table, 2);
  if (usable_cpus() < 2) return 0;
  uint64_t list[8];
  const std::size_t length = list_of_sizes(pauses, list, 8);
  auto runtime = make_runtime();
  Sleeper sleeper;
  std::thread thread([&] { sleeper.run(); });
  for (std::size_t i = 0; i < length; ++i) {
    Results results;
    measure(*runtime, sleeper, number_of(count), static_cast<double>(list[i]) * 1e-6, results);
    write_point(document, list[i], results);
  }
  sleeper.stop = true;
  sleeper.wake();
  thread.join();
  runtime->stop();
  runtime->run();
  return 0;
}
