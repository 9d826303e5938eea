// The time-stamp counter as a clock for intervals within one core: an instruction, without conversion. Where the
// counter does not count at a constant rate, it only makes what is learnt from it less exact. Context: any.
#pragma once

#include <cstdint>

#include <x86intrin.h>

namespace vif::sched {

inline int64_t ticks() noexcept { return static_cast<int64_t>(__rdtsc()); }

// Once all instructions before it are done; ticks() may be read while they wait for a cache line of another core.
inline int64_t ticks_done() noexcept {
  unsigned cpu;
  return static_cast<int64_t>(__rdtscp(&cpu));
}

// How many ticks a nanosecond has, measured once (a millisecond). Context: app.
double ticks_per_ns();

}  // namespace vif::sched
