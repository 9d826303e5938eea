// What makes the kernel put a thread on a CPU soon when it is woken (measured; see docs/guides/reactivity.md).
//
//   slice     the time that the thread asks for at a stretch is cut to 0.1 ms (sched_setattr; Linux 6.12, no
//             privilege): its deadline is nearer then, and it takes the CPU from threads that compute. Its share stays
//             what it was.
//   nudge     the same, and another thread makes the kernel choose again while it waits (react/nudger.hpp)
//   realtime  it has a real-time priority (SCHED_FIFO; needs CAP_SYS_NICE or RLIMIT_RTPRIO): it takes the CPU from
//             every ordinary thread when it wakes, for as long as it likes. For threads that never compute.
// A lever stays from one change of the machine's state to the next, not only around a sleep: a thread that gives it
// back when it wakes is put behind the computing ones again before it has treated its event (measured: 4 ms in 1 % of
// the wake-ups). Threads and processes that it makes do not inherit it (SCHED_FLAG_RESET_ON_FORK); an ordinary user
// cannot take that flag back, so it stays. A thread whose scheduling class the program has chosen itself is left alone.
//
// Context: app, helper; each call is for the calling thread. Nothing is allocated but by describe_levers().
#pragma once

#include <cstdint>
#include <string>

namespace vif::react {

enum class Lever : uint8_t { none, slice, nudge, realtime };

const char* name_of(Lever lever) noexcept;

// The lever in the hands of one thread.
class Hand {
 public:
  // What it does to the thread itself: `nudge` asks for the short slice. False where the kernel refused, or the thread
  // is not an ordinary one: not tried again.
  bool pull(Lever lever) noexcept;
  void let_go() noexcept;
  Lever held() const noexcept { return held_; }

 private:
  Lever held_ = Lever::none;
  bool refused_ = false;
  int32_t nice_ = 0;
};

// The strongest lever not above `wish` that works for the calling thread, found by trying. `nudge` needs nothing of the
// kernel.
Lever probe_lever(Lever wish) noexcept;
// What works here, and why not what does not, as a clause: for `vif info`.
std::string describe_levers();

}  // namespace vif::react
