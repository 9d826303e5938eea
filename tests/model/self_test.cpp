// Tests of the scheduler itself: how many executions it sees, deadlocks, handlers, time-outs, seeds.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "model/explore.hpp"

namespace vif::model {
namespace {

struct Words {
  ModelAtomic<uint32_t> a{0};
  ModelAtomic<uint32_t> b{0};
};

Limits everything() {
  Limits limits;
  limits.preemptions = -1;
  limits.stale_reads = -1;
  return limits;
}

TEST(Scheduler, EnumeratesExactlyTheInterleavings) {
  // Two threads of three exchanges each: 6! / (3! 3!) = 20 orders.
  std::set<std::string> orders;
  std::string order;
  Result result = explore(
      [&](Program& program) {
        auto words = program.make<Words>("words");
        order.clear();
        for (const char* name : {"x", "y"}) {
          program.thread(name, [&order, words, name] {
            for (int i = 0; i < 3; ++i) {
              words->a.exchange(1);
              order += name;
            }
          });
        }
        program.at_end([&] { orders.insert(order); });
      },
      everything());
  EXPECT_TRUE(result.passed) << result.report;
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.executions, 20u);
  EXPECT_EQ(orders.size(), 20u);
}

TEST(Scheduler, BoundsPreemptions) {
  // With one preemption: who starts (2) x where it is left (not, or after 1 or 2 of its 3 steps).
  Limits limits = everything();
  limits.preemptions = 1;
  Result result = explore(
      [](Program& program) {
        auto words = program.make<Words>("words");
        for (const char* name : {"x", "y"}) {
          program.thread(name, [words] {
            for (int i = 0; i < 3; ++i) words->a.exchange(1);
          });
        }
      },
      limits);
  EXPECT_EQ(result.last_round, 6u);
  EXPECT_EQ(result.executions, 8u);  // and the two without any
}

TEST(Scheduler, PutsTheHandlerAtEveryAccess) {
  // Three accesses: the handler lands before each of them or not at all.
  std::set<std::string> orders;
  std::string order;
  Result result = explore([&](Program& program) {
    auto words = program.make<Words>("words");
    order.clear();
    int thread = program.thread("t", [&order, words] {
      for (int i = 0; i < 3; ++i) {
        words->a.exchange(1);
        order += 't';
      }
    });
    program.handler(
        thread, [&order] { order += 'h'; }, 1);
    program.at_end([&] { orders.insert(order); });
  });
  EXPECT_TRUE(result.passed) << result.report;
  EXPECT_EQ(orders, (std::set<std::string>{"ttt", "httt", "thtt", "ttht"}));
}

TEST(Scheduler, RunsEveryRaisedSignalOnceAndNeverNested) {
  std::set<int> counts;
  Result result = explore([&](Program& program) {
    auto words = program.make<Words>("words");
    auto runs = std::make_shared<int>(0);
    auto inside = std::make_shared<bool>(false);
    int target = program.thread("target", [words] { words->a.store(1); });
    program.handler(
        target,
        [=] {
          require(!*inside, "the handler interrupted itself");
          *inside = true;
          words->b.fetch_add(1);
          words->b.fetch_add(1);
          *inside = false;
          ++*runs;
        },
        0);
    program.thread("raiser", [target] {
      raise(target);
      raise(target);
    });
    program.at_end([&counts, runs] { counts.insert(*runs); });
  });
  EXPECT_TRUE(result.passed) << result.report;
  EXPECT_EQ(counts, std::set<int>{2});
}

// A sleeper and a waker; `announce` says whether the waker changes the word before it wakes.
Body sleeper(bool announce) {
  return [announce](Program& program) {
    auto words = program.make<Words>("words");
    program.thread("sleeper", [words] {
      while (words->b.load(std::memory_order_acquire) == 0) ModelAtoms::wait(words->a, 0, -1);
    });
    program.thread("waker", [words, announce] {
      words->b.store(1, std::memory_order_release);
      if (announce) words->a.store(1, std::memory_order_release);
      ModelAtoms::wake(words->a, 1);
    });
  };
}

TEST(Scheduler, FindsALostWakeUp) {
  Result result = explore(sleeper(false));
  EXPECT_FALSE(result.passed);
  EXPECT_NE(result.report.find("Deadlock"), std::string::npos) << result.report;
  EXPECT_NE(result.report.find("wait, sleeps"), std::string::npos) << result.report;
}

TEST(Scheduler, AcceptsAProperWakeUp) {
  Result result = check(sleeper(true));
  EXPECT_TRUE(result.passed) << result.report;
}

TEST(Scheduler, EndsATimedWaitOnlyWhenTold) {
  Body body = [](Program& program) {
    auto words = program.make<Words>("words");
    program.thread("sleeper", [words] { ModelAtoms::wait(words->a, 0, 1000); });
  };
  EXPECT_FALSE(explore(body).passed);
  Limits limits;
  limits.time_outs = TimeOuts::when_idle;
  EXPECT_TRUE(explore(body, limits).passed);
  limits.time_outs = TimeOuts::any;
  EXPECT_TRUE(explore(body, limits).passed);
}

TEST(Scheduler, RestartsAWaitThatAHandlerInterrupted) {
  // The handler does what the sleeper waits for, and wakes nobody: only looking at the word again saves the sleeper.
  Result result = explore([](Program& program) {
    auto words = program.make<Words>("words");
    int sleeping = program.thread("sleeper", [words] { ModelAtoms::wait(words->a, 0, -1); });
    program.handler(
        sleeping, [words] { words->a.store(1); }, 0);
    program.thread("raiser", [sleeping] { raise(sleeping); });
  });
  EXPECT_TRUE(result.passed) << result.report;
}

TEST(Scheduler, FindsAHandlerThatWaitsForTheThreadItInterrupted) {
  Result result = explore([](Program& program) {
    auto words = program.make<Words>("words");
    auto lock = [words] {
      uint32_t expected = 0;
      while (!words->a.compare_exchange_strong(expected, 1)) {
        ModelAtoms::wait(words->a, 1, -1);
        expected = 0;
      }
    };
    auto unlock = [words] {
      words->a.store(0);
      ModelAtoms::wake(words->a, 1);
    };
    int thread = program.thread("t", [=] {
      lock();
      unlock();
    });
    program.handler(
        thread,
        [=] {
          lock();
          unlock();
        },
        1);
  });
  EXPECT_FALSE(result.passed);
  EXPECT_NE(result.report.find("Deadlock"), std::string::npos) << result.report;
  EXPECT_NE(result.report.find("t (in its handler)"), std::string::npos) << result.report;
}

TEST(Scheduler, FindsALivelock) {
  Limits limits;
  limits.steps = 200;
  Result result = explore(
      [](Program& program) {
        auto words = program.make<Words>("words");
        program.thread("spinner", [words] {
          while (words->a.load() == 0) ModelAtoms::pause();
        });
      },
      limits);
  EXPECT_FALSE(result.passed);
  EXPECT_NE(result.report.find("does not end"), std::string::npos) << result.report;
}

TEST(Scheduler, LetsASpinnerSeeWhatItWaitsFor) {
  Result result = check([](Program& program) {
    auto words = program.make<Words>("words");
    program.thread("spinner", [words] {
      while (words->a.load(std::memory_order_relaxed) == 0) ModelAtoms::pause();
    });
    program.thread("other", [words] { words->a.store(1, std::memory_order_relaxed); });
  });
  EXPECT_TRUE(result.passed) << result.report;
}

TEST(Scheduler, SamplesTheSameExecutionFromTheSameSeed) {
  // A failure that needs a particular order of eight steps.
  Body body = [](Program& program) {
    auto words = program.make<Words>("words");
    for (const char* name : {"x", "y"}) {
      program.thread(name, [words] {
        uint32_t seen = words->a.load();
        words->a.store(seen + 1);
      });
    }
    program.at_end([words] { require(words->a.load() == 2, "an increment was lost"); });
  };
  Result first = sample(body, 1000);
  ASSERT_FALSE(first.passed);
  std::size_t place = first.report.find("VIF_TEST_SEED=");
  ASSERT_NE(place, std::string::npos) << first.report;
  std::string seed = std::to_string(std::strtoull(first.report.c_str() + place + 14, nullptr, 10));
  const char* before = std::getenv("VIF_TEST_SEED");
  std::string kept = before != nullptr ? before : "";
  setenv("VIF_TEST_SEED", seed.c_str(), 1);
  Result again = sample(body, 1);
  if (before != nullptr) {
    setenv("VIF_TEST_SEED", kept.c_str(), 1);
  } else {
    unsetenv("VIF_TEST_SEED");
  }
  EXPECT_FALSE(again.passed);
  EXPECT_NE(again.report.find("an increment was lost"), std::string::npos) << again.report;
}

TEST(Scheduler, SaysWhenAnEnumerationIsCutShort) {
  Limits limits = everything();
  limits.executions = 5;
  Result result = check(
      [](Program& program) {
        auto words = program.make<Words>("words");
        for (const char* name : {"x", "y"})
          program.thread(name, [words] { words->a.fetch_add(1), words->b.fetch_add(1); });
      },
      limits, 10);
  EXPECT_FALSE(result.passed);
  EXPECT_NE(result.report.find("cut short"), std::string::npos) << result.report;
}

}  // namespace
}  // namespace vif::model
