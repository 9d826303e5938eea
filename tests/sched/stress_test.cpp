// Random traffic between colours, with every event checked: one at a time in each exclusive colour, in order from each
// colour to each other, none lost and none twice. VIF_TEST_EVENTS says how many in each test (10^9 in the long form);
// VIF_TEST_SEED repeats a run.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "vif/event.hpp"

namespace vif {
namespace {

uint64_t all_events() {  // of one test
  const char* given = std::getenv("VIF_TEST_EVENTS");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 30'000;
}

uint64_t seed() {
  const char* given = std::getenv("VIF_TEST_SEED");
  const uint64_t value = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::printf("VIF_TEST_SEED=%llu\n", static_cast<unsigned long long>(value));
  return value;
}

// The long form has more colours, and fewer of its events are shared: a colour waits while its shared events run, and
// where there are more cores than CPUs that lasts as long as the system takes to run them all.
const bool is_long = all_events() >= 1'000'000;
const std::size_t colours = is_long ? 192 : 48;
const uint32_t one_shared_in = is_long ? 256 : 32;
constexpr int outsiders = 2;  // threads that post from outside

// Plain fields: a colour that is not exclusive loses counts here, and the thread sanitizer sees it.
struct alignas(64) State {
  uint32_t random = 1;
  bool busy = false;
  uint64_t budget = 0;                                                      // events that this colour may still send on
  std::vector<uint32_t> sent = std::vector<uint32_t>(colours + outsiders);  // to each colour
  std::vector<uint32_t> received = std::vector<uint32_t>(colours + outsiders);  // from each sender
  std::atomic<int> readers{0};
  std::atomic<uint64_t> read{0};
};

class Traffic {
 public:
  Traffic(const RuntimeOptions& options, uint64_t seed, bool with_shared)
      : events_(all_events()), runtime_(options), with_shared_(with_shared) {
    std::mt19937_64 random(seed);
    for (State& state : states_) {
      state.random = static_cast<uint32_t>(random()) | 1U;
      state.budget = events_ / colours;
    }
    std::printf("%llu events, %d alive at once\n", static_cast<unsigned long long>(events_), tokens_);
  }

  void run() {
    std::vector<std::thread> threads;
    for (std::size_t outsider = 0; outsider < outsiders; ++outsider) {
      threads.emplace_back([this, outsider] {
        std::vector<uint32_t> sent(colours);
        for (int token = 0; token < tokens_ / outsiders; ++token) {
          const std::size_t to = (static_cast<std::size_t>(token) * 7 + outsider) % colours;
          send(colours + outsider, to, sent[to]++);
        }
        outside_sent_[outsider] = sent;
      });
    }
    for (std::thread& thread : threads) thread.join();
    runtime_.wait_idle();
    runtime_.stop();
    runtime_.run();
    check();
  }

 private:
  void send(std::size_t from, std::size_t to, uint32_t number) {
    runtime_.post(to, [this, from, to, number] { receive(from, to, number); });
  }

  void receive(std::size_t from, std::size_t self, uint32_t number) {
    State& state = states_[self];
    if (state.busy || state.readers.load(std::memory_order_relaxed) != 0) ++overlaps_;
    state.busy = true;
    if (state.received[from]++ != number) ++disorders_;
    state.random = state.random * 1664525U + 1013904223U;
    const uint32_t dice = state.random >> 16;
    if (state.budget != 0) {
      --state.budget;
      const std::size_t to = dice % colours;
      send(self, to, state.sent[to]++);
      if (with_shared_ && dice % one_shared_in == 0) {
        ++shared_sent_;
        runtime_.post_shared(to, [this, to] { read(to); });
      }
      if (dice % 64 == 1) post_front(self);
    }
    if (dice % 1024 == 2) {
      for (int work = 0; work < 20000; ++work) {
        asm volatile("");
      }
    }
    state.busy = false;
  }

  // An event that must run before those of this colour that wait: the next one of the colour sees that it has.
  void post_front(std::size_t self) {
    ++front_sent_;
    runtime_.post_front(self, [this, self] {
      if (states_[self].busy) ++overlaps_;
      ++front_run_;
    });
  }

  void read(std::size_t self) {
    State& state = states_[self];
    ++state.readers;
    if (state.busy) ++overlaps_;
    state.read.fetch_add(1, std::memory_order_relaxed);
    if (state.busy) ++overlaps_;
    --state.readers;
  }

  void check() {
    EXPECT_EQ(overlaps_, 0);
    EXPECT_EQ(disorders_, 0);
    EXPECT_EQ(front_run_, front_sent_);
    uint64_t received = 0, read = 0;
    for (std::size_t to = 0; to < colours; ++to) {
      for (std::size_t from = 0; from < colours + outsiders; ++from) {
        const uint32_t sent = from < colours ? states_[from].sent[to] : outside_sent_[from - colours][to];
        EXPECT_EQ(states_[to].received[from], sent) << from << " to " << to;
        received += states_[to].received[from];
      }
      read += states_[to].read;
    }
    EXPECT_EQ(read, shared_sent_);
    EXPECT_GT(received, events_ / 4);
    std::printf("%llu events were received and checked\n", static_cast<unsigned long long>(received));
  }

  const uint64_t events_;
  // Few at once meet each other at empty queues; in the long form, many, so that its cores do not wait for each other's
  // turn on a busy machine.
  const int tokens_ = is_long ? 200'000 : 200;
  std::vector<State> states_{colours};
  std::vector<uint32_t> outside_sent_[outsiders];
  std::atomic<int> overlaps_{0}, disorders_{0};
  std::atomic<uint64_t> front_sent_{0}, front_run_{0}, shared_sent_{0};
  Runtime runtime_;
  bool with_shared_;
};

RuntimeOptions cores(int count) {
  RuntimeOptions options;
  options.cores = count;
  return options;
}

TEST(SchedStress, TwoCores) { Traffic(cores(2), seed(), false).run(); }

TEST(SchedStress, FourCoresWithSharedEvents) { Traffic(cores(4), seed(), true).run(); }

TEST(SchedStress, Stealing) {
  RuntimeOptions options = cores(4);
  options.steal = true;
  Traffic(options, seed(), true).run();
}

TEST(SchedStress, Baseline) {
  RuntimeOptions options = cores(2);
  options.padding = false;
  options.wait = RuntimeOptions::Wait::sleep;
  options.batch = 1;
  options.queue = RuntimeOptions::Queue::lock;
  options.wake = RuntimeOptions::Wake::pipe;
  Traffic(options, seed(), false).run();
}

}  // namespace
}  // namespace vif
