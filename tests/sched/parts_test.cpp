// The parts of the scheduler that are plain data and arithmetic.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "sched/batch.hpp"
#include "sched/colour_table.hpp"
#include "sched/core.hpp"
#include "sched/ready.hpp"
#include "sched/scheduler.hpp"
#include "sched/theft.hpp"
#include "sched/timers.hpp"
#include "sched/victims.hpp"
#include "sched/waiting.hpp"

namespace {

bool no_memory = false;

}  // namespace

// Not inlined: the compiler would see new and free() side by side, and object.
__attribute__((noinline)) void* operator new(std::size_t bytes) {
  void* room = no_memory ? nullptr : std::malloc(bytes);
  if (room == nullptr) throw std::bad_alloc();
  return room;
}
__attribute__((noinline)) void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return no_memory ? nullptr : std::malloc(bytes);
}
__attribute__((noinline)) void operator delete(void* room) noexcept { std::free(room); }
__attribute__((noinline)) void operator delete(void* room, std::size_t) noexcept { std::free(room); }

namespace vif::sched {
namespace {

// Turns of two colours that are always ready, in `turns` turns.
std::pair<int, int> turns_of(uint8_t high, uint8_t low, int turns) {
  Colour first(1), second(2);
  first.base_priority = first.current_priority = high;
  second.base_priority = second.current_priority = low;
  ReadyList list;
  list.push(first);
  list.push(second);
  int of_first = 0;
  for (int turn = 0; turn < turns; ++turn) {
    Colour* colour = list.take();
    of_first += colour == &first ? 1 : 0;
    list.push(*colour);
  }
  return {of_first, turns - of_first};
}

TEST(ReadyList, EqualPrioritiesTakeTurnsAndHigherOnesHaveMore) {
  EXPECT_EQ(turns_of(0, 0, 2200), (std::pair{1100, 1100}));
  EXPECT_EQ(turns_of(20, 0, 2200), (std::pair{2100, 100}));
  EXPECT_EQ(turns_of(5, 0, 700), (std::pair{600, 100}));
}

TEST(ColourTable, KeepsWhatMattersAndForgetsIdleColours) {
  ColourTable table;
  table.find(7).base_priority = 3;
  table.find(8).state = Colour::State::ready;
  Colour* kept = &table.find(8);
  for (ColourId id = 100; id < 100'000; ++id) EXPECT_EQ(table.find(id).id, id);
  EXPECT_EQ(table.find(7).base_priority, 3);
  EXPECT_EQ(&table.find(8), kept);
  EXPECT_LT(table.size(), 1000U);  // idle ones do not pile up
  // Colours in use make it grow.
  for (ColourId id = 0; id < 5000; ++id) table.find(id).state = Colour::State::ready;
  std::set<ColourId> seen;
  table.each(
      [&](Colour& colour) { EXPECT_TRUE(colour.state != Colour::State::ready || seen.insert(colour.id).second); });
  EXPECT_EQ(seen.size(), 5000U);
}

TEST(ColourTable, WithoutMemoryColoursShareAQueue) {
  ColourTable table;
  Colour* known = &table.find(1);
  known->state = Colour::State::ready;
  no_memory = true;
  Colour* shared = &table.find(2);
  EXPECT_EQ(&table.find(3), shared);
  EXPECT_EQ(&table.find(1), known);
  no_memory = false;
  // Whoever has events there stays there until all have run, so that none overtakes another.
  shared->state = Colour::State::ready;
  EXPECT_EQ(&table.find(2), shared);
  EXPECT_EQ(&table.find(4), shared);
  EXPECT_EQ(&table.find(shared->id), shared);
  shared->state = Colour::State::idle;
  EXPECT_NE(&table.find(2), shared);
  EXPECT_EQ(table.find(4).id, 4U);
}

TEST(Timers, ComeOutByTimeWhateverIsTakenAway) {
  std::mt19937 random(7);
  Timers timers;
  std::vector<std::unique_ptr<Watch>> watches;
  std::set<std::pair<int64_t, uint64_t>> expected;
  for (int i = 0; i < 2000; ++i) {
    watches.push_back(std::make_unique<Watch>());
    watches.back()->at_ns = static_cast<int64_t>(random() % 300);
    timers.add(*watches.back());
    expected.insert({watches.back()->at_ns, watches.back()->turn});
    if (i % 3 == 0) {
      Watch* gone = watches[random() % watches.size()].get();
      if (expected.erase({gone->at_ns, gone->turn}) != 0) timers.remove(*gone);
    }
  }
  for (const auto& [at, turn] : expected) {
    ASSERT_NE(timers.first(), nullptr);
    EXPECT_EQ(timers.first()->at_ns, at);
    EXPECT_EQ(timers.first()->turn, turn);
    timers.remove(*timers.first());
  }
  EXPECT_TRUE(timers.empty());
}

// Requirements 39 to 44: the source's rule.
TEST(Waiting, TheFixedRuleLooksOnlyAfterAShortSleep) {
  Waiting waiting(WaitRule::fixed, 20'000, 0);
  EXPECT_EQ(waiting.budget(), 0);  // the first idle period: sleep at once
  waiting.slept(0, 150'000, 150'000);
  EXPECT_EQ(waiting.budget(), 200'000);  // ten times the latency, which is also the most it looks
  waiting.slept(0, 1'100'000, 900'000);
  EXPECT_EQ(waiting.budget(), 0);
  Waiting given(WaitRule::fixed, 20'000, 5'000);
  given.slept(0, 4'000, 4'000);
  EXPECT_EQ(given.budget(), 5'000);
}

// What the learnt rule comes to after many waits that end `gap` after the core has worked for `worked`.
int64_t learnt(int64_t latency, int64_t worked, int64_t gap) {
  Waiting waiting(WaitRule::learnt, latency, 0);
  EXPECT_EQ(waiting.budget(), 0);  // the first idle period: sleep at once
  for (int i = 0; i < 20; ++i) {
    if (waiting.budget() >= gap) {
      waiting.came(worked, gap);
    } else {
      waiting.slept(worked, gap, gap + latency - waiting.budget());
    }
  }
  return waiting.budget();
}

// Requirement 46: asleep at low load.
TEST(Waiting, TheLearntRuleLooksForWhatComesSoonerThanAWakeUp) {
  const int64_t latency = 20'000;
  for (const int64_t gap : {1, 1'000, 19'000}) EXPECT_GE(learnt(latency, 100, gap), latency) << gap;
  // Low load: a core that does next to nothing sleeps at once, and does so for every gap from a wake-up on.
  for (const int64_t gap : {21'000, 50'000, 100'000, 200'000, 1'000'000, 50'000'000}) {
    EXPECT_EQ(learnt(latency, 100, gap), 0) << gap;
  }
}

// Within 3 % of never sleeping, whatever the handlers take: a core that is busy for a third of the time or more sleeps
// only where a wake-up is less than that of a wait and its work.
// Requirement 45: within 3 % of never sleeping, whatever the handlers take.
TEST(Waiting, TheLearntRuleLooksLongerWhereThereIsMuchToDo) {
  const int64_t latency = 20'000;
  for (int64_t gap = 1'000; gap < 100'000'000; gap = gap * 5 / 4) {
    for (const int64_t worked : {gap / 2 + 1, gap, 10 * gap}) {
      const bool waits_awake = learnt(latency, worked, gap) >= gap;
      EXPECT_TRUE(waits_awake || latency * 100 <= 3 * (gap + worked)) << gap << ' ' << worked;
    }
    const int64_t little = gap / 10;
    EXPECT_EQ(learnt(latency, little, gap) >= gap, little * 2 / 24 + gap - little * 2 < latency) << gap;
  }
}

TEST(Waiting, TheLearntRuleFollowsAChangeOfLoad) {
  Waiting waiting(WaitRule::learnt, 20'000, 0);
  for (int i = 0; i < 20; ++i) waiting.came(100, 500);
  EXPECT_GE(waiting.budget(), 500);
  for (int i = 0; i < 8; ++i) waiting.slept(100, 2'000'000, 2'000'000);
  EXPECT_EQ(waiting.budget(), 0);
  for (int i = 0; i < 8; ++i) waiting.slept(100, 500, 20'000);
  EXPECT_GE(waiting.budget(), 500);
  // One wait in four is long: the others are still caught, and the long one is given up soon.
  for (int i = 0; i < 40; ++i) {
    if (i % 4 == 0) {
      waiting.slept(100, 5'000'000, 5'000'000);
    } else {
      waiting.came(100, 500);
    }
  }
  EXPECT_GE(waiting.budget(), 500);
  EXPECT_LE(waiting.budget(), 20'000);
}

TEST(Waiting, WhoTakesTheCpuFromOthersLooksLessForAWhile) {
  Waiting waiting(WaitRule::learnt, 20'000, 0);
  for (int i = 0; i < 20; ++i) waiting.came(100, 15'000);
  waiting.contested();
  EXPECT_LE(waiting.budget(), 20'000 / 16);
  for (int i = 0; i < 20; ++i) waiting.slept(100, 15'000, 20'000);
  EXPECT_GE(waiting.budget(), 15'000);
  EXPECT_EQ(Waiting(WaitRule::sleep, 1, 0).budget(), 0);
  EXPECT_EQ(Waiting(WaitRule::spin, 1, 0).budget(), Waiting::for_ever);
}

TEST(Waiting, TheLatencyIsLearnt) {
  Waiting waiting(WaitRule::fixed, 20'000, 0);
  for (int i = 0; i < 100; ++i) waiting.woke(40'000);
  EXPECT_NEAR(static_cast<double>(waiting.latency()), 40'000, 200);
}

TEST(BatchLimit, HoldsEventsBackForAsLongAsAHandOverCosts) {
  BatchLimit quick(0);
  for (int i = 0; i < 200; ++i) quick.full(quick.limit(), quick.limit() * 30, 600);
  EXPECT_EQ(quick.limit(), BatchLimit::most);
  BatchLimit middle(0);
  for (int i = 0; i < 200; ++i) middle.full(middle.limit(), middle.limit() * 300, 600);
  EXPECT_NEAR(static_cast<double>(middle.limit()), 12, 4);
  EXPECT_TRUE(middle.burst_over(4));
  EXPECT_FALSE(middle.burst_over(1));
  BatchLimit slow(0);
  for (int i = 0; i < 200; ++i) slow.full(slow.limit(), slow.limit() * 5'000, 600);
  EXPECT_EQ(slow.limit(), 1U);
  // It comes back from there.
  for (int i = 0; i < 200; ++i) slow.full(1, 30, 600);
  EXPECT_EQ(slow.limit(), BatchLimit::most);
  // Requirements 50 and 52: given by the application; held for 110 % of the median between two full ones.
  BatchLimit given(50);
  for (int i = 0; i < 200; ++i) given.full(50, 5'000, 600);
  EXPECT_EQ(given.limit(), 50U);
  EXPECT_FALSE(given.burst_over(49));
  EXPECT_NEAR(static_cast<double>(given.patience()), 5'500, 1'000);
}

TEST(BatchLimit, PausesAndWakeUpsAreNotTheUsual) {
  BatchLimit bursts(0);
  // One interval in four is the pause between two bursts, and one hand-over in four wakes the other core.
  for (int i = 0; i < 1'000; ++i) bursts.full(1, i % 4 == 0 ? 1'000'000 : 50, i % 4 == 1 ? 40'000 : 500);
  EXPECT_GE(bursts.limit(), 20U);
}

TEST(BatchLimit, SmallBurstsAreKeptWhereMoreComes) {
  BatchLimit limit(0);
  for (int i = 0; i < 200; ++i) limit.full(limit.limit(), limit.limit() * 30, 600);
  EXPECT_FALSE(limit.burst_over(4));
  limit.kept_for_nothing(4);
  int handed_over = 0;
  for (int i = 0; i < 160; ++i) handed_over += limit.burst_over(4) ? 1 : 0;
  EXPECT_EQ(handed_over, 150);  // the rest is tried again
  EXPECT_FALSE(limit.burst_over(3));
  limit.kept_with_gain();
  EXPECT_FALSE(limit.burst_over(4));
}

TEST(Theft, PaysWhenMoreWaitsThanItCosts) {
  Theft theft(1'000);
  EXPECT_FALSE(theft.pays(0, 1'000'000, 0));
  EXPECT_FALSE(theft.pays(30, 100, 0));
  EXPECT_TRUE(theft.pays(30, 200, 0));
  EXPECT_FALSE(theft.pays(1'000, 100, 0));     // a theft brings 16 of them
  EXPECT_TRUE(theft.pays(1, 100, 1'000'000));  // the handler that runs now is a long one
  for (int i = 0; i < 100; ++i) theft.took(5'000);
  EXPECT_FALSE(theft.pays(30, 200, 0));
}

TEST(Victims, CoresThatShareACacheComeFirst) {
  const std::map<std::string, std::string> files = {
      {"/sys/devices/system/cpu/cpu4/cache/index0/level", "1\n"},
      {"/sys/devices/system/cpu/cpu4/cache/index0/shared_cpu_list", "4\n"},
      {"/sys/devices/system/cpu/cpu4/cache/index1/level", "2\n"},
      {"/sys/devices/system/cpu/cpu4/cache/index1/shared_cpu_list", "4,6\n"},
      {"/sys/devices/system/cpu/cpu4/cache/index2/level", "3\n"},
      {"/sys/devices/system/cpu/cpu4/cache/index2/shared_cpu_list", "4-7\n"}};
  const auto read = [&](const std::string& path, std::string& text) {
    const auto found = files.find(path);
    if (found == files.end()) return false;
    text = found->second;
    return true;
  };
  // Cores on CPUs 4, 1, 5, 6: core 0 shares the second level with core 3 and the third with core 2.
  EXPECT_EQ(victims({4, 1, 5, 6}, 0, read), (std::vector<int>{3, 2, 1}));
  EXPECT_EQ(victims({-1, -1, -1}, 1, read), (std::vector<int>{2, 0}));
}

// Requirement 17: lines of their own for each core, the last one filled (O1); without, they follow each other.
TEST(Layout, CoresBeginOnLinesOfTheirOwn) {
  for (const bool padding : {true, false}) {
    Settings settings;
    settings.cores = 3;
    settings.padding = padding;
    const Scheduler scheduler(settings);
    const auto at = [&](std::size_t core) { return reinterpret_cast<uintptr_t>(&scheduler.core(core)); };
    EXPECT_GE(at(1) - at(0), sizeof(Core));
    if (padding) {
      for (std::size_t core = 0; core < 3; ++core) EXPECT_EQ(at(core) % 128, 0U);
    } else {
      EXPECT_EQ(at(1) - at(0), sizeof(Core));
    }
  }
}

// Requirements 18 and 19: what others write of a core is one line, so eight cores have eight lines.
TEST(Layout, WhatOthersWriteOfACoreIsOneLine) { EXPECT_LE(sizeof(CoreLine), 64U); }

}  // namespace
}  // namespace vif::sched
