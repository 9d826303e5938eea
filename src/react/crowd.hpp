// Does somebody wait for a CPU while this thread looks? Learnt from two things that Linux tells:
//   how many threads of the machine are runnable now (/proc/loadavg), this one included
//   how long this thread was runnable without a CPU so far (/proc/thread-self/schedstat)
// Where a process may use all CPUs of the machine the first decides in both directions. Where it may not, or the first
// cannot be read, only the second tells that the CPUs are crowded, and nothing tells that they are so no more: then
// that is believed again after a while, which doubles each time it proves wrong.
// Pure arithmetic, no clock and no system calls of its own. Context: the owner's.
#pragma once

#include <algorithm>
#include <cstdint>

namespace vif::react {

// What a look at the machine has found; -1: not known.
struct Load {
  int runnable = -1;         // threads, of the machine
  int cpus = -1;             // that are online
  bool may_use_all = false;  // the process, all of these
  int64_t delayed_ns = -1;   // how long this thread has waited for a CPU in its life
};

class Crowd {
 public:
  bool crowded() const noexcept { return crowded_; }
  bool due(int64_t now_ns) const noexcept { return now_ns >= next_ns_; }

  void learn(const Load& load, int64_t now_ns) noexcept {
    const int64_t since = now_ns - last_ns_;
    const int64_t delayed = load.delayed_ns - delayed_ns_;
    const bool comparable = load.delayed_ns >= 0 && delayed_ns_ >= 0 && since > 0;
    const bool kept_waiting = comparable && delayed > least_delay_ns && delayed * 16 > since;
    if (load.may_use_all && load.runnable >= 0 && load.cpus > 0) {
      crowded_ = load.runnable > load.cpus;
    } else if (kept_waiting) {
      if (!crowded_) trust_ns_ = std::min(trust_ns_ * 2, longest_trust_ns);
      crowded_ = true;
      until_ns_ = now_ns + trust_ns_;
    } else if (crowded_ && now_ns >= until_ns_) {
      crowded_ = false;
    }
    delayed_ns_ = load.delayed_ns;
    last_ns_ = now_ns;
    pause_ns_ = crowded_ ? std::min(pause_ns_ * 2, longest_pause_ns) : shortest_pause_ns;
    next_ns_ = now_ns + pause_ns_;
  }

  // A look takes some microseconds: nothing to a thread that looks all the time anyway. Beside computing threads it is
  // taken in the way of a message, so it gets rarer while nothing changes.
  static constexpr int64_t shortest_pause_ns = 1'000'000;
  static constexpr int64_t longest_pause_ns = 16'000'000;

 private:
  static constexpr int64_t least_delay_ns = 200'000;
  static constexpr int64_t longest_trust_ns = 10'000'000'000;
  bool crowded_ = false;
  int64_t last_ns_ = 0;
  int64_t next_ns_ = 0;
  int64_t pause_ns_ = shortest_pause_ns;
  int64_t delayed_ns_ = -1;
  int64_t until_ns_ = 0;
  int64_t trust_ns_ = 50'000'000;
};

}  // namespace vif::react
