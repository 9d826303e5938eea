// Which method notices an event: one pure function of the state of the machine, of what each method costs, and of what
// is known of the event. It is asked when a state changes (a thread begins to wait and the last answer is old, or
// leaves the library with something pending), never for each message. Context: any, handlers included.
//
// Two questions, for two states of the thread that wants the event.
//
// It waits. Looking is the fastest while it keeps its CPU, and the slowest once others want it: the kernel then gives
// the CPU away for whole ticks. So it looks for at most what looking may gain, and then rests in the way that brings it
// back soonest:
//   nobody else wants the CPUs           looks for as long as was learnt to pay (bell/spin.hpp)
//   the job itself has too many threads  the same, but each look gives the CPU to another one of the job
//   others compute                       looks no longer than a wake-up takes (never more than twice the best; Karlin
//   et
//                                        al. 1991), and gives the CPU away only by resting: who rests is put on a CPU
//                                        at once when it is woken, who used its share by looking is not
//
// It computes. Whatever treats the event takes time from the computation (`takes_ns`), unless the kernel does it, or
// a helper thread on a CPU that idles; and it comes late by `reacts_ns`. What is small in both wins; an urgent event
// counts its lateness more. A program that is expected back before any method would have reacted looks by itself.
#pragma once

#include <array>
#include <cstdint>

#include "react/method.hpp"

namespace vif::react {

enum class Wish : uint8_t { automatic, look, block, interrupt };

// What a method costs for one event, as its user has measured it on this machine.
struct Price {
  bool available = false;
  int64_t reacts_ns = 0;  // from the event to the beginning of its treatment
  int64_t takes_ns = 0;   // CPU time that the computing thread loses
};

using Prices = std::array<Price, method_count>;

struct Situation {
  Wish wish = Wish::automatic;
  bool waits = true;           // else: it computes
  bool job_is_large = false;   // more processes in the job than CPUs
  bool crowded = false;        // others wait for a CPU now (react/crowd.hpp)
  int idle_cpus = -1;          // -1: not known
  int64_t learnt_look_ns = 0;  // how long looking has paid
  int64_t expected_ns = -1;    // until the event, or until the program comes back by itself; -1: not known
  uint64_t bytes = 0;          // that are to be moved
  int priority = 0;            // > 0: urgent
  Prices prices{};
};

// Why: counted (`VIF_STATS=1`, MPI_T), so that a user can see what was decided and how often.
enum class Reason : uint8_t {
  wished,
  alone,
  large_job,
  crowded,
  soon_back,
  kernel_does_it,
  idle_cpu,
  cheapest,
  nothing_else
};
constexpr int reason_count = 9;
const char* sentence_of(Reason reason) noexcept;

struct Choice {
  Method method = Method::look;  // waiting: what follows the look
  int64_t look_ns = 0;           // waiting: how long to look first; look_forever
  bool yields = false;           // waiting: each look gives the CPU to somebody else
  Reason reason = Reason::alone;
};

constexpr int64_t look_forever = INT64_MAX;

Choice choose(const Situation& situation) noexcept;

}  // namespace vif::react
