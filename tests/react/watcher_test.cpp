// Watched descriptors: each way of being told, and what takes its place when it cannot be had.
#include "react/watcher.hpp"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <atomic>
#include <csignal>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "bell/interrupt.hpp"
#include "react/child.hpp"

namespace vif::test {
namespace {

using react::Method;
using react::Watcher;

int32_t self() { return static_cast<int32_t>(syscall(SYS_gettid)); }

// Two connected stream sockets; what is written to `there` makes `here` readable.
struct Pair {
  Pair() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0); }
  ~Pair() {
    close(ends[0]);
    close(ends[1]);
  }
  int here() const { return ends[0]; }
  void write_byte() const { EXPECT_EQ(write(ends[1], "x", 1), 1); }
  void drain() const {
    char bytes[64];
    while (read(ends[0], bytes, sizeof bytes) > 0) {
    }
  }
  int ends[2];
};

std::atomic<int> runs{0};

void count_run(void*) noexcept { runs.fetch_add(1); }

// Computes, without a system call, until the duty has run so often. A test that hangs here is ended by its watchdog.
void compute_until(int wanted) {
  while (runs.load() < wanted) __builtin_ia32_pause();
}

// Open, with the signal of a bell whose handler counts as the duty does.
struct Watching {
  explicit Watching(bool with_signal, react::WatcherLimits limits = {}) {
    runs.store(0);
    std::string error;
    if (with_signal) limits.signal = bell::install_handler([](bell::Interrupt) noexcept { count_run(nullptr); }, error);
    opened = watcher.open({count_run, nullptr}, limits, error);
    EXPECT_TRUE(opened) << error;
  }
  ~Watching() {
    watcher.close();
    bell::remove_handler();
  }
  Watcher watcher;
  bool opened;
};

TEST(Watcher, LookFindsWhatIsReadyAndNeverBlocks) {
  Watching w(false);
  const Pair a, b;
  ASSERT_TRUE(w.watcher.add(a.here(), EPOLLIN, 7));
  ASSERT_TRUE(w.watcher.add(b.here(), EPOLLIN, 8));
  Watcher::Ready ready[4];
  EXPECT_EQ(w.watcher.look(ready, 4), 0);
  b.write_byte();
  ASSERT_EQ(w.watcher.look(ready, 4), 1);
  EXPECT_EQ(ready[0].tag, 8u);
  EXPECT_NE(ready[0].events & EPOLLIN, 0u);
  EXPECT_FALSE(w.watcher.helper_is_present()) << "nobody has asked for a helper";
  w.watcher.remove(b.here());
  EXPECT_EQ(w.watcher.look(ready, 4), 0);
  EXPECT_EQ(w.watcher.count(), 1);
}

TEST(Watcher, AHelperRunsTheDutyWhileThisThreadComputes) {
  Watching w(false);
  const Pair pair;
  ASSERT_TRUE(w.watcher.add(pair.here(), EPOLLIN, 1));
  for (int round = 1; round <= 50; ++round) {
    ASSERT_EQ(w.watcher.arm(Method::exported, 0), Method::exported);
    pair.write_byte();
    compute_until(round);
    pair.drain();
  }
  EXPECT_EQ(w.watcher.counters().helpers_started, 1u);
  EXPECT_EQ(runs.load(), 50) << "one run for each time that it was armed";
}

TEST(Watcher, WhatWasReadyBeforeIsToldToo) {
  Watching w(false);
  const Pair pair;
  ASSERT_TRUE(w.watcher.add(pair.here(), EPOLLIN, 1));
  pair.write_byte();
  ASSERT_EQ(w.watcher.arm(Method::exported, 0), Method::exported);
  compute_until(1);
}

TEST(Watcher, ADescriptorAddedWhileTheHelperIsBlockedIsWatched) {
  Watching w(false);
  const Pair first, second;
  ASSERT_TRUE(w.watcher.add(first.here(), EPOLLIN, 1));
  ASSERT_EQ(w.watcher.arm(Method::exported, 0), Method::exported);
  ASSERT_TRUE(w.watcher.add(second.here(), EPOLLIN, 2));
  second.write_byte();
  compute_until(1);
}

TEST(Watcher, ABurstRunsTheDutyOnceUntilItIsArmedAgain) {
  Watching w(false);
  const Pair pair, other;
  ASSERT_TRUE(w.watcher.add(pair.here(), EPOLLIN, 1));
  ASSERT_TRUE(w.watcher.add(other.here(), EPOLLIN, 2));
  ASSERT_EQ(w.watcher.arm(Method::exported, 0), Method::exported);
  for (int i = 0; i < 100; ++i) pair.write_byte();
  compute_until(1);
  for (int i = 0; i < 100; ++i) other.write_byte();
  w.watcher.close();  // after it nothing runs
  EXPECT_EQ(runs.load(), 1);
}

TEST(Watcher, AHelperThatNobodyWantsGoesAndComesBack) {
  Watching w(false, {.idle_ns = 1'000'000});
  const Pair pair;
  ASSERT_TRUE(w.watcher.add(pair.here(), EPOLLIN, 1));
  for (int round = 1; round <= 3; ++round) {
    ASSERT_EQ(w.watcher.arm(Method::exported, 0), Method::exported);
    pair.write_byte();
    compute_until(round);
    pair.drain();
    w.watcher.disarm();
    while (w.watcher.helper_is_present()) __builtin_ia32_pause();
  }
  EXPECT_EQ(w.watcher.counters().helpers_started, 3u);
}

TEST(Watcher, AHelperThatIsArmedStaysBeyondItsPatience) {
  Watching w(false, {.idle_ns = 1'000'000});
  const Pair pair;
  ASSERT_TRUE(w.watcher.add(pair.here(), EPOLLIN, 1));
  ASSERT_EQ(w.watcher.arm(Method::exported, 0), Method::exported);
  for (const int64_t end = base::now_ns() + 20'000'000; base::now_ns() < end;) __builtin_ia32_pause();
  EXPECT_TRUE(w.watcher.helper_is_present());
  pair.write_byte();
  compute_until(1);
}

TEST(Watcher, TheKernelInterruptsThisThread) {
  Watching w(true);
  const Pair pair;
  ASSERT_TRUE(w.watcher.add(pair.here(), EPOLLIN, 1));
  for (int round = 0; round < 20; ++round) {
    ASSERT_EQ(w.watcher.arm(Method::interrupt, self()), Method::interrupt);
    const int before = runs.load();
    pair.write_byte();
    compute_until(before + 1);
    pair.drain();
  }
  EXPECT_FALSE(w.watcher.helper_is_present());
  w.watcher.disarm();
  const int before = runs.load();
  pair.write_byte();
  EXPECT_EQ(runs.load(), before) << "this very thread would have been interrupted in write";
}

TEST(Watcher, ADescriptorAddedWhileSignalsAreArmedInterrupts) {
  Watching w(true);
  ASSERT_EQ(w.watcher.arm(Method::interrupt, self()), Method::interrupt);
  const Pair pair;
  ASSERT_TRUE(w.watcher.add(pair.here(), EPOLLIN, 1));
  pair.write_byte();
  compute_until(1);
}

TEST(Watcher, ItChangesFromInterruptsToTheHelperAndBack) {
  Watching w(true);
  const Pair pair;
  ASSERT_TRUE(w.watcher.add(pair.here(), EPOLLIN, 1));
  for (int round = 0; round < 20; ++round) {
    const Method wish = round % 2 == 0 ? Method::interrupt : Method::exported;
    ASSERT_EQ(w.watcher.arm(wish, self()), wish);
    const int before = runs.load();
    pair.write_byte();
    compute_until(before + 1);
    pair.drain();
  }
}

// --- what cannot be had ---

TEST(WatcherFallBack, ABlockedSignalGivesTheHelper) {
  Watching w(true);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const Pair pair;
  ASSERT_TRUE(w.watcher.add(pair.here(), EPOLLIN, 1));
  EXPECT_EQ(w.watcher.arm(Method::interrupt, self()), Method::exported);
  EXPECT_STREQ(w.watcher.why_not(), "the program blocks the interrupt signal");
  EXPECT_EQ(w.watcher.counters().fell_back, 1u);
  pair.write_byte();
  compute_until(1);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(WatcherFallBack, TooManyDescriptorsForSignalsGiveTheHelper) {
  Watching w(true, {.signalled = 1});
  const Pair a, b;
  ASSERT_TRUE(w.watcher.add(a.here(), EPOLLIN, 1));
  ASSERT_TRUE(w.watcher.add(b.here(), EPOLLIN, 2));
  EXPECT_EQ(w.watcher.arm(Method::interrupt, self()), Method::exported);
  b.write_byte();
  compute_until(1);
  w.watcher.remove(b.here());
  EXPECT_EQ(w.watcher.arm(Method::interrupt, self()), Method::interrupt);
}

TEST(WatcherFallBack, AFullQueueOfSignalsDoesNotEndTheProgram) {
  EXPECT_EQ(in_child([] {
              Watching w(true);
              CHILD_CHECK(w.opened);
              const Pair pair;
              CHILD_CHECK(w.watcher.add(pair.here(), EPOLLIN, 1));
              CHILD_CHECK(w.watcher.arm(Method::interrupt, self()) == Method::interrupt);
              sigset_t all, before;
              sigfillset(&all);
              pthread_sigmask(SIG_SETMASK, &all, &before);
              const rlimit few{2, 2};
              CHILD_CHECK(setrlimit(RLIMIT_SIGPENDING, &few) == 0);
              for (int i = 0; i < 10; ++i) pair.write_byte();
              pthread_sigmask(SIG_SETMASK, &before, nullptr);
              return 0;
            }),
            0);
}

TEST(WatcherFallBack, TheProgramsOwnSigioStays) {
  EXPECT_EQ(in_child([] {
              static volatile sig_atomic_t seen = 0;
              std::signal(SIGIO, [](int) { seen = 1; });
              {
                Watching w(true);
                CHILD_CHECK(w.opened);
              }
              raise(SIGIO);
              CHILD_CHECK(seen == 1);
              std::signal(SIGIO, SIG_DFL);
              {
                Watching w(true);
                raise(SIGIO);
              }
              struct sigaction now;
              CHILD_CHECK(sigaction(SIGIO, nullptr, &now) == 0 && now.sa_handler == SIG_DFL);
              return 0;
            }),
            0);
}

TEST(WatcherFallBack, ARefusedHelperGivesInterruptsOrNothing) {
  EXPECT_EQ(in_child([] {
              Watching with(true);
              const Pair pair;
              CHILD_CHECK(with.watcher.add(pair.here(), EPOLLIN, 1));
              CHILD_CHECK(forbid({SCMP_SYS(clone), SCMP_SYS(clone3)}, EAGAIN));
              CHILD_CHECK(!with.watcher.prepare());
              CHILD_CHECK(with.watcher.arm(Method::exported, self()) == Method::interrupt);
              CHILD_CHECK(std::string(with.watcher.why_not()) == "no helper thread can be had now");
              pair.write_byte();
              compute_until(1);
              with.watcher.disarm();
              Watcher without;
              std::string error;
              CHILD_CHECK(without.open({count_run, nullptr}, {}, error));
              CHILD_CHECK(without.arm(Method::exported, self()) == Method::look);
              CHILD_CHECK(without.counters().helpers_refused > 0);
              return 0;
            }),
            0);
}

TEST(WatcherFallBack, WithoutDescriptorsItSaysSo) {
  EXPECT_EQ(in_child([] {
              const rlimit few{5, 5};
              CHILD_CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0);
              while (dup(0) >= 0) {
              }
              Watcher watcher;
              std::string error;
              CHILD_CHECK(!watcher.open({count_run, nullptr}, {}, error));
              CHILD_CHECK(error.find("ulimit -n") != std::string::npos);
              CHILD_CHECK(!watcher.is_open());
              return 0;
            }),
            0);
}

TEST(WatcherFallBack, AForkedChildLeavesItsParentAlone) {
  Watching w(true);
  const Pair pair;
  ASSERT_TRUE(w.watcher.add(pair.here(), EPOLLIN, 1));
  ASSERT_EQ(w.watcher.arm(Method::exported, self()), Method::exported);
  EXPECT_EQ(in_child([&] {
              w.watcher.close();
              return 0;
            }),
            0);
  pair.write_byte();
  compute_until(1);
}

}  // namespace
}  // namespace vif::test
