// How long a core looks for work before it sleeps (the source's "reasoned active waiting", O3).
//
// All times in ticks of whatever clock the caller uses; pure arithmetic. Context: core.
//   learnt  the competitive rule, with a budget that follows the waits (bell/spin.hpp); ten times the cost of a
//           wake-up is the most, that cost being measured all the time
//   fixed   the source's rule: look for ten times the latency of a wake-up, if the last sleep was shorter than that
//   sleep   never look;  spin: never sleep
#pragma once

#include <algorithm>
#include <cstdint>

namespace vif::sched {

enum class WaitRule : uint8_t { learnt, fixed, sleep, spin };

class Waiting {
 public:
  static constexpr int64_t for_ever = INT64_MAX;

  // latency: of a wake-up, to begin with. threshold: of the fixed rule; 0: ten times the latency as measured.
  Waiting(WaitRule rule, int64_t latency, int64_t threshold) noexcept
      : rule_(rule), latency_(latency), most_latency_(10 * latency), threshold_(threshold) {}

  // How long to look now.
  int64_t budget() const noexcept {
    switch (rule_) {
      case WaitRule::spin:
        return for_ever;
      case WaitRule::sleep:
        return 0;
      case WaitRule::fixed:
        return last_sleep_ < threshold() ? threshold() : 0;
      default:
        return std::min(budget_, threshold());
    }
  }

  // Work came while the core looked, after `waited`.
  void came(int64_t waited) noexcept {
    if (waited * 4 > budget_) budget_ = std::min(threshold(), waited * 4);
  }
  // The core slept for `slept` after having looked for `looked`.
  void slept(int64_t looked, int64_t slept) noexcept {
    last_sleep_ = slept;
    if (looked + slept <= threshold()) {
      budget_ = std::min(threshold(), (looked + slept) * 2);  // looking a little longer would have caught it
    } else {
      budget_ = std::max(latency_ / 16, budget_ / 2);
    }
  }
  // Others wanted the CPU while the core looked.
  void contested() noexcept { budget_ = latency_ / 16; }
  // A wake-up took this long from the ring to the core.
  void woke(int64_t latency) noexcept {
    // Where others have the CPU, wake-ups take long and looking for work costs them time: no reason to look longer.
    latency_ += (std::clamp<int64_t>(latency, 0, most_latency_) - latency_) / 8;
  }

  int64_t latency() const noexcept { return latency_; }

 private:
  int64_t threshold() const noexcept { return threshold_ != 0 ? threshold_ : 10 * latency_; }

  WaitRule rule_;
  int64_t latency_;
  int64_t most_latency_;
  int64_t threshold_;
  int64_t last_sleep_ = for_ever;
  int64_t budget_ = 0;
};

}  // namespace vif::sched
