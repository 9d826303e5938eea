// What surrounds the events: forks, signals of the program, handlers that hold a core, destructors.
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "vif/event.hpp"

namespace vif {
namespace {

RuntimeOptions two_cores() {
  RuntimeOptions options;
  options.cores = 2;
  return options;
}

// The exit status of a child that does `work`.
template <class Work>
int in_child(Work work) {
  const pid_t child = fork();
  if (child == 0) _exit(work() ? 0 : 1);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

#ifndef __SANITIZE_THREAD__  // that sanitizer cannot start threads in the child of a process with threads
TEST(Fork, TheChildHasNoCoresAndMayHaveItsOwn) {
  auto runtime = std::make_unique<Runtime>(two_cores());
  runtime->after(std::chrono::hours(1), 3, [] {});
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  runtime->on_readable(ends[0], 3, [](Watch& watch) { watch.cancel(); });
  runtime->wait_idle();  // a sanitizer's allocator must not be at work in another thread when the process forks
  const int status = in_child([&] {
    if (runtime->post(1, [] {})) return false;
    if (runtime->after(std::chrono::seconds(0), 1, [] {}).active()) return false;
    runtime->run();  // returns at once
    runtime.reset();
    int ran = 0;
    Runtime own(two_cores());
    own.post(1, [&ran] { ++ran; });
    own.stop();
    own.run();
    return ran == 1;
  });
  EXPECT_EQ(status, 0);
  // The parent's goes on.
  std::atomic<bool> ran = false;
  EXPECT_TRUE(runtime->post(1, [&] { ran = true; }));
  runtime->wait_idle();
  EXPECT_TRUE(ran);
  runtime.reset();
  close(ends[0]);
  close(ends[1]);
}
#endif

TEST(Fork, AHandlerMayFork) {
  Runtime runtime(two_cores());
  std::atomic<int> status = -1;
  runtime.post(1, [&] { status = in_child([&] { return !runtime.post(1, [] {}) && Runtime::current() == nullptr; }); });
  runtime.wait_idle();
  EXPECT_EQ(status, 0);
}

std::atomic<int> signals_here{0};
std::atomic<bool> on_a_core{false};

// Requirement 10: handlers run to their end. Those of events are not interrupted by the program's signals: another
// thread takes them.
TEST(Signals, AreNotTakenByCores) {
  struct sigaction action {};
  action.sa_handler = [](int) {
    if (Runtime::current() != nullptr) on_a_core = true;
    ++signals_here;
  };
  ASSERT_EQ(sigaction(SIGUSR2, &action, nullptr), 0);
  Runtime runtime(two_cores());
  std::atomic<bool> end = false;
  for (Colour colour : {runtime.new_colour(), runtime.new_colour()}) {
    runtime.post(colour, [&] {
      while (!end) std::this_thread::yield();
    });
  }
  for (int i = 1; i <= 100; ++i) {
    kill(getpid(), SIGUSR2);
    while (signals_here < i) std::this_thread::yield();
  }
  end = true;
  EXPECT_FALSE(on_a_core);
  std::signal(SIGUSR2, SIG_DFL);
}

__attribute__((noinline)) void hold_the_core(std::atomic<bool>& told) {
  while (!told) asm volatile("pause");
}

TEST(Stall, AHandlerThatHoldsItsCoreIsNamedWithItsStack) {
  RuntimeOptions options = two_cores();
  options.stall_limit = std::chrono::milliseconds(5);
  std::atomic<bool> told = false;
  std::mutex lock;
  std::vector<StallReport> reports;
  options.on_stall = [&](const StallReport& report) {
    const std::lock_guard guard(lock);
    if (report.colour != 42) return;
    reports.push_back(report);
    told = true;
  };
  Runtime runtime(options);
  runtime.post(42, [&] { hold_the_core(told); });
  runtime.stop();
  runtime.run();
  const std::lock_guard guard(lock);
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].core, runtime.core_of(42));
  EXPECT_GE(reports[0].lasts, options.stall_limit);
  EXPECT_NE(reports[0].text.find("of colour 42"), std::string::npos) << reports[0].text;
  EXPECT_NE(reports[0].text.find("sched_life"), std::string::npos) << reports[0].text;
  // The handler, the call into it, and the loop of the core at least.
  EXPECT_GE(reports[0].stack.size(), 3U) << reports[0].text;
}

TEST(Stall, OneThatSleepsIsNamedToo) {
  RuntimeOptions options = two_cores();
  options.stall_limit = std::chrono::milliseconds(5);
  std::atomic<bool> told = false;
  options.on_stall = [&](const StallReport&) { told = true; };
  Runtime runtime(options);
  runtime.post(1, [&] {
    while (!told) usleep(20'000);  // cut short by the signal that asks for the stack
  });
  runtime.wait_idle();
  EXPECT_TRUE(told);
}

TEST(Runtime, HandlersThatDestroyWhatPosts) {
  struct Poster {
    Runtime* runtime;
    ~Poster() {
      runtime->post(1, [] {});
    }
  };
  Runtime runtime(two_cores());
  runtime.post(1, [&] {
    for (Colour colour = 0; colour < 50; ++colour) {
      runtime.post(colour, [poster = std::make_shared<Poster>(Poster{&runtime})] {});
    }
    runtime.stop_now();
  });
  runtime.run();
}

// What a watch holds is destroyed when the runtime stops, by a core that has nothing else to do.
TEST(Runtime, WhatTheEndDestroysMayPost) {
  struct Poster {
    Runtime* runtime;
    std::atomic<int>* ran;
    void operator()(void*) const {
      for (Colour colour = 0; colour < 20; ++colour) {
        EXPECT_TRUE(runtime->post(colour, [ran = ran] { ++*ran; }));
      }
    }
  };
  for (const bool at_once : {false, true}) {
    std::atomic<int> ran = 0;
    Runtime runtime(two_cores());
    runtime.after(std::chrono::hours(1), 3, [poster = std::shared_ptr<void>(&ran, Poster{&runtime, &ran})] {});
    if (!at_once) runtime.wait_idle();
    runtime.stop();
    runtime.run();
    EXPECT_EQ(ran, 20);
  }
}

TEST(Runtime, WaitingForItselfIsRefused) {
  for (const bool whole : {false, true}) {
    Runtime runtime(two_cores());
    runtime.post(1, [&] { whole ? runtime.run() : runtime.wait_idle(); });
    EXPECT_THROW(runtime.run(), std::logic_error);
  }
}

TEST(Runtime, WatchesMayOutliveIt) {
  std::vector<Watch> watches;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  for (const bool graceful : {true, false}) {
    Runtime runtime(two_cores());
    for (Colour colour = 0; colour < 4; ++colour) {
      watches.push_back(runtime.every(std::chrono::hours(1), colour, [] {}));
      watches.push_back(runtime.after(std::chrono::nanoseconds(0), colour, [] {}));
      watches.push_back(runtime.every(std::chrono::microseconds(10), colour, [] {}));
      watches.push_back(runtime.on_readable(ends[0], colour, [] {}));
      watches.push_back(runtime.on_signal(SIGUSR2, colour, [] {}));
    }
    graceful ? runtime.stop() : runtime.stop_now();
  }
  for (Watch& watch : watches) {
    EXPECT_FALSE(watch.active());
    EXPECT_EQ(watch.cancel(), Watch::Cancelled::too_late);
  }
  close(ends[0]);
  close(ends[1]);
}

TEST(Runtime, ADelayThatNoClockHoldsNeverEnds) {
  Runtime runtime(two_cores());
  std::vector<Watch> watches;
  const auto fired = [] { ADD_FAILURE(); };
  watches.push_back(runtime.after(std::chrono::nanoseconds::max(), 1, fired));
  watches.push_back(runtime.every(std::chrono::nanoseconds::max(), 2, fired));
  watches.push_back(runtime.at(std::chrono::steady_clock::time_point::max(), 3, fired));
  for (int i = 0; i < 3; ++i) runtime.wait_idle();
  for (Watch& watch : watches) EXPECT_EQ(watch.cancel(), Watch::Cancelled::prevented);
}

TEST(Runtime, ManyLiveAndDie) {
  for (int i = 0; i < 50; ++i) {
    Runtime first(two_cores()), second(two_cores());
    std::atomic<int> ran = 0;
    for (Colour colour = 0; colour < 10; ++colour) {
      first.post(colour, [&, colour] { second.post(colour, [&] { ++ran; }); });
    }
    first.wait_idle();
    second.wait_idle();
    EXPECT_EQ(ran, 10);
  }
}

}  // namespace
}  // namespace vif
