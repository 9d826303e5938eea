// Coroutines on coloured events: order, values, exceptions, and no frame left behind.
#include "vif/coroutine.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

namespace vif {
namespace {

using namespace std::chrono_literals;

RuntimeOptions two_cores(bool steal = false) {
  RuntimeOptions options;
  options.cores = 2;
  options.steal = steal;
  return options;
}

Task<int> add(int left, int right) {
  co_await sleep_for(1us);
  co_return left + right;
}

Task<> sum_to(int last, int* sum) {
  for (int i = 1; i <= last; ++i) *sum = co_await add(*sum, i);
}

TEST(Coroutine, TasksAwaitTasks) {
  Runtime runtime(two_cores());
  int sum = 0;
  start(runtime, 5, [](Runtime& on, int* into) -> Task<> {
    co_await sum_to(20, into);
    on.stop();
  }(runtime, &sum));
  runtime.run();
  EXPECT_EQ(sum, 210);
}

Task<> hop(Runtime& runtime, Colour first, Colour second, int* hops, std::atomic<bool>* wrong) {
  for (int i = 0; i < 1000; ++i) {
    co_await switch_to(runtime, i % 2 == 0 ? first : second);
    if (Runtime::current_colour() != (i % 2 == 0 ? first : second)) *wrong = true;
    if (!Strand(runtime, i % 2 == 0 ? first : second).running_here()) *wrong = true;
    ++*hops;
  }
}

TEST(Coroutine, SwitchesBetweenColours) {
  for (bool steal : {false, true}) {
    Runtime runtime(two_cores(steal));
    const Colour first = runtime.new_colour(), second = runtime.new_colour();
    int hops = 0;
    std::atomic<bool> wrong = false;
    start(runtime, 0, hop(runtime, first, second, &hops, &wrong));
    runtime.wait_idle();
    EXPECT_EQ(hops, 1000);
    EXPECT_FALSE(wrong);
  }
}

// A call that blocks goes to a runtime of its own, and its result comes back into the colour.
TEST(Coroutine, BlockingCallsGoToARuntimeOfTheirOwn) {
  Runtime blocking({.cores = 4, .bind = false, .steal = true});
  Runtime runtime({.cores = 1});
  std::atomic<int> others = 0;
  int done = 0;  // of colour 1
  const auto request = [](Runtime& home, Runtime& away, std::atomic<int>& seen, int& counted) -> Task<> {
    co_await switch_to(away, away.new_colour());
    while (seen < 3) std::this_thread::yield();  // blocks until events have run where it came from
    co_await switch_to(home, 1);
    EXPECT_EQ(Runtime::current(), &home);
    ++counted;
  };
  for (int i = 0; i < 3; ++i) start(runtime, 1, request(runtime, blocking, others, done));
  for (int i = 0; i < 3; ++i) runtime.post(1, [&] { ++others; });
  while (others < 3) std::this_thread::yield();
  blocking.wait_idle();
  runtime.wait_idle();
  EXPECT_EQ(done, 3);
}

// Two coroutines of one colour: between two co_awaits neither is disturbed.
// From two cores, one after the other, while the first one can hand nothing over by itself.
TEST(Coroutine, PostsInOrderWhereverItRuns) {
  RuntimeOptions options = two_cores();
  options.cores = 3;
  options.batch = 2;
  Runtime runtime(options);
  const Colour first = runtime.new_colour(), other = runtime.new_colour(), target = runtime.new_colour();
  std::vector<int> order;
  std::atomic<bool> done = false;
  const auto posts = [&]() -> Task<> {
    runtime.post(first, [&] {
      while (!done) std::this_thread::yield();
    });
    runtime.post(target, [&] { order.push_back(1); });
    runtime.post(other, [] {});  // the coroutine fills the batch for that core
    co_await switch_to(runtime, other);
    runtime.post(target, [&] { order.push_back(2), done = true; });
  };
  start(runtime, first, posts());
  runtime.wait_idle();
  EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST(Coroutine, ThoseOfOneColourTakeTurns) {
  Runtime runtime(two_cores());
  std::string order;
  const auto letters = [](Runtime& on, std::string& to, char letter) -> Task<> {
    for (int i = 0; i < 3; ++i) {
      to += letter;
      to += letter;
      co_await switch_to(on, 7);
    }
  };
  runtime.post(7, [&] {
    start(runtime, 7, letters(runtime, order, 'a'));
    start(runtime, 7, letters(runtime, order, 'b'));
  });
  runtime.wait_idle();
  EXPECT_EQ(order, "aabbaabbaabb");
}

Task<> echo_once(int descriptor, std::string* received) {
  char bytes[16];
  co_await readable(descriptor);
  const ssize_t count = read(descriptor, bytes, sizeof bytes);
  received->assign(bytes, static_cast<std::size_t>(count));
  co_await writable(descriptor);
  EXPECT_EQ(write(descriptor, bytes, static_cast<std::size_t>(count)), count);
}

TEST(Coroutine, WaitsForDescriptors) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  Runtime runtime(two_cores());
  std::string received;
  start(runtime, 3, echo_once(ends[0], &received));
  ASSERT_EQ(write(ends[1], "hello", 5), 5);
  char bytes[16];
  EXPECT_EQ(read(ends[1], bytes, sizeof bytes), 5);
  runtime.wait_idle();
  EXPECT_EQ(received, "hello");
  close(ends[0]);
  close(ends[1]);
}

TEST(Coroutine, ExceptionsGoToWhoAwaitsAndThenToTheRuntime) {
  Runtime runtime(two_cores());
  const auto throws = []() -> Task<int> {
    co_await sleep_for(1us);
    throw std::runtime_error("from within");
  };
  start(runtime, 1, [](auto inner) -> Task<> {
    bool caught = false;
    try {
      co_await inner();
    } catch (const std::runtime_error&) {
      caught = true;
    }
    EXPECT_TRUE(caught);
    co_await inner();
  }(throws));
  EXPECT_THROW(runtime.run(), std::runtime_error);
}

TEST(Coroutine, WhatCannotBeWatchedThrowsInTheCoroutine) {
  Runtime runtime(two_cores());
  std::atomic<bool> caught = false;
  start(runtime, 1, [](std::atomic<bool>& to) -> Task<> {
    try {
      co_await readable(-1);
    } catch (const std::system_error&) {
      to = true;
    }
  }(caught));
  runtime.wait_idle();
  EXPECT_TRUE(caught);
}

// Coroutines that wait when the runtime stops are destroyed, inner and outer ones, each once.
TEST(Coroutine, NoFrameIsLeftBehind) {
  auto witness = std::make_shared<int>(0);
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  for (bool steal : {false, true}) {
    Runtime runtime(two_cores(steal));
    std::atomic<int> waiting = 0;
    const auto inner = [](std::shared_ptr<int>, int descriptor, std::atomic<int>& count) -> Task<> {
      ++count;
      if (descriptor >= 0) {
        co_await readable(descriptor);
      } else {
        co_await sleep_for(1h);
      }
      ADD_FAILURE() << "nothing came";
    };
    const auto outer = [](auto call, std::shared_ptr<int> kept, int descriptor, std::atomic<int>& count) -> Task<> {
      co_await call(kept, descriptor, count);
    };
    for (Colour colour = 0; colour < 10; ++colour) {
      start(runtime, colour, outer(inner, witness, colour % 2 == 0 ? ends[0] : -1, waiting));
    }
    while (waiting < 10) std::this_thread::yield();
    runtime.stop();
    runtime.run();
    EXPECT_FALSE(start(runtime, 1, outer(inner, witness, -1, waiting)));
    EXPECT_EQ(witness.use_count(), 1);
  }
  close(ends[0]);
  close(ends[1]);
}

// After stop() a coroutine that wants to wait is destroyed where it is.
TEST(Coroutine, WaitingAfterStopIsTheEnd) {
  auto witness = std::make_shared<int>(0);
  Runtime runtime(two_cores());
  start(runtime, 1, [](Runtime& on, std::shared_ptr<int>) -> Task<> {
    on.stop();
    co_await sleep_for(1us);
    ADD_FAILURE() << "timers do not fire after stop()";
  }(runtime, witness));
  runtime.run();
  EXPECT_EQ(witness.use_count(), 1);
}

TEST(Coroutine, ATaskThatNobodyAwaitsDoesNotRun) {
  auto witness = std::make_shared<int>(0);
  {
    const auto task = [](std::shared_ptr<int>) -> Task<> {
      ADD_FAILURE() << "it was not awaited";
      co_return;
    }(witness);
    EXPECT_EQ(witness.use_count(), 2);
  }
  EXPECT_EQ(witness.use_count(), 1);
}

}  // namespace
}  // namespace vif
