// Tests of the clock: its arithmetic, and its agreement with CLOCK_MONOTONIC. No test bounds how long anything takes.
#include "base/clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

namespace vif::base {
namespace {

int64_t monotonic() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

TEST(CounterScale, IsALineThroughBothMoments) {
  CounterScale scale(1'000'000, 5'000);
  scale.measure(4'000'000, 1'005'000);  // 3 ticks per nanosecond
  EXPECT_EQ(scale.ns(1'000'000), 5'000);
  EXPECT_NEAR(static_cast<double>(scale.ns(4'000'000)), 1'005'000, 1);
  EXPECT_NEAR(static_cast<double>(scale.ns(2'500'000)), 505'000, 1);
}

TEST(CounterScale, AcceptsACounterALittleBehindItsOrigin) {
  CounterScale scale(1'000'000, 5'000);
  scale.measure(4'000'000, 1'005'000);
  EXPECT_NEAR(static_cast<double>(scale.ns(1'000'000 - 300)), 4'900, 1);
}

TEST(CounterScale, KeepsItsPrecisionForDays) {
  CounterScale scale(0, 0);
  scale.measure(20'000'000, 10'000'000);  // 2 ticks per nanosecond
  const uint64_t week_ticks = 7ull * 24 * 3600 * 2'000'000'000;
  EXPECT_EQ(scale.ns(week_ticks), 7ll * 24 * 3600 * 1'000'000'000);
}

// Between two readings of CLOCK_MONOTONIC the clock says a time between them, up to its allowed error.
TEST(Clock, AgreesWithTheSystemsClock) {
  const int64_t begin = monotonic();
  bool changed = false;
  for (int after_change = 0; after_change < 1000;) {
    const int64_t before = monotonic();
    const int64_t now = now_ns();
    const int64_t after = monotonic();
    // 20 parts per million of what has passed since the origin, and the granularity of the readings.
    const int64_t error = (after - begin) / 50'000 + 2'000;
    ASSERT_GE(now, before - error);
    ASSERT_LE(now, after + error);
    changed = clock_uses_counter();
    if (changed || after - begin > 50'000'000) ++after_change;
  }
  RecordProperty("counter", changed ? "used" : "not usable on this machine");
}

}  // namespace
}  // namespace vif::base
