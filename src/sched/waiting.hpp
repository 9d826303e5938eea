// How long a core looks for work before it sleeps (the source's "reasoned active waiting", O3).
//
//   learnt  what would have been cheapest for the last eight waits; see Lookout
//   fixed   the source's rule: look for ten times the latency of a wake-up, if the last sleep was shorter than that
//   sleep   never look;  spin: never sleep
//
// All times in ticks of whatever clock the caller uses; pure arithmetic. Context: core.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace vif::sched {

enum class WaitRule : uint8_t { learnt, fixed, sleep, spin };

// The learnt rule. To sleep costs the latency of a wake-up, as measured; to look costs the CPU. This is the problem of
// renting skis, and the rule is the one that learns from the past (Karlin, Li, Manasse, Owicki: Empirical studies of
// competitive spinning for a shared-memory multiprocessor, SOSP 1991): of all limits, the one that would have made
// the last waits cheapest. What is ours is the price of looking:
//   - it is one, a tick of CPU for a tick of delay, at low load: then a core looks only for what comes sooner than a
//     wake-up takes, and sleeps at once if nothing does;
//   - it is 1/24 for as long as looking takes at most twice the time that events took: a core that works for a third of
//     its time or more looks for what comes within 24 wake-ups, since sleeping would make whoever waits for it slower
//     by more than 3 % (one wake-up in 24 of waiting and 12 of work).
// So a core burns at most twice what it uses, and what looking for shorter than a wake-up costs.
class Lookout {
 public:
  static constexpr std::size_t remembered = 8;
  static constexpr int64_t discount = 24;  // of looking, while events take their part of the time
  static constexpr int64_t part = 2;       // looking per work, at that price

  // Work took `worked`, and after it none came for `gap`.
  void add(int64_t worked, int64_t gap) noexcept {
    waits_[next_ % remembered] = {worked, std::min(gap, longest)};
    ++next_;
  }
  // The cheapest limit for a sleep that costs `sleep`; zero: to sleep at once.
  int64_t cheapest(int64_t sleep) const noexcept {
    const std::size_t count = std::min(next_, remembered);
    int64_t worked = 0;
    for (std::size_t i = 0; i < count; ++i) worked += std::min(waits_[i].worked, longest);
    int64_t best = 0;
    int64_t best_price = static_cast<int64_t>(count) * sleep;
    for (std::size_t i = 0; i < count; ++i) {
      const int64_t limit = waits_[i].gap;
      int64_t looked = 0;
      int64_t slept = 0;
      for (std::size_t j = 0; j < count; ++j) {
        looked += std::min(waits_[j].gap, limit);
        slept += waits_[j].gap > limit ? sleep : 0;
      }
      const int64_t cheap = std::min(looked, part * worked);
      const int64_t price = cheap / discount + (looked - cheap) + slept;
      if (price < best_price || (price == best_price && limit < best)) {
        best = limit;
        best_price = price;
      }
    }
    return best;
  }

 private:
  static constexpr int64_t longest = int64_t{1} << 40;  // sums stay far from overflow
  struct Wait {
    int64_t worked;
    int64_t gap;
  };
  std::array<Wait, remembered> waits_{};
  std::size_t next_ = 0;
};

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
        return std::min(budget_, distrust_);
    }
  }

  // After `worked`, work came while the core looked, within `gap`.
  void came(int64_t worked, int64_t gap) noexcept {
    if (rule_ != WaitRule::learnt) return;
    lookout_.add(worked, gap);
    // While work comes well within the limit, another limit would change nothing.
    if (gap > budget_ / 4) learn();
    trust();
  }
  // It came after `gap`, while the core slept, which it did for `slept` until it ran again.
  void slept(int64_t worked, int64_t gap, int64_t slept) noexcept {
    last_sleep_ = slept;
    if (rule_ != WaitRule::learnt) return;
    lookout_.add(worked, gap);
    learn();
    trust();
  }
  // Others wanted the CPU while the core looked.
  void contested() noexcept { distrust_ = latency_ / 16; }
  // A wake-up took this long from the ring to the core.
  void woke(int64_t latency) noexcept {
    // Where others have the CPU, wake-ups take long and looking for work costs them time: no reason to look longer.
    latency_ += (std::clamp<int64_t>(latency, 0, most_latency_) - latency_) / 8;
  }

  int64_t latency() const noexcept { return latency_; }

 private:
  int64_t threshold() const noexcept { return threshold_ != 0 ? threshold_ : 10 * latency_; }
  void learn() noexcept {
    budget_ = lookout_.cheapest(latency_);
    // Waits are not all alike: where looking pays at all, it goes on for a while.
    if (budget_ != 0) budget_ = std::min(std::max(2 * budget_, latency_), Lookout::discount * latency_);
  }
  void trust() noexcept {
    if (distrust_ < for_ever / 2) distrust_ *= 2;
  }

  WaitRule rule_;
  int64_t latency_;
  int64_t most_latency_;
  int64_t threshold_;
  int64_t last_sleep_ = for_ever;
  int64_t budget_ = 0;
  int64_t distrust_ = for_ever;  // the most to look since others wanted the CPU; doubles with each wait
  Lookout lookout_;
};

}  // namespace vif::sched
