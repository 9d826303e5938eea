// include/vif/libasync.hpp: requirements 3 to 5 of Spec 3, and what Libasync promises of each name.
#include <vif/libasync.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string>
#include <vector>

namespace {

int sum_of(int a, int b, int c) { return a + 10 * b + 100 * c; }

struct Object {
  int base;
  int plus(int a, int b) { return base + a + b; }
};

TEST(Libasync, WrapKeepsTheFirstArgumentsAndTakesTheRest) {
  EXPECT_EQ((*wrap(sum_of, 1, 2, 3))(), 321);
  EXPECT_EQ((*wrap(sum_of, 1))(2, 3), 321);
  EXPECT_EQ((*wrap(sum_of))(1, 2, 3), 321);
  Object object{1000};
  EXPECT_EQ((*wrap(&object, &Object::plus, 10))(5), 1015);
  EXPECT_EQ((*wrap([](const std::string& text) { return text.size(); }, std::string("four")))(), 4U);
  callback<int, int>::ref typed = wrap(sum_of, 1, 2);
  EXPECT_EQ((*typed)(3), 321);
}

// Requirement 3: what has no colour has colour 0.
TEST(Libasync, ColoursAreZeroUnlessGiven) {
  EXPECT_EQ(wrap(sum_of, 1, 2, 3)->colour(), 0U);
  EXPECT_EQ(cwrap(sum_of, 1, 2, 3, 17)->colour(), 17U);
  EXPECT_EQ((*cwrap(sum_of, 1, 2, 3, 17))(), 321);
  Object object{1};
  EXPECT_EQ(cwrap(&object, &Object::plus, 1, 2, 5)->colour(), 5U);
}

std::vector<int> noted;
void note(int number) { noted.push_back(number); }

// Requirement 5: the head and the tail of the queue.
TEST(Libasync, HeadAndTail) {
  noted.clear();
  cpucb_tail(wrap([] {
    cpucb_tail(wrap(note, 1));
    cpucb_tail(wrap(note, 2));
    cpucb(wrap(note, 3));
    cpucb(wrap(note, 4));
  }));
  vif::libasync::runtime().wait_idle();
  EXPECT_EQ(noted, (std::vector<int>{4, 3, 1, 2}));
}

std::atomic<int> runs{0};
void run_once() { ++runs; }
void wait_for_runs(int count) {
  while (runs < count) usleep(100);
}

TEST(Libasync, Descriptors) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  runs = 0;
  fdcb(ends[0], selread, wrap([descriptor = ends[0]] {
         char byte;
         EXPECT_EQ(read(descriptor, &byte, 1), 1);
         ++runs;
       }));
  for (int turn = 1; turn <= 3; ++turn) {
    ASSERT_EQ(write(ends[1], "x", 1), 1);
    wait_for_runs(turn);
  }
  fdcb(ends[0], selread, nullptr);
  vif::libasync::runtime().wait_idle();
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  fdcb(ends[1], selwrite, wrap([descriptor = ends[1]] {
         fdcb(descriptor, selwrite, nullptr);
         ++runs;
       }));
  wait_for_runs(4);
  vif::libasync::runtime().wait_idle();
  EXPECT_EQ(runs, 4);
  close(ends[0]);
  close(ends[1]);
}

TEST(Libasync, Timers) {
  runs = 0;
  timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  timecb(soon, wrap(run_once));
  delaycb(0, 1000, wrap(run_once));
  timecb_t* never = delaycb(3600, wrap(run_once));
  wait_for_runs(2);
  timecb_remove(never);
  timecb_remove(never);  // it is gone: nothing happens
  vif::libasync::runtime().wait_idle();
  EXPECT_EQ(runs, 2);
}

TEST(Libasync, Signals) {
  runs = 0;
  const cbv first = wrap(run_once);
  EXPECT_EQ(sigcb(SIGUSR2, first), nullptr);
  raise(SIGUSR2);
  wait_for_runs(1);
  EXPECT_EQ(sigcb(SIGUSR2, cwrap(run_once, 3)), first);
  raise(SIGUSR2);
  wait_for_runs(2);
  EXPECT_NE(sigcb(SIGUSR2, nullptr), nullptr);
  EXPECT_EQ(runs, 2);
}

}  // namespace
