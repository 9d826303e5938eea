// What a runtime is made with: each part of the scheduler that can be exchanged. Context: app.
#pragma once

#include <cstdint>
#include <string>

#include "sched/poller.hpp"
#include "sched/waiting.hpp"

namespace vif::sched {

// How a core that sleeps is woken. pipe: one byte through a pipe, as the source's baseline does.
enum class WakeRule : uint8_t { futex, pipe };
// inbox: the wait-free hand-over. lock: one lock per core's queue, taken by whoever posts and by the core itself, as
// the source's baseline does.
enum class QueueRule : uint8_t { inbox, lock };

// ema: the memory of an event is that of the core that will run it. library: the C library's malloc, as in the source's
// baseline.
enum class MemoryRule : uint8_t { ema, library };

struct Settings {
  int cores = 0;                        // 0: as many as this process may use
  bool bind = true;                     // each core to a CPU of its own, where there are as many CPUs as cores
  bool padding = true;                  // O1: the data of each core on cache lines of its own
  MemoryRule memory = MemoryRule::ema;  // O2
  WaitRule wait = WaitRule::learnt;     // O3
  int64_t wait_threshold_ns = 0;        // of WaitRule::fixed; 0: ten times the latency of a wake-up
  uint32_t batch = 0;                   // O4: events handed to another core at once; 0: learnt, 1: each at once
  QueueRule queue = QueueRule::inbox;
  WakeRule wake = WakeRule::futex;
  PollRule poll = PollRule::automatic;
  bool steal = false;        // whole colours, by cores without work, where it pays
  int64_t stall_ns = 0;      // handlers that run for longer are reported; 0: none
  int64_t turn_ns = 20'000;  // how long a colour may run before others that are ready have their turn
};

// Puts what the environment says (VIF_CORES, VIF_SCHED_...) in place of what the program chose, and the number of
// usable CPUs in place of 0 cores. Returns an empty string, or a full sentence saying what cannot be done.
std::string complete(Settings& settings);

}  // namespace vif::sched
