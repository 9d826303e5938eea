// Timers, descriptors and signals as events, and their cancellation.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vif/event.hpp"

namespace vif {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

RuntimeOptions with_cores(int cores) {
  RuntimeOptions options;
  options.cores = cores;
  return options;
}

RuntimeOptions baseline() {
  RuntimeOptions options = with_cores(2);
  options.padding = false;
  options.wait = RuntimeOptions::Wait::sleep;
  options.batch = 1;
  options.queue = RuntimeOptions::Queue::lock;
  options.wake = RuntimeOptions::Wake::pipe;
  return options;
}

enum class How : std::uint8_t { normal, baseline, io_uring };

RuntimeOptions options_of(How how) {
  RuntimeOptions options = how == How::baseline ? baseline() : with_cores(2);
  if (how == How::io_uring) options.poll = RuntimeOptions::Poll::io_uring;
  return options;
}

class InBothQueues : public testing::TestWithParam<How> {
 protected:
  void SetUp() override {
    if (refusal.empty()) return;
    EXPECT_NE(refusal.find("choose epoll"), std::string::npos) << refusal;
    GTEST_SKIP() << refusal;
  }
  std::string refusal;  // of io_uring, where the system does not offer it
  std::unique_ptr<Runtime> made = make();
  Runtime& runtime = *made;

 private:
  std::unique_ptr<Runtime> make() {
    try {
      return std::make_unique<Runtime>(options_of(GetParam()));
    } catch (const std::invalid_argument& refused) {
      refusal = refused.what();
      return std::make_unique<Runtime>(options_of(How::normal));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Sched, InBothQueues, testing::Values(How::normal, How::baseline, How::io_uring),
                         [](const auto& instance) {
                           return instance.param == How::normal     ? "Default"
                                  : instance.param == How::baseline ? "Baseline"
                                                                    : "IoUring";
                         });

// A pipe or a pair of sockets.
struct Ends {
  Ends() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0); }
  ~Ends() {
    for (int end : ends) close(end);
  }
  void write(char byte) const { EXPECT_EQ(::write(ends[1], &byte, 1), 1); }
  char read() const {
    char byte = 0;
    EXPECT_EQ(::read(ends[0], &byte, 1), 1);
    return byte;
  }
  std::array<int, 2> ends{-1, -1};
};

TEST_P(InBothQueues, TimersFireInTheOrderOfTheirTimesAndNeverEarly) {
  std::string order;
  const auto begin = Clock::now();
  const auto note = [&](char letter, Clock::duration after) {
    runtime.at(begin + after, 7, [&, letter, after] {
      EXPECT_GE(Clock::now(), begin + after);
      order += letter;
      if (order.size() == 4) runtime.stop();
    });
  };
  runtime.post(7, [&] {  // none fires before all are there
    note('d', 4ms);
    note('b', 2ms);
    note('c', 2ms);
    note('a', -1s);
  });
  runtime.run();
  EXPECT_EQ(order, "abcd");
}

TEST_P(InBothQueues, ATimerRepeatsUntilItIsCancelled) {
  int runs = 0;
  auto witness = std::make_shared<int>(0);
  runtime.every(100us, 7, [&, witness](Watch& watch) {
    EXPECT_TRUE(watch.active());
    if (++runs < 5) return;
    EXPECT_EQ(watch.cancel(), Watch::Cancelled::under_way);
    EXPECT_EQ(watch.cancel(), Watch::Cancelled::too_late);
    runtime.after(2ms, 7, [&] { runtime.stop(); });
  });
  runtime.run();
  EXPECT_EQ(runs, 5);
  EXPECT_EQ(witness.use_count(), 1);
}

TEST_P(InBothQueues, ACancelledTimerDoesNotRunAndItsFunctionIsDestroyed) {
  auto witness = std::make_shared<int>(0);
  std::vector<Watch> watches;
  for (Colour colour = 0; colour < 50; ++colour) {
    watches.push_back(runtime.after(1h, colour, [witness] { FAIL() << "it was cancelled"; }));
  }
  for (Watch& watch : watches) EXPECT_EQ(watch.cancel(), Watch::Cancelled::prevented);
  runtime.wait_idle();
  EXPECT_EQ(witness.use_count(), 1);
  EXPECT_FALSE(watches.front().active());
}

TEST_P(InBothQueues, ATimerThatHasRunCannotBeCancelled) {
  Watch watch = runtime.after(0s, 3, [] {});
  while (watch.active()) std::this_thread::yield();
  EXPECT_NE(watch.cancel(), Watch::Cancelled::prevented);
}

// Requirement 11: reading and writing are watched separately.
TEST_P(InBothQueues, ADescriptorThatBecomesReadableRunsItsReader) {
  Ends ends;
  std::string received;
  Watch writable = runtime.on_writable(ends.ends[0], 4, [&](Watch& watch) {
    watch.cancel();
    ends.write('a');
  });
  runtime.on_readable(ends.ends[0], 5, [&](Watch& watch) {
    received += ends.read();
    if (received.size() < 100) return ends.write(static_cast<char>(received.back() + 1));
    watch.cancel();
    runtime.stop();
  });
  runtime.run();
  EXPECT_EQ(received.size(), 100U);
  for (std::size_t i = 0; i < received.size(); ++i) EXPECT_EQ(received[i], static_cast<char>('a' + i));
  EXPECT_FALSE(writable.active());
}

TEST_P(InBothQueues, ReaderAndWriterOfOneDescriptorOnOneCore) {
  Ends ends;
  const Colour reader = runtime.new_colour();
  runtime.new_colour();
  const Colour writer = runtime.new_colour();
  ASSERT_EQ(runtime.core_of(reader), runtime.core_of(writer));
  std::atomic<int> reads = 0, writes = 0;
  runtime.on_readable(ends.ends[0], reader, [&](Watch& watch) {
    ends.read();
    if (++reads == 3) watch.cancel();
  });
  runtime.on_writable(ends.ends[0], writer, [&](Watch& watch) {
    if (++writes == 3) {
      watch.cancel();
      ends.write('x');
      ends.write('y');
      ends.write('z');
    }
  });
  while (reads != 3 || writes != 3) std::this_thread::yield();
  runtime.wait_idle();  // both have been cancelled: the descriptor may be closed
}

TEST_P(InBothQueues, TheEndOfAConnectionIsToldToTheReader) {
  std::array<int, 2> ends;
  ASSERT_EQ(pipe(ends.data()), 0);
  runtime.on_readable(ends[0], 5, [&](Watch& watch) {
    char byte;
    EXPECT_EQ(::read(ends[0], &byte, 1), 0);
    watch.cancel();
    runtime.stop();
  });
  close(ends[1]);
  runtime.run();
  close(ends[0]);
}

// Busy cores look at their descriptors too.
TEST_P(InBothQueues, ADescriptorIsSeenByACoreThatIsNeverIdle) {
  Ends ends;
  const Colour colour = 5;
  std::atomic<bool> seen = false;
  std::function<void()> busy = [&] {
    if (!seen) runtime.post(colour, busy);
  };
  runtime.post(colour, busy);
  runtime.on_readable(ends.ends[0], colour, [&](Watch& watch) {
    watch.cancel();
    seen = true;
  });
  ends.write('x');
  runtime.wait_idle();
  EXPECT_TRUE(seen);
}

TEST_P(InBothQueues, ASignalRunsItsFunctionAndComesBackToWhatItWas) {
  std::atomic<int> runs = 0;
  auto unexpected = [](int) { FAIL() << "the signal is the runtime's"; };
  std::signal(SIGUSR1, unexpected);
  Watch watch = runtime.on_signal(SIGUSR1, 5, [&] { ++runs; });
  for (int i = 1; i <= 10; ++i) {
    raise(SIGUSR1);
    while (runs < i) std::this_thread::yield();
  }
  EXPECT_EQ(watch.cancel(), Watch::Cancelled::prevented);
  runtime.wait_idle();
  EXPECT_EQ(std::signal(SIGUSR1, SIG_DFL), static_cast<void (*)(int)>(unexpected));
}

TEST_P(InBothQueues, WhatCannotBeWatchedIsRefusedWithASentence) {
  EXPECT_THROW(runtime.on_readable(-1, 1, [] {}), std::system_error);
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  try {
    runtime.on_readable(file, 1, [] {});
    ADD_FAILURE() << "a file was watched";
  } catch (const std::system_error& error) {
    EXPECT_NE(std::string(error.what()).find("always ready"), std::string::npos) << error.what();
  }
  close(file);
  EXPECT_THROW(runtime.on_signal(SIGKILL, 1, [] {}), std::system_error);
}

TEST_P(InBothQueues, AfterStopNothingFiresAndAllIsDestroyed) {
  Ends ends;
  auto witness = std::make_shared<int>(0);
  ends.write('x');
  runtime.after(1h, 1, [witness] {});
  runtime.every(1h, 2, [witness] {});
  runtime.on_writable(ends.ends[1], 4, [&, witness] { runtime.stop(); });
  runtime.run();
  EXPECT_EQ(witness.use_count(), 1);
  EXPECT_FALSE(runtime.after(0s, 1, [witness] { FAIL(); }).active());
  EXPECT_EQ(witness.use_count(), 1);
}

// Requirement 12: watching and cancelling while the cores ask the system. The promise of cancel(): whatever the moment,
// no run begins after it.
TEST_P(InBothQueues, NoRunBeginsAfterACancel) {
  for (int round = 0; round < 200; ++round) {
    auto cancelled = std::make_shared<std::atomic<bool>>(false);
    auto runs = std::make_shared<std::atomic<int>>(0);
    Watch watch = runtime.every(1us, static_cast<Colour>(round), [cancelled, runs] {
      EXPECT_FALSE(*cancelled);
      ++*runs;
    });
    if (round % 2 == 0) {
      while (*runs == 0) std::this_thread::yield();
    }
    if (watch.cancel() == Watch::Cancelled::prevented) *cancelled = true;
  }
}

}  // namespace
}  // namespace vif
