// Requirement 46 of Spec 3. CPU time that a runtime with little to do burns: events come one by one, at a steady pace,
// from a thread that is no core. `cpu_percent` is the CPU time of the cores over the time measured, in percent of one
// CPU; `poster_percent` that of the posting thread. `late_us` is from the post to the handler; `rate` in thousands of
// events per second. Context: app.
#include <vif/event.hpp>

#include <dlfcn.h>
#include <sys/prctl.h>

#include <atomic>
#include <cstring>

#include "document.hpp"

namespace {

double thread_cpu_seconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void measure(bench::Document& document, uint64_t period_us, int cores, double seconds) {
  vif::RuntimeOptions options;
  options.cores = cores;
  vif::Runtime runtime(options);
  std::atomic<int64_t> late_ns{0};
  bench::Samples late;
  sleep_seconds(0.02);
  const double cpu = cpu_seconds();
  const double own = thread_cpu_seconds();
  const double began = bench::seconds_now();
  vif::Colour colour = 0;
  timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  do {
    next.tv_nsec += static_cast<long>(period_us) * 1000;
    next.tv_sec += next.tv_nsec / 1'000'000'000;
    next.tv_nsec %= 1'000'000'000;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, nullptr);
    if (const int64_t last = late_ns.load(std::memory_order_acquire); last != 0)
      late.add(static_cast<double>(last) * 1e-3);
    const int64_t posted = now_ns();
    runtime.post(++colour, [&late_ns, posted] { late_ns.store(now_ns() - posted, std::memory_order_release); });
  } while (bench::seconds_now() < began + seconds);
  const auto posted = static_cast<double>(colour);
  const double lasted = bench::seconds_now() - began;
  const double poster = thread_cpu_seconds() - own;
  json* json = document.open_point();
  json_integer(json, "period_us", static_cast<int64_t>(period_us));
  json_integer(json, "cores", cores);
  json_number(json, "rate", posted / lasted * 1e-3);
  json_number(json, "cpu_percent", 100 * (cpu_seconds() - cpu - poster) / lasted);
  json_number(json, "poster_percent", 100 * poster / lasted);
  json_samples(json, "late_us", late.get());
  document.close_point();
  runtime.stop();
  runtime.run();
}

}  // namespace

int main(int argc, char** argv) {
  const char *periods = "20,50,100,200,1000,10000", *seconds = "0.5", *cores = "1,2";
  argument table[] = {{"periods", &periods, "µs from one event to the next, a list"},
                      {"seconds", &seconds, "how long each is measured"},
                      {"cores", &cores, "cores of the runtime, a list"}};
  const bool help = argc > 1 && std::strcmp(argv[1], "--help") == 0;
  if (!arguments_read(argc, argv, "CPU time of a runtime with little to do.", table, 3, true)) return help ? 0 : 2;
  prctl(PR_SET_TIMERSLACK, 1UL);  // the pace is the one asked for, to a few microseconds
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&vif::Runtime::current), &info);
  bench::Document document("events-idle", "Vif", info.dli_fname != nullptr ? info.dli_fname : "", table, 3);
  uint64_t list[8], counts[8];
  const std::size_t length = list_of_sizes(periods, list, 8);
  const std::size_t runs = list_of_sizes(cores, counts, 8);
  for (std::size_t run = 0; run < runs; ++run) {
    for (std::size_t i = 0; i < length; ++i)
      measure(document, list[i], static_cast<int>(counts[run]), seconds_of(seconds));
  }
  return 0;
}
