// The stall detector: a thread that looks at the cores now and then, and says which handler holds one for too long.
//
// A core publishes what it runs (CoreWork) by plain stores to a line of its own; it pays nothing else. The detector
// compares two looks. To get the stack it sends the core's thread a real-time signal, the highest one that nobody
// handles; a system call in which the handler blocks is restarted, or ends early where system calls cannot be restarted
// (poll, nanosleep). While all cores sleep the detector looks once a second. Context: app; capture(): handler.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <pthread.h>

#include "sched/event.hpp"

namespace vif::sched {

// Written by its core.
struct CoreWork {
  std::atomic<uint64_t> events{0};  // begun
  std::atomic<Invoke> handler{nullptr};
  std::atomic<ColourId> colour{0};

  void begins(const Event& event) noexcept {
    events.store(events.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    colour.store(event.colour, std::memory_order_relaxed);
    // Release, with the acquire of the detector: the handler is seen with its number and colour, or a later one is.
    handler.store(event.invoke, std::memory_order_release);
  }
  void ends() noexcept { handler.store(nullptr, std::memory_order_relaxed); }
};

struct Stall {
  int core;
  ColourId colour;
  std::chrono::nanoseconds lasts;  // so far
  std::string handler;             // where its code is: a name where there is one, else the file and the offset
  std::vector<std::string> stack;  // of the thread, innermost first; empty when it could not be had
};

// What a stall looks like for people: full sentences, and the stack line by line.
std::string describe(const Stall& stall);

class StallDetector {
 public:
  struct Watched {
    const CoreWork* work;
    pthread_t thread;
  };

  // all_sleep: whether no core runs anything. report: called on the detector's thread. Throws std::system_error.
  StallDetector(std::chrono::nanoseconds limit, std::vector<Watched> cores, std::function<bool()> all_sleep,
                std::function<void(const Stall&)> report);
  ~StallDetector();
  StallDetector(const StallDetector&) = delete;
  StallDetector& operator=(const StallDetector&) = delete;

  // The signal that a detector would use: the highest real-time one that nobody handles, or 0.
  static int free_signal() noexcept;
  // The signal that is in use now, or 0.
  static int signal() noexcept;

 private:
  struct Seen {
    uint64_t events = 0;
    std::chrono::steady_clock::time_point since{};
    bool told = false;
  };

  void run();
  void look(std::size_t core);

  const std::chrono::nanoseconds limit_;
  const std::vector<Watched> cores_;
  const std::function<bool()> all_sleep_;
  const std::function<void(const Stall&)> report_;
  std::vector<Seen> seen_;
  std::atomic<uint32_t> ends_{0};
  pthread_t thread_;
};

}  // namespace vif::sched
