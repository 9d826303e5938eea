// A test that never ends, with a second thread that never ends either: what the watchdog is for.
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

extern "C" [[gnu::noinline]] void stuck_in_second_thread() {
  for (;;) pause();
}

extern "C" [[gnu::noinline]] void stuck_in_main_thread() {
  for (;;) pause();
}

TEST(Hung, OnPurpose) {
  std::thread second(stuck_in_second_thread);
  stuck_in_main_thread();
  second.join();
}

TEST(Hung, NotAtAll) {}
