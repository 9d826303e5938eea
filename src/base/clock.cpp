// Decides whether the time-stamp counter may be used, and measures its rate. Context: handler.
#include "base/clock.hpp"

#include <cpuid.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

namespace vif::base::clock_detail {

std::atomic<uint32_t> stage{0};
CounterScale scale;

namespace {

constexpr uint32_t unstarted = 0;
constexpr uint32_t starting = 1;
constexpr uint32_t started = 2;
constexpr uint32_t measuring = 3;
constexpr uint32_t unusable = 5;
constexpr int64_t span_ns = 10'000'000;

int64_t monotonic() noexcept {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// The kernel takes "tsc" off this list when it finds that the counters of the CPUs disagree.
bool kernel_trusts_counter() noexcept {
  const int saved = errno;
  char text[256] = {};
  const int fd = open("/sys/devices/system/clocksource/clocksource0/available_clocksource", O_RDONLY | O_CLOEXEC);
  ssize_t got = -1;
  if (fd >= 0) {
    got = read(fd, text, sizeof text - 1);
    close(fd);
  }
  errno = saved;
  return got > 0 && std::strstr(text, "tsc") != nullptr;
}

bool counter_is_invariant() noexcept {
  unsigned eax, ebx, ecx, edx;
  return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1u << 8)) != 0;
}

// Both clocks at one moment: of a few tries the one that was least disturbed between the two readings.
void read_both(uint64_t& counter, int64_t& ns) noexcept {
  uint64_t narrowest = UINT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const uint64_t before = __rdtsc();
    const int64_t now = monotonic();
    const uint64_t after = __rdtsc();
    if (after - before >= narrowest) continue;
    narrowest = after - before;
    counter = before + (after - before) / 2;
    ns = now;
  }
}

bool advance(uint32_t from, uint32_t to) noexcept {
  return stage.compare_exchange_strong(from, to, std::memory_order_acq_rel, std::memory_order_relaxed);
}

}  // namespace

int64_t now_slowly() noexcept {
  const uint32_t seen = stage.load(std::memory_order_acquire);
  uint64_t counter = 0;
  int64_t ns = 0;
  if (seen == unstarted && advance(unstarted, starting)) {
    if (!counter_is_invariant() || !kernel_trusts_counter()) {
      stage.store(unusable, std::memory_order_release);
      return monotonic();
    }
    read_both(counter, ns);
    scale = CounterScale(counter, ns);
    stage.store(started, std::memory_order_release);
    return ns;
  }
  const int64_t now = monotonic();
  if (seen == started && now - scale.origin_ns() >= span_ns && advance(started, measuring)) {
    read_both(counter, ns);
    if (counter <= scale.origin_counter()) {
      stage.store(unusable, std::memory_order_release);
      return now;
    }
    scale.measure(counter, ns);
    stage.store(counter_ready, std::memory_order_release);
  }
  return now;
}

}  // namespace vif::base::clock_detail
