// include/vif/event.h: every function, and every error that can be had without breaking the machine.
#include <gtest/gtest.h>
#include <unistd.h>
#include <vif/event.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

class CApi : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(vif_runtime_create(2, &runtime), 0) << vif_error_text(); }
  void TearDown() override { vif_runtime_destroy(runtime); }
  vif_runtime* runtime = nullptr;
};

struct Log {
  std::vector<int> numbers;  // colour 1
};
struct Line {
  Log* log;
  int number;
};

void note(void* argument) {
  auto* line = static_cast<Line*>(argument);
  line->log->numbers.push_back(line->number);
}

void count(void* argument) { ++*static_cast<std::atomic<int>*>(argument); }

TEST_F(CApi, PostsKeepTheirOrderAndFrontComesFirst) {
  Log log;
  struct Setting {
    vif_runtime* runtime;
    Line lines[4];
  } setting{runtime, {{&log, 1}, {&log, 2}, {&log, 3}, {&log, 4}}};
  const auto post_all = [](void* argument) {
    auto* all = static_cast<Setting*>(argument);
    vif_post(all->runtime, 1, note, &all->lines[0]);
    vif_post(all->runtime, 1, note, &all->lines[1]);
    vif_post_front(all->runtime, 1, note, &all->lines[2]);
    vif_post_shared(all->runtime, 1, note, &all->lines[3]);
  };
  ASSERT_EQ(vif_post(runtime, 1, post_all, &setting), 0);
  vif_wait_idle(runtime);
  EXPECT_EQ(log.numbers, (std::vector<int>{3, 1, 2, 4}));
}

TEST_F(CApi, AHandlerKnowsWhereItIs) {
  struct Seen {
    vif_runtime* runtime;
    int core;
    vif_colour colour;
  } seen{};
  const vif_colour colour = vif_new_colour(runtime);
  vif_post(
      runtime, colour,
      [](void* argument) {
        *static_cast<Seen*>(argument) = {vif_current_runtime(), vif_current_core(), vif_current_colour()};
      },
      &seen);
  vif_wait_idle(runtime);
  EXPECT_EQ(seen.runtime, runtime);
  EXPECT_EQ(seen.core, vif_core_of(runtime, colour));
  EXPECT_EQ(seen.colour, colour);
  EXPECT_EQ(vif_cores(runtime), 2);
  EXPECT_EQ(vif_current_runtime(), nullptr);
  EXPECT_EQ(vif_current_core(), -1);
  EXPECT_NE(vif_place_of(runtime, colour), UINT16_MAX);
}

TEST_F(CApi, TimersDescriptorsAndSignalsFire) {
  std::atomic<int> fired{0};
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  vif_watch* reader = nullptr;
  vif_watch* writer = nullptr;
  vif_watch* ticker = nullptr;
  vif_watch* signals = nullptr;
  std::atomic<int> ticks{0}, writable{0}, readable{0}, signalled{0};
  EXPECT_EQ(vif_after(runtime, 1000, 1, count, &fired, nullptr), 0);
  EXPECT_EQ(vif_every(runtime, 100'000, 1, count, &ticks, &ticker), 0);
  EXPECT_EQ(vif_on_writable(runtime, ends[1], 1, count, &writable, &writer), 0);
  EXPECT_EQ(vif_on_readable(runtime, ends[0], 1, count, &readable, &reader), 0);
  EXPECT_EQ(vif_on_signal(runtime, SIGUSR2, 1, count, &signalled, &signals), 0);
  EXPECT_EQ(write(ends[1], "x", 1), 1);
  raise(SIGUSR2);
  while (fired == 0 || ticks < 3 || writable == 0 || readable == 0 || signalled == 0) usleep(100);
  for (vif_watch* watch : {reader, writer, ticker}) EXPECT_NE(vif_watch_cancel(watch), VIF_TOO_LATE);
  vif_watch_forget(signals);
  vif_wait_idle(runtime);
  const int at_end = ticks;
  vif_wait_idle(runtime);
  EXPECT_EQ(ticks, at_end);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(CApi, AHandlerCancelsItsOwnWatchWithoutAHandle) {
  std::atomic<int> runs{0};
  const auto once = [](void* argument) {
    count(argument);
    EXPECT_EQ(vif_watch_cancel_current(), VIF_UNDER_WAY);
    EXPECT_EQ(vif_watch_cancel_current(), VIF_TOO_LATE);
  };
  ASSERT_EQ(vif_every(runtime, 1000, 1, once, &runs, nullptr), 0);
  while (runs == 0) {
  }
  vif_wait_idle(runtime);
  // A later event of the colour: the watch would have fired again before it.
  ASSERT_EQ(vif_after(runtime, 2'000'000, 1, count, &runs, nullptr), 0);
  while (runs == 1) {
  }
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(vif_watch_cancel_current(), VIF_TOO_LATE);
}

TEST_F(CApi, ErrorsHaveASentence) {
  EXPECT_EQ(vif_set_priority(runtime, 1, 21), EINVAL);
  EXPECT_NE(std::string(vif_error_text()).find("priority 21"), std::string::npos) << vif_error_text();
  EXPECT_EQ(vif_set_priority(runtime, 1, 20), 0);
  vif_watch* watch = nullptr;
  EXPECT_NE(vif_on_readable(runtime, 9999, 1, count, nullptr, &watch), 0);
  EXPECT_EQ(watch, nullptr);
  const auto wait_here = [](void* ours) {
    EXPECT_EQ(vif_run(static_cast<vif_runtime*>(ours)), EDEADLK);
    EXPECT_EQ(vif_wait_idle(static_cast<vif_runtime*>(ours)), EDEADLK);
    EXPECT_NE(std::string(vif_error_text()).find("its own end"), std::string::npos) << vif_error_text();
  };
  EXPECT_EQ(vif_post(runtime, 1, wait_here, runtime), 0);
  EXPECT_EQ(vif_wait_idle(runtime), 0);
  vif_stop(runtime);
  EXPECT_EQ(vif_post(runtime, 1, count, nullptr), ESHUTDOWN);
  EXPECT_EQ(vif_run(runtime), 0);
  vif_runtime* none = nullptr;
  const char* text = vif_error_text();
  EXPECT_EQ(vif_post(runtime, 1, count, nullptr), ESHUTDOWN);
  EXPECT_EQ(vif_error_text(), text);
  EXPECT_NE(std::string(text).find("has been stopped"), std::string::npos) << text;
  EXPECT_EQ(vif_runtime_create(-5, &none), EINVAL);
  EXPECT_EQ(none, nullptr);
}

TEST(COptions, AreTheOnesOfTheRuntime) {
  struct Told {
    vif_runtime* runtime = nullptr;
    std::atomic<bool> told{false};
    vif_colour colour = 0;
    std::string text;
  } seen;
  vif_runtime_options options = VIF_RUNTIME_OPTIONS;
  options.cores = 2;
  options.steal = 1;
  options.stall_limit_ns = 5'000'000;
  options.on_stall = [](const vif_stall_report* report, void* argument) {
    auto* all = static_cast<Told*>(argument);
    all->colour = report->colour;
    all->text = report->text;
    all->told = true;
  };
  options.on_stall_argument = &seen;
  ASSERT_EQ(vif_runtime_create_with(&options, &seen.runtime), 0) << vif_error_text();
  EXPECT_EQ(vif_cores(seen.runtime), 2);
  const auto hold = [](void* argument) {
    auto* all = static_cast<Told*>(argument);
    while (!all->told) {
    }
    // With stealing, what waits behind a handler that blocks runs elsewhere.
    std::atomic<int> ran{0};
    vif_post(all->runtime, vif_current_colour() + 2, count, &ran);
    vif_flush();
    while (ran == 0) {
    }
  };
  const vif_colour colour = vif_new_colour(seen.runtime);
  ASSERT_EQ(vif_post(seen.runtime, colour, hold, &seen), 0);
  vif_wait_idle(seen.runtime);
  EXPECT_EQ(seen.colour, colour);
  EXPECT_NE(seen.text.find("core"), std::string::npos);
  vif_runtime_destroy(seen.runtime);
}

TEST(COptions, MustBeWhatTheyClaimToBe) {
  vif_runtime* runtime = nullptr;
  vif_runtime_options options = VIF_RUNTIME_OPTIONS;
  options.size = 0;
  EXPECT_EQ(vif_runtime_create_with(&options, &runtime), EINVAL);
  EXPECT_NE(std::string(vif_error_text()).find("VIF_RUNTIME_OPTIONS"), std::string::npos);
  options.size = sizeof options.size;  // an older program, that knows nothing else
  options.cores = -5;
  ASSERT_EQ(vif_runtime_create_with(&options, &runtime), 0) << vif_error_text();
  vif_runtime_destroy(runtime);
  options.size = sizeof options;
  options.cores = 1;
  options.turn_ns = 0;
  EXPECT_EQ(vif_runtime_create_with(&options, &runtime), EINVAL);
}

TEST_F(CApi, StopNowDropsWhatWaits) {
  std::atomic<int> ran{0};
  struct Both {
    vif_runtime* runtime;
    std::atomic<int>* ran;
  } both{runtime, &ran};
  vif_post(
      runtime, 1,
      [](void* argument) {
        auto* all = static_cast<Both*>(argument);
        vif_post(all->runtime, 1, count, all->ran);
        vif_stop_now(all->runtime);
      },
      &both);
  vif_run(runtime);
  EXPECT_EQ(ran, 0);
}

}  // namespace
