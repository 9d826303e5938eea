// Levers of the scheduler, and the thread that nudges it.
#include "react/levers.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>

#include <atomic>
#include <thread>

#include "base/clock.hpp"
#include "react/child.hpp"
#include "react/nudger.hpp"

namespace vif::test {
namespace {

using react::Hand;
using react::Lever;
using react::Nudger;

// The slice that the calling thread asked for, in ns; the system's own otherwise.
uint64_t slice() {
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } now{};
  return syscall(SYS_sched_getattr, 0, &now, sizeof now, 0) == 0 ? now.runtime : 0;
}

TEST(Levers, AShortSliceIsAskedForAndGivenBackAndNotInherited) {
  if (react::probe_lever(Lever::slice) != Lever::slice) GTEST_SKIP() << "this kernel gives no slices";
  const uint64_t before = slice();
  Hand hand;
  EXPECT_TRUE(hand.pull(Lever::slice));
  EXPECT_TRUE(hand.pull(Lever::slice)) << "again: nothing to do";
  EXPECT_EQ(slice(), 100'000u);
  uint64_t of_another = 0;
  std::thread([&] { of_another = slice(); }).join();
  EXPECT_EQ(of_another, before);
  hand.let_go();
  EXPECT_EQ(slice(), before);
  EXPECT_EQ(hand.held(), Lever::none);
}

TEST(Levers, AClassThatTheProgramChoseIsLeftAlone) {
  EXPECT_EQ(in_child([] {
              const sched_param none{};
              CHILD_CHECK(sched_setscheduler(0, SCHED_BATCH, &none) == 0);
              Hand hand;
              CHILD_CHECK(!hand.pull(Lever::slice));
              hand.let_go();
              CHILD_CHECK(sched_getscheduler(0) == SCHED_BATCH);
              return 0;
            }),
            0);
}

TEST(Levers, ARefusalFallsBackToWhatNeedsNothing) {
  EXPECT_EQ(in_child([] {
              CHILD_CHECK(forbid({SCMP_SYS(sched_setattr)}, EPERM));
              CHILD_CHECK(react::probe_lever(Lever::realtime) == Lever::nudge);
              CHILD_CHECK(react::probe_lever(Lever::slice) == Lever::none);
              CHILD_CHECK(react::describe_levers().find("refused") != std::string::npos);
              CHILD_CHECK(sched_getscheduler(0) == SCHED_OTHER);
              return 0;
            }),
            0);
}

std::atomic<int> asked{0};

Nudger::Subject subject() {
  asked.store(0);
  return {[](void*) noexcept {
            asked.fetch_add(1);
            return true;
          },
          nullptr};
}

TEST(Nudger, WorksWhileItIsKeptThenSleepsAndWorksAgain) {
  Nudger nudger(subject());
  EXPECT_FALSE(nudger.is_present());
  for (int round = 1; round <= 3; ++round) {
    const int before = asked.load();
    nudger.keep(base::now_ns(), sched_getcpu());
    while (asked.load() == before) {
      nudger.keep(base::now_ns(), sched_getcpu());
      __builtin_ia32_pause();
    }
    EXPECT_TRUE(nudger.is_present());
    EXPECT_GT(nudger.nudges(), 0u);
    EXPECT_GT(nudger.stuck(), 0u);
  }
  nudger.stop();
  const int last = asked.load();
  nudger.keep(base::now_ns(), 0);
  EXPECT_EQ(asked.load(), last) << "after the end nothing is asked";
}

TEST(Nudger, WithoutAThreadToBeHadNothingHappens) {
  EXPECT_EQ(in_child([] {
              Nudger nudger(subject());
              CHILD_CHECK(forbid({SCMP_SYS(clone), SCMP_SYS(clone3)}, EAGAIN));
              for (int i = 0; i < 100; ++i) nudger.keep(base::now_ns(), 0);
              CHILD_CHECK(!nudger.is_present());
              return 0;
            }),
            0);
}

}  // namespace
}  // namespace vif::test
