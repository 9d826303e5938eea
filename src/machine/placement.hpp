// Where threads run now, and moving the calling one. Context: app.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/cpus.hpp"

namespace vif::machine {

// The CPU that a thread of a process runs on, or ran on last; -1 when the system does not tell.
int cpu_of(int process, int thread, const FileReader& read = read_file);

// The CPU that a thread on `mine` should move to, so that those of `others` and itself are spread more evenly: of
// `usable`, the one with the fewest, the next after `mine` in a circle; -1 when that would not even anything out.
// others: where each of the others is, -1 for those of whom it is not known.
int cpu_apart(int mine, const std::vector<int>& others, const CpuMask& usable);

// Moves the calling thread to one of the CPUs that it may use, and leaves those that it may use as they were.
bool move_to(int cpu);

// When to look whether a CPU is shared: at once, then after pauses that double as long as looking goes on, so that a
// busy machine is not asked in vain. A yield that took long tells that somebody else ran here. Pure arithmetic.
class CrowdWatch {
 public:
  // After a yield that took that long. True: look now.
  bool yielded(int64_t now_ns, int64_t yield_ns) noexcept { return yield_ns >= long_yield_ns && due(now_ns); }

  bool due(int64_t now_ns) noexcept {
    if (now_ns < next_ns_) return false;
    pause_ns_ = pause_ns_ * 2 < longest_pause_ns ? pause_ns_ * 2 : longest_pause_ns;
    next_ns_ = now_ns + pause_ns_;
    return true;
  }

  // The look found a CPU to move to: the next ones stay frequent, for the system may put both together again.
  void helped(int64_t now_ns) noexcept {
    if (pause_ns_ > pause_after_help_ns) pause_ns_ = pause_after_help_ns;
    next_ns_ = now_ns + pause_ns_;
  }

 private:
  static constexpr int64_t pause_after_help_ns = 4'000'000;  // a look and a move take 1 % of it
  static constexpr int64_t long_yield_ns = 1'500;            // a yield to nobody takes 200 ns
  static constexpr int64_t longest_pause_ns = 500'000'000;
  int64_t next_ns_ = 0;
  int64_t pause_ns_ = 250'000;
};

}  // namespace vif::machine
