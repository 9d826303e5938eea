// When stealing pays: the queued work of the victim against the cost of a theft, both measured.
//
// A theft costs the thief the unlinking and the first accesses to what other caches hold, and the message that gives
// the colours back. It pays when what one theft can bring is worth more than twice that: half of what waits behind the
// victim's running handler, but no more than a theft takes. What waits lasts, per event, as long as the victim's
// handlers lately, or as the one that has been running for long already. So where handlers are empty nothing is stolen,
// however many events wait: their lines would travel for longer than they run. (The idea of comparing both: Gaud,
// Geneves, Lachaize, Lepers, Mottet, Muller, Quema 2010, with durations from annotations.) Pure arithmetic, in ticks.
// Context: core.
#pragma once

#include <algorithm>
#include <cstdint>

namespace vif::sched {

class Theft {
 public:
  static constexpr int most_colours = 16;

  explicit Theft(int64_t first_cost) noexcept : cost_(first_cost) {}

  // events: that wait; each: of the victim's handlers; running: for how long it runs the present one.
  bool pays(uint32_t events, int64_t each, int64_t running) const noexcept {
    const int64_t brings = std::min<int64_t>((int64_t{events} + 1) / 2, most_colours);
    return brings * std::max(each, running) > 2 * cost_;
  }
  // A theft took this long, from the attempt to the first stolen handler's end, less what that handler takes usually.
  void took(int64_t ticks) noexcept {
    cost_ = std::max<int64_t>(1, cost_ + (std::clamp<int64_t>(ticks, 0, 8 * cost_) - cost_) / 8);
  }
  int64_t cost() const noexcept { return cost_; }

 private:
  int64_t cost_;
};

}  // namespace vif::sched
