// Stress of the inbox, ownership and pool on real threads, with real signals landing on them. It complements the
// models: it runs the machine's own atomics, and under the thread sanitizer it watches every access.
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <csignal>
#include <thread>
#include <vector>

#include "base/inbox.hpp"
#include "base/ownership.hpp"
#include "base/pool.hpp"

namespace vif::base {
namespace {

constexpr int threads = 3;
constexpr int letters_each = 20000;
constexpr int interrupts = 300;

struct Letter : Inbox<>::Record {
  int pusher = 0;
  int number = 0;
};

struct Office {
  Inbox<> box;
  Ownership<> ownership;
  // Plain: touched by the owner alone.
  std::vector<int> next = std::vector<int>(2 * threads, 0);
  bool in_order = true;

  void hand_over(Letter& letter) noexcept {
    box.push(letter);
    if (!ownership.try_acquire()) return;
    do {
      while (Inbox<>::Record* record = box.take()) {
        auto& taken = static_cast<Letter&>(*record);
        int& expected = next[static_cast<std::size_t>(taken.pusher)];
        in_order = in_order && taken.number == expected;
        ++expected;
      }
    } while (ownership.release());
  }
};

// What one thread hands over, and what its handler does, one letter per interrupt.
struct Worker {
  Office* office = nullptr;
  std::vector<Letter> letters = std::vector<Letter>(letters_each);
  std::vector<Letter> of_handler = std::vector<Letter>(interrupts);
  std::atomic<int> used{0};  // by the handler
};

thread_local Worker* of_this_thread __attribute__((tls_model("initial-exec"))) = nullptr;

void on_signal(int) {
  Worker* mine = of_this_thread;
  const int number = mine->used.load(std::memory_order_relaxed);
  Letter& letter = mine->of_handler[static_cast<std::size_t>(number)];
  letter.number = number;
  mine->office->hand_over(letter);
  mine->used.store(number + 1, std::memory_order_release);
}

class Signal {
 public:
  Signal() {
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGRTMIN + 3, &action, &before_);
  }
  ~Signal() { sigaction(SIGRTMIN + 3, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

// `count` threads hand over letters while this one interrupts them; all letters arrive, in order.
void run_office(int count, bool shared) {
  Signal signal;
  Office office;
  office.ownership.set_shared(shared);
  std::vector<Worker> workers(static_cast<std::size_t>(count));
  std::atomic<int> ready{0};
  std::atomic<bool> go_home{false};
  std::vector<std::thread> running;
  for (int i = 0; i < count; ++i) {
    running.emplace_back([&, i] {
      Worker& mine = workers[static_cast<std::size_t>(i)];
      mine.office = &office;
      for (Letter& letter : mine.of_handler) letter.pusher = threads + i;
      of_this_thread = &mine;
      ready.fetch_add(1);
      for (int n = 0; n < letters_each; ++n) {
        Letter& letter = mine.letters[static_cast<std::size_t>(n)];
        letter.pusher = i;
        letter.number = n;
        office.hand_over(letter);
      }
      while (!go_home.load(std::memory_order_acquire)) std::this_thread::yield();
    });
  }
  while (ready.load() != count) std::this_thread::yield();
  for (int n = 0; n < interrupts; ++n) {
    for (int i = 0; i < count; ++i) {
      pthread_kill(running[static_cast<std::size_t>(i)].native_handle(), SIGRTMIN + 3);
      while (workers[static_cast<std::size_t>(i)].used.load(std::memory_order_acquire) <= n) std::this_thread::yield();
    }
  }
  go_home.store(true, std::memory_order_release);
  for (std::thread& thread : running) thread.join();
  EXPECT_TRUE(office.in_order);
  EXPECT_TRUE(office.box.empty());
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(office.next[static_cast<std::size_t>(i)], letters_each);
    EXPECT_EQ(office.next[static_cast<std::size_t>(threads + i)], interrupts);
  }
}

TEST(Stress, OneThreadAndItsHandlerLoseNothing) { run_office(1, false); }
TEST(Stress, ThreadsAndTheirHandlersLoseNothing) { run_office(threads, true); }

TEST(Stress, ThePoolGivesAPlaceToOneAtATime) {
  constexpr uint32_t capacity = 4;
  std::vector<Pool<>::Link> links(capacity);
  Pool<> pool(links.data(), capacity);
  std::vector<uint64_t> uses(capacity, 0);  // plain: touched by the holder of the place alone
  std::atomic<uint64_t> taken{0};
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      for (int n = 0; n < letters_each; ++n) {
        const uint32_t place = pool.take();
        if (place == Pool<>::none) continue;
        ++uses[place];
        taken.fetch_add(1, std::memory_order_relaxed);
        pool.give(place);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  uint64_t sum = 0;
  for (uint64_t use : uses) sum += use;
  EXPECT_EQ(sum, taken.load());
}

}  // namespace
}  // namespace vif::base
