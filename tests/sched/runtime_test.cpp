// The promises of vif/event.hpp, in every configuration of the scheduler.
#include "vif/event.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace vif {
namespace {

using Wait = RuntimeOptions::Wait;
using Queue = RuntimeOptions::Queue;
using Wake = RuntimeOptions::Wake;

// Requirement 15: one build has them all, the source's (Baseline) among them. Requirement 9: were its lock held while a
// handler runs, handlers that post would hang.
struct Configuration {
  const char* name;
  RuntimeOptions options;
};

RuntimeOptions made(Wait wait, std::uint32_t batch, Queue queue, Wake wake, bool padding) {
  RuntimeOptions options;
  options.cores = 3;  // more than there may be CPUs: cores then also wait for each other's CPU
  options.wait = wait;
  options.batch = batch;
  options.queue = queue;
  options.wake = wake;
  options.padding = padding;
  options.memory = queue == Queue::lock ? RuntimeOptions::Memory::library : RuntimeOptions::Memory::ema;
  return options;
}

RuntimeOptions stealing() {
  RuntimeOptions options;
  options.cores = 3;
  options.steal = true;
  return options;
}

const Configuration configurations[] = {
    {"Default", made(Wait::learnt, 0, Queue::inbox, Wake::futex, true)},
    {"Baseline", made(Wait::sleep, 1, Queue::lock, Wake::pipe, false)},
    {"FixedWaitAndBatch", made(Wait::fixed, 50, Queue::inbox, Wake::pipe, true)},
    {"SleepAtOnce", made(Wait::sleep, 1, Queue::inbox, Wake::futex, false)},
    {"SpinAndLock", made(Wait::spin, 7, Queue::lock, Wake::futex, true)},
    {"Stealing", stealing()},
};

void PrintTo(const Configuration& configuration, std::ostream* out) { *out << configuration.name; }

class EveryConfiguration : public testing::TestWithParam<Configuration> {
 protected:
  RuntimeOptions options() const { return GetParam().options; }
};

INSTANTIATE_TEST_SUITE_P(Sched, EveryConfiguration, testing::ValuesIn(configurations),
                         [](const auto& instance) { return std::string(instance.param.name); });

// Spec 3, requirements 1, 2, 8, 13: exclusion and order within each colour, from outside and between colours; nothing
// lost, nothing twice.
TEST_P(EveryConfiguration, EventsOfAColourRunOneAtATimeAndInOrder) {
  constexpr Colour colours = 40;
  constexpr int posters = 3;
  constexpr int each = 200;
  struct State {
    std::array<int, posters> next{};
    int forwarded = 0;
  };
  std::vector<State> states(colours);  // not atomic: exclusion is what is tested
  std::vector<int> received(colours);
  Runtime runtime(options());
  std::vector<std::thread> threads;
  for (int poster = 0; poster < posters; ++poster) {
    threads.emplace_back([&, poster] {
      for (int i = 0; i < each; ++i) {
        for (Colour colour = 0; colour < colours; ++colour) {
          ASSERT_TRUE(runtime.post(colour, [&, colour, poster, i] {
            State& state = states[colour];
            EXPECT_EQ(state.next[static_cast<std::size_t>(poster)]++, i);
            ++state.forwarded;
            runtime.post((colour + 7) % colours, [&received, to = (colour + 7) % colours] { ++received[to]; });
          }));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  runtime.stop();
  runtime.run();
  for (Colour colour = 0; colour < colours; ++colour) {
    EXPECT_EQ(states[colour].forwarded, posters * each);
    EXPECT_EQ(received[colour], posters * each);
  }
}

// Requirement 5: head and tail.
TEST_P(EveryConfiguration, AnEventPostedToTheFrontRunsBeforeThoseThatWait) {
  Runtime runtime(options());
  std::string order;
  runtime.post(5, [&] {
    runtime.post(5, [&] { order += 'b'; });
    runtime.post(5, [&] { order += 'c'; });
    runtime.post_front(5, [&] { order += 'a'; });
  });
  runtime.stop();
  runtime.run();
  EXPECT_EQ(order, "abc");
}

// Requirement 14: stealing is off unless it is asked for. Requirement 7: the core of a colour is a function of the
// colour; requirement 6: one thread per core.
TEST_P(EveryConfiguration, AColourRunsOnItsCore) {
  RuntimeOptions at_home = options();
  at_home.steal = RuntimeOptions().steal;
  Runtime runtime(at_home);
  std::array<std::atomic<int>, 3> used{};
  std::array<std::atomic<std::thread::id>, 3> threads{};
  for (Colour colour = 0; colour < 300; ++colour) {
    runtime.post(colour, [&, colour] {
      EXPECT_EQ(Runtime::current(), &runtime);
      EXPECT_EQ(Runtime::current_colour(), colour);
      const int core = Runtime::current_core();
      EXPECT_EQ(core, runtime.core_of(colour));
      const auto at = static_cast<std::size_t>(core);
      if (used[at]++ == 0) threads[at] = std::this_thread::get_id();
      EXPECT_EQ(threads[at].load(), std::this_thread::get_id());
    });
  }
  runtime.wait_idle();
  for (auto& count : used) EXPECT_GT(count.load(), 50);
  EXPECT_EQ(Runtime::current(), nullptr);
  EXPECT_EQ(Runtime::current_core(), -1);
}

TEST_P(EveryConfiguration, NewColoursBelongToTheCoresInTurn) {
  Runtime runtime(options());
  for (int i = 0; i < 9; ++i) EXPECT_EQ(runtime.core_of(runtime.new_colour()), i % 3);
}

// Requirements 48, 51 and 52: what is held back in a batch that never fills is handed over all the same.
TEST_P(EveryConfiguration, ASingleEventForAnotherCoreArrives) {
  Runtime runtime(options());
  Strand here(runtime), there(runtime);
  std::atomic<bool> arrived = false;
  here.post([&] { there.post([&] { arrived = true; }); });
  runtime.wait_idle();
  EXPECT_TRUE(arrived);
}

// Order beyond one queue. In each of these tests a handler of the first core waits for the second event, so that what
// the core holds back stays held.
TEST(Order, SharedEventsPostAfterTheExclusiveOnesBeforeThem) {
  RuntimeOptions options;
  options.cores = 2;
  options.batch = 64;
  Runtime runtime(options);
  const Colour first = runtime.new_colour(), other = runtime.new_colour();
  std::vector<int> order;
  std::atomic<bool> done = false;
  const auto read = [&] {
    if (Runtime::current_core() == runtime.core_of(other)) {
      runtime.post(other, [&] { order.push_back(2), done = true; });
    } else {
      while (!done) std::this_thread::yield();
    }
  };
  runtime.post(first, [&] {
    runtime.post(other, [&] { order.push_back(1); });
    for (int i = 0; i < 2; ++i) runtime.post_shared(first, read);
  });
  runtime.wait_idle();
  EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST(Order, WhatOthersPostComesAfterWhatWasFlushed) {
  RuntimeOptions options;
  options.cores = 3;
  options.batch = 2;
  Runtime runtime(options);
  const Colour first = runtime.new_colour(), target = runtime.new_colour(), other = runtime.new_colour();
  std::vector<int> order;
  std::atomic<bool> done = false;
  runtime.post(first, [&] {
    runtime.post(target, [&] { order.push_back(1); });
    Runtime::flush();
    runtime.post(other, [] {});
    runtime.post(other, [&] {  // the batch for that core is full
      runtime.post(target, [&] { order.push_back(2), done = true; });
      Runtime::flush();
    });
    while (!done) std::this_thread::yield();
  });
  runtime.wait_idle();
  EXPECT_EQ(order, (std::vector{1, 2}));
  Runtime::flush();  // no handler: nothing happens
}

TEST_P(EveryConfiguration, WaitIdleSeesEventsThatTravel) {
  Runtime runtime(options());
  std::array<Strand, 3> strands{Strand(runtime), Strand(runtime), Strand(runtime)};
  int hops = 0;
  std::function<void()> hop = [&] {
    if (++hops % 30 != 0) strands[static_cast<std::size_t>(hops) % 3].post(hop);
  };
  for (int round = 1; round <= 5; ++round) {
    strands[0].post(hop);
    runtime.wait_idle();
    EXPECT_EQ(hops, round * 30);
  }
}

TEST_P(EveryConfiguration, CallablesOfEverySizeAreRunAndDestroyedOnce) {
  Runtime runtime(options());
  auto witness = std::make_shared<int>(0);
  std::atomic<int> sum = 0;
  const auto post_with = [&]<std::size_t size>(std::array<char, size> ballast) {
    ballast.fill(1);
    runtime.post(size, [&sum, ballast, witness] { sum += ballast[size / 2]; });
  };
  post_with(std::array<char, 1>{});
  post_with(std::array<char, 60>{});
  post_with(std::array<char, 200>{});
  post_with(std::array<char, 3000>{});
  struct alignas(64) Wide {
    char bytes[64] = {1};
  };
  runtime.post(1, [&sum, wide = Wide{}, witness] {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&wide) % 64, 0U);
    sum += wide.bytes[0];
  });
  runtime.wait_idle();
  EXPECT_EQ(sum, 5);
  EXPECT_EQ(witness.use_count(), 1);
}

TEST_P(EveryConfiguration, StopNowDestroysWhatWaits) {
  auto witness = std::make_shared<int>(0);
  int run = 0;
  {
    Runtime runtime(options());
    runtime.post(3, [&, witness] {
      for (int i = 0; i < 100; ++i) {
        runtime.post(3, [&run, witness] { ++run; });
        runtime.post(static_cast<Colour>(i), [witness] {});
      }
      runtime.stop_now();
    });
    runtime.run();
    EXPECT_FALSE(runtime.post(3, [witness] {}));
  }
  EXPECT_EQ(run, 0);
  EXPECT_EQ(witness.use_count(), 1);
}

TEST_P(EveryConfiguration, AfterStopHandlersMayStillPost) {
  Runtime runtime(options());
  std::atomic<int> run = 0;
  std::function<void()> again = [&] {
    EXPECT_TRUE(run != 0 || runtime.stopping());
    if (++run == 30) return;
    EXPECT_TRUE(runtime.post(static_cast<Colour>(run.load()), again));
  };
  runtime.post(1, [&] {
    runtime.stop();
    runtime.post(1, again);
  });
  runtime.run();
  EXPECT_EQ(run, 30);
  EXPECT_FALSE(runtime.post(1, [] {}));
}

TEST_P(EveryConfiguration, WhatAHandlerThrowsComesOutOfRun) {
  Runtime runtime(options());
  runtime.post(1, [] { throw std::runtime_error("from the handler"); });
  try {
    runtime.run();
    FAIL() << "run() threw nothing";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "from the handler");
  }
}

TEST_P(EveryConfiguration, OnExceptionDecidesInstead) {
  RuntimeOptions with = options();
  std::atomic<Colour> from = 0;
  with.on_exception = [&](const std::exception_ptr& exception, Colour colour) {
    EXPECT_NE(exception, nullptr);
    from = colour;
  };
  Runtime runtime(with);
  runtime.post(9, [] { throw 1; });
  int after = 0;
  runtime.post(9, [&] { ++after; });
  runtime.stop();
  runtime.run();
  EXPECT_EQ(from, 9U);
  EXPECT_EQ(after, 1);
}

// Shared events of a colour that wait together run beside each other: each waits for the other to have begun. Then the
// exclusive one runs, alone, and then shared ones again.
TEST_P(EveryConfiguration, SharedEventsRunTogetherAndExclusiveOnesAlone) {
  const bool together = options().queue != Queue::lock;  // the baseline knows exclusive colours only
  constexpr int rounds = 50;
  Runtime runtime(options());
  std::array<std::atomic<int>, rounds> begun{};
  std::atomic<int> readers = 0;
  int written = 0;
  runtime.post(4, [&] {
    for (int round = 0; round < rounds; ++round) {
      std::atomic<int>& mine = begun[static_cast<std::size_t>(round)];
      for (int i = 0; i < 2; ++i) {
        runtime.post_shared(4, [&, round] {
          EXPECT_EQ(written, round);
          ++readers;
          ++mine;
          while (together && mine < 2) std::this_thread::yield();
          --readers;
        });
      }
      runtime.post(4, [&, round] {
        EXPECT_EQ(readers, 0);
        EXPECT_EQ(mine, 2);
        EXPECT_EQ(written++, round);
      });
    }
  });
  runtime.wait_idle();
  EXPECT_EQ(written, rounds);
}

// A colour of priority 4 has five turns for each turn of one of priority 0, and that one is never forgotten.
TEST(Runtime, PrioritiesAge) {
  RuntimeOptions options;
  options.cores = 1;
  options.turn_ns = 1;  // a turn is one event
  Runtime runtime(options);
  runtime.set_priority(1, 4);
  std::string order;
  runtime.post(0, [&] {
    for (int i = 0; i < 50; ++i) {
      runtime.post(1, [&] { order += 'h'; });
      if (i < 10) runtime.post(2, [&] { order += 'l'; });
    }
  });
  runtime.wait_idle();
  ASSERT_EQ(order.size(), 60U);
  // The first turns of a colour are of two events, until its handlers have been measured.
  std::size_t high = 0;
  for (char letter : order.substr(6, 48)) high += letter == 'h' ? 1 : 0;
  EXPECT_GE(high, 38U);
  EXPECT_LE(high, 42U);
}

// A colour with much to do does not keep others of its core waiting until it is done.
TEST(Runtime, AHotColourLeavesTurnsToColdOnes) {
  RuntimeOptions options;
  options.cores = 1;
  Runtime runtime(options);
  int hot = 0, hot_before_cold = -1;
  runtime.post(0, [&] {
    for (int i = 0; i < 100'000; ++i) runtime.post(1, [&] { ++hot; });
    runtime.post(2, [&] { hot_before_cold = hot; });
  });
  runtime.wait_idle();
  EXPECT_EQ(hot, 100'000);
  EXPECT_LT(hot_before_cold, 1000);
}

// A handler that blocks does not keep the other colours of its core from running, where colours can be stolen.
TEST(Stealing, ColoursBehindAHandlerThatBlocksRunElsewhere) {
  Runtime runtime(stealing());
  std::atomic<int> others = 0;
  const Colour blocked = runtime.new_colour();
  std::atomic<int> blocks = -1;  // the core: even the first event may have been stolen
  runtime.post(blocked, [&] {
    blocks = Runtime::current_core();
    while (others < 20) std::this_thread::yield();
  });
  while (blocks < 0) std::this_thread::yield();
  for (int i = 0; i < 20; ++i) {
    runtime.new_colour();
    runtime.new_colour();
    const Colour colour = runtime.new_colour();
    ASSERT_EQ(runtime.core_of(colour), runtime.core_of(blocked));
    runtime.post(colour, [&] {
      EXPECT_NE(Runtime::current_core(), blocks);
      ++others;
    });
  }
  runtime.wait_idle();
  EXPECT_EQ(others, 20);
}

TEST(Stealing, DoesNotGoWithLockedQueues) {
  RuntimeOptions options = stealing();
  options.queue = Queue::lock;
  EXPECT_THROW(Runtime{options}, std::invalid_argument);
}

TEST(Runtime, RefusesWhatCannotBe) {
  RuntimeOptions options;
  options.cores = -1;
  EXPECT_THROW(Runtime{options}, std::invalid_argument);
  Runtime runtime;
  EXPECT_THROW(runtime.set_priority(1, 21), std::invalid_argument);
}

TEST(Runtime, StrandsDispatchWithinThemselves) {
  Runtime runtime;
  const Strand strand(runtime);
  std::string order;
  strand.post([&] {
    strand.dispatch([&] { order += 'a'; });
    order += 'b';
  });
  EXPECT_FALSE(strand.running_here());
  runtime.wait_idle();
  EXPECT_EQ(order, "ab");
}

}  // namespace
}  // namespace vif
