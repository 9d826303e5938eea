// Context: app.
#include "sched/ticks.hpp"

#include <chrono>

namespace vif::sched {
namespace {

double measure() {
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  const int64_t first = ticks();
  auto now = began;
  while (now - began < std::chrono::milliseconds(1)) now = Clock::now();
  const double rate = static_cast<double>(ticks() - first) /
                      static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(now - began).count());
  return rate > 0.01 ? rate : 1.0;
}

}  // namespace

double ticks_per_ns() {
  static const double rate = measure();
  return rate;
}

}  // namespace vif::sched
