// The choice of the method as a table; what it is told about the machine.
#include "react/policy.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "react/crowd.hpp"
#include "react/load.hpp"

namespace vif::test {
namespace {

using namespace react;

constexpr int64_t us = 1000;

Prices prices(std::initializer_list<std::pair<Method, Price>> list) {
  Prices made{};
  for (const auto& [method, price] : list) made[static_cast<size_t>(method)] = price;
  return made;
}

const Prices shm = prices({{Method::block, {true, 10 * us, 0}}, {Method::interrupt, {true, 5 * us, 3 * us}}});
const Prices tcp = prices({{Method::exported, {true, 20 * us, 9 * us}}, {Method::interrupt, {true, 13 * us, 5 * us}}});
const Prices ring = prices({{Method::exported, {true, 20 * us, 9 * us}},
                            {Method::interrupt, {true, 13 * us, 5 * us}},
                            {Method::kernel, {true, 12 * us, 0}}});
const Prices helper_alone = prices({{Method::exported, {true, 20 * us, 9 * us}}});

struct Row {
  const char* what;
  Situation given;
  Method method;
  int64_t look_ns;
  bool yields;
  Reason reason;
};

const Row rows[] = {
    // --- it waits ---
    {"alone: look as long as has paid",
     {.learnt_look_ns = 300 * us, .prices = shm},
     Method::interrupt,
     300 * us,
     false,
     Reason::alone},
    {"others compute: no longer than two wake-ups",
     {.crowded = true, .learnt_look_ns = 300 * us, .prices = shm},
     Method::interrupt,
     10 * us,
     false,
     Reason::crowded},
    {"others compute, looking has not paid",
     {.crowded = true, .learnt_look_ns = 1 * us, .prices = shm},
     Method::interrupt,
     1 * us,
     false,
     Reason::crowded},
    {"others compute, nothing measured",
     {.crowded = true, .learnt_look_ns = 300 * us},
     Method::block,
     20 * us,
     false,
     Reason::crowded},
    {"the job is larger than the machine",
     {.job_is_large = true, .learnt_look_ns = 300 * us},
     Method::block,
     300 * us,
     true,
     Reason::large_job},
    {"the same, which is why the CPUs are crowded",
     {.job_is_large = true, .crowded = true, .learnt_look_ns = 9 * us},
     Method::block,
     9 * us,
     true,
     Reason::large_job},
    {"wish: look, though others compute",
     {.wish = Wish::look, .crowded = true},
     Method::look,
     look_forever,
     false,
     Reason::wished},
    {"wish: block", {.wish = Wish::block, .learnt_look_ns = 0}, Method::block, 0, false, Reason::wished},
    {"wish: interrupt looks little",
     {.wish = Wish::interrupt, .learnt_look_ns = 300 * us},
     Method::block,
     50 * us,
     false,
     Reason::wished},
    {"rest in the kernel's ring where that is the fastest",
     {.learnt_look_ns = 5 * us, .prices = ring},
     Method::kernel,
     5 * us,
     false,
     Reason::alone},
    {"rest with a helper where nothing else is",
     {.learnt_look_ns = 5 * us, .prices = helper_alone},
     Method::exported,
     5 * us,
     false,
     Reason::alone},
    // --- it computes ---
    {"the cheapest disturbs",
     {.waits = false, .idle_cpus = 0, .prices = tcp},
     Method::interrupt,
     0,
     false,
     Reason::cheapest},
    {"no interrupt to be had",
     {.waits = false, .idle_cpus = 0, .prices = helper_alone},
     Method::exported,
     0,
     false,
     Reason::cheapest},
    {"a helper on an idle CPU disturbs nobody; late by 2 us more than both costs of the interrupt",
     {.waits = false,
      .idle_cpus = 1,
      .prices = prices({{Method::exported, {true, 15 * us, 9 * us}}, {Method::interrupt, {true, 13 * us, 5 * us}}})},
     Method::exported,
     0,
     false,
     Reason::idle_cpu},
    {"the same, urgent: who is first",
     {.waits = false,
      .idle_cpus = 1,
      .priority = 1,
      .prices = prices({{Method::exported, {true, 15 * us, 9 * us}}, {Method::interrupt, {true, 13 * us, 5 * us}}})},
     Method::interrupt,
     0,
     false,
     Reason::cheapest},
    {"many bytes: the kernel moves them",
     {.waits = false, .bytes = 1 << 20, .prices = ring},
     Method::kernel,
     0,
     false,
     Reason::kernel_does_it},
    {"few bytes: not worth its calls",
     {.waits = false, .idle_cpus = 0, .bytes = 100, .prices = ring},
     Method::interrupt,
     0,
     false,
     Reason::cheapest},
    {"back before an interrupt would come",
     {.waits = false, .expected_ns = 4 * us, .prices = shm},
     Method::look,
     0,
     false,
     Reason::soon_back},
    {"back later",
     {.waits = false, .expected_ns = 400 * us, .prices = shm},
     Method::interrupt,
     0,
     false,
     Reason::cheapest},
    {"nothing to be had", {.waits = false}, Method::look, 0, false, Reason::nothing_else},
    {"wish: look", {.wish = Wish::look, .waits = false, .prices = tcp}, Method::look, 0, false, Reason::wished},
    {"wish: block means no interrupts",
     {.wish = Wish::block, .waits = false, .prices = tcp},
     Method::look,
     0,
     false,
     Reason::wished},
    {"wish: interrupt, though a helper costs less",
     {.wish = Wish::interrupt, .waits = false, .idle_cpus = 2, .bytes = 1 << 20, .prices = ring},
     Method::interrupt,
     0,
     false,
     Reason::wished},
    {"wish: interrupt that cannot be had",
     {.wish = Wish::interrupt, .waits = false, .prices = helper_alone},
     Method::exported,
     0,
     false,
     Reason::cheapest},
};

TEST(Policy, Table) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    const Choice choice = choose(row.given);
    EXPECT_STREQ(name_of(choice.method), name_of(row.method));
    EXPECT_EQ(choice.look_ns, row.look_ns);
    EXPECT_EQ(choice.yields, row.yields);
    EXPECT_STREQ(sentence_of(choice.reason), sentence_of(row.reason));
  }
}

// --- is the machine crowded? ---

Load load(int runnable, int64_t delayed = -1, bool all = true) { return {runnable, 2, all, delayed}; }

TEST(Crowd, MoreRunnableThreadsThanCpus) {
  Crowd crowd;
  EXPECT_TRUE(crowd.due(0));
  crowd.learn(load(2), 0);
  EXPECT_FALSE(crowd.crowded());
  crowd.learn(load(3), 1'000'000);
  EXPECT_TRUE(crowd.crowded());
  crowd.learn(load(1), 4'000'000);
  EXPECT_FALSE(crowd.crowded());
}

TEST(Crowd, TheMachineIsLookedAtMoreRarelyWhileItStaysCrowded) {
  Crowd crowd;
  int64_t now = 0;
  int64_t last_pause = 0;
  for (int i = 0; i < 8; ++i) {
    crowd.learn(load(5), now);
    int64_t next = now;
    while (!crowd.due(next)) next += 100'000;
    EXPECT_GE(next - now, last_pause);
    last_pause = next - now;
    now = next;
  }
  EXPECT_EQ(last_pause, Crowd::longest_pause_ns);
  crowd.learn(load(1), now);
  EXPECT_TRUE(crowd.due(now + Crowd::shortest_pause_ns));
}

TEST(Crowd, WhereOthersCannotBeCountedItsOwnDelayTells) {
  Crowd crowd;
  crowd.learn(load(50, 0, false), 0);  // 50 threads somewhere else
  EXPECT_FALSE(crowd.crowded());
  crowd.learn(load(50, 100'000, false), 2'000'000);  // a little: no
  EXPECT_FALSE(crowd.crowded());
  crowd.learn(load(50, 2'100'000, false), 6'000'000);
  EXPECT_TRUE(crowd.crowded());
  crowd.learn(load(50, 2'100'000, false), 20'000'000);  // believed for a while
  EXPECT_TRUE(crowd.crowded());
  crowd.learn(load(50, 2'100'000, false), 1'000'000'000);
  EXPECT_FALSE(crowd.crowded());
}

TEST(Crowd, NothingKnownIsNotCrowded) {
  Crowd crowd;
  for (int64_t now = 0; now < 10'000'000; now += 1'000'000) crowd.learn({}, now);
  EXPECT_FALSE(crowd.crowded());
}

TEST(Load, ReadsWhatLinuxWritesAndRefusesTheRest) {
  EXPECT_EQ(runnable_in("0.20 0.18 0.12 3/80 11206\n"), 3);
  EXPECT_EQ(delayed_in("70346 1937328 21\n"), 1937328);
  for (const char* text :
       {"", "0.20", "0.20 0.18 0.12", "0.20 0.18 0.12 x/80", "a b c -1/3", "1 2 3 4 5", "0 0 0 99999999999/1"}) {
    EXPECT_EQ(runnable_in(text), -1) << text;
  }
  for (const char* text : {"", "1", "1 ", "1 x 2", "1 -5 2", "1 2"}) EXPECT_EQ(delayed_in(text), -1) << text;
  const Load now = look_at_machine(2, false);
  EXPECT_NE(now.runnable, 0) << "this thread runs";
  EXPECT_EQ(now.cpus, 2);
}

}  // namespace
}  // namespace vif::test
