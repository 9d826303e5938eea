// now_ns(): the time in nanoseconds, for measuring intervals within one process.
//
// It is the processor's time-stamp counter where that counts at a constant rate on all CPUs (an instruction), else
// CLOCK_MONOTONIC (a call of the vDSO). The counter's rate is measured against CLOCK_MONOTONIC by the calls themselves:
// the first call notes both, and the first call ten milliseconds or more later computes the rate. Until then, and
// without such a counter, CLOCK_MONOTONIC answers. Both count from the same origin, so the change is not seen, up to
// some tens of nanoseconds. The rate's error is below 20 parts per million: do not compare with other processes, nor
// measure days.
//
// Context: handler. A handler that interrupts the measuring call gets CLOCK_MONOTONIC's answer.
#pragma once

#include <atomic>
#include <cstdint>

#include <x86intrin.h>

namespace vif::base {

// A line through two moments at which both the counter and the time were read.
class CounterScale {
 public:
  CounterScale() = default;
  CounterScale(uint64_t counter, int64_t ns) noexcept : counter_(counter), ns_(ns) {}

  // Measures the rate from the origin to this moment.
  void measure(uint64_t counter, int64_t ns) noexcept {
    rate_ = (static_cast<unsigned __int128>(ns - ns_) << 32) / (counter - counter_);
  }
  // A counter of another CPU may be a little behind the origin: signed.
  int64_t ns(uint64_t counter) const noexcept {
    const auto ticks = static_cast<__int128>(static_cast<int64_t>(counter - counter_));
    return ns_ + static_cast<int64_t>((ticks * static_cast<__int128>(rate_)) >> 32);
  }
  int64_t origin_ns() const noexcept { return ns_; }
  uint64_t origin_counter() const noexcept { return counter_; }

 private:
  uint64_t counter_ = 0;
  int64_t ns_ = 0;
  unsigned __int128 rate_ = 0;  // nanoseconds per tick, times 2^32
};

namespace clock_detail {
inline constexpr uint32_t counter_ready = 4;
// unstarted 0 -> starting 1 -> started 2 -> measuring 3 -> ready 4; or starting -> unusable 5. Written by whoever wins
// the compare-and-swap of each step; `scale` by the same, before its release store that ends the step.
extern std::atomic<uint32_t> stage;
extern CounterScale scale;
int64_t now_slowly() noexcept;
}  // namespace clock_detail

inline int64_t now_ns() noexcept {
  // Acquire: with the release store of `counter_ready`; without it `scale` might be read half-written.
  if (clock_detail::stage.load(std::memory_order_acquire) == clock_detail::counter_ready) [[likely]] {
    return clock_detail::scale.ns(__rdtsc());
  }
  return clock_detail::now_slowly();
}

// True once now_ns() reads the counter.
inline bool clock_uses_counter() noexcept {
  return clock_detail::stage.load(std::memory_order_acquire) == clock_detail::counter_ready;
}

}  // namespace vif::base
