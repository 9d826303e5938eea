// Tests of machine/placement.hpp: the choice as a table, /proc as text, and a real move.
#include "machine/placement.hpp"

#include <gtest/gtest.h>

#include <sched.h>
#include <unistd.h>

namespace vif::machine {
namespace {

CpuMask mask(std::initializer_list<int> cpus) {
  CpuMask result;
  for (int cpu : cpus) result.set(static_cast<size_t>(cpu));
  return result;
}

TEST(CpuApart, LeavesASharedCpuOnly) {
  EXPECT_EQ(cpu_apart(0, {1}, mask({0, 1})), -1);
  EXPECT_EQ(cpu_apart(0, {0}, mask({0, 1})), 1);
  EXPECT_EQ(cpu_apart(1, {1}, mask({0, 1})), 0);
  EXPECT_EQ(cpu_apart(-1, {-1}, mask({0, 1})), -1);
}

TEST(CpuApart, GoesOnlyWhereNobodyOfTheJobIsAndWhereItMayRun) {
  EXPECT_EQ(cpu_apart(0, {0, 1}, mask({0, 1})), -1);
  EXPECT_EQ(cpu_apart(0, {0, 1}, mask({0, 1, 5})), 5);
  EXPECT_EQ(cpu_apart(2, {2}, mask({2})), -1);
  EXPECT_EQ(cpu_apart(3, {3, -1}, mask({1, 3})), 1);
}

TEST(CpuApart, EvensOutMoreProcessesThanCpus) {
  EXPECT_EQ(cpu_apart(0, {0, 0, 0}, mask({0, 1})), 1);   // four on one of two
  EXPECT_EQ(cpu_apart(0, {0, 0, 1}, mask({0, 1})), 1);   // three and one
  EXPECT_EQ(cpu_apart(0, {0, 1, 1}, mask({0, 1})), -1);  // two and two
  EXPECT_EQ(cpu_apart(0, {0, 1}, mask({0, 1})), -1);     // two and one: no better the other way round
  EXPECT_EQ(cpu_apart(1, {1, 2, 3, 3}, mask({1, 2, 3, 4})), 4);
}

TEST(CpuOf, ReadsTheProcessorWhateverTheNameIs) {
  const std::string stat =
      "42 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 "
      "7 0 0 0\n";
  const auto gives = [](const std::string& text) {
    return [text](const std::string&, std::string& into) {
      into = text;
      return true;
    };
  };
  EXPECT_EQ(cpu_of(42, 42, gives(stat)), 7);
  EXPECT_EQ(cpu_of(42, 42, gives("42 (short) S 1 2")), -1);
  EXPECT_EQ(cpu_of(42, 42, gives("")), -1);
  EXPECT_EQ(cpu_of(42, 42, [](const std::string&, std::string&) { return false; }), -1);
}

TEST(MoveTo, MovesThisThreadAndKeepsItsMask) {
  cpu_set_t before, after;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    EXPECT_EQ(move_to(cpu), CPU_ISSET(cpu, &before) != 0) << cpu;
    if (!CPU_ISSET(cpu, &before)) break;
  }
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
  EXPECT_GE(cpu_of(getpid(), gettid()), 0);
}

TEST(CrowdWatch, LooksAtOnceThenMoreAndMoreRarely) {
  CrowdWatch watch;
  EXPECT_FALSE(watch.yielded(1'000, 200));  // nobody else ran
  EXPECT_TRUE(watch.yielded(2'000, 10'000));
  EXPECT_FALSE(watch.yielded(400'000, 10'000));
  EXPECT_TRUE(watch.yielded(600'000, 10'000));
  EXPECT_FALSE(watch.yielded(1'500'000, 10'000));
  int looks = 0;
  for (int64_t now = 1'600'000; now < 10'000'000'000; now += 100'000) looks += watch.yielded(now, 10'000) ? 1 : 0;
  EXPECT_GE(looks, 20);
  EXPECT_LE(looks, 40);
}

TEST(CrowdWatch, StaysAttentiveWhileLookingHelps) {
  CrowdWatch watch;
  int64_t now = 0;
  for (int look = 0; look < 50; ++look) {
    while (!watch.yielded(now, 10'000)) now += 10'000;
    watch.helped(now);
  }
  const int64_t then = now;
  while (!watch.yielded(now, 10'000)) now += 10'000;
  EXPECT_LE(now - then, 4'100'000);
}

}  // namespace
}  // namespace vif::machine
