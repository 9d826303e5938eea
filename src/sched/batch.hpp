// Batches of events for other cores (the source's "batched registration", O4).
//
// A batch is handed over when it is full, when the core has nothing else to do, or when it has been held for 110 % of
// the mean time between two full batches (the source's rule). How many events make it full is learnt by the rule of
// hiring or buying (Karlin, Manasse, Rudolph, Sleator 1988): to hold events back until that has cost about what a
// hand-over costs. With events following each other at an interval i and hand-overs that cost c to either side, that is
// 4 c / i events. Where handlers are long, i is, and events are not held back at all. Pure arithmetic. Context: core.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sched/event.hpp"

namespace vif::sched {

class BatchLimit {
 public:
  static constexpr uint32_t most = 64;

  // fixed: this many events always; 0: learn.
  explicit BatchLimit(uint32_t fixed) noexcept : limit_(fixed != 0 ? fixed : 4), learns_(fixed == 0) {}

  uint32_t limit() const noexcept { return limit_; }
  bool learns() const noexcept { return learns_; }

  // Full batches: `events` in all came in `lasted` ticks, and handing over the last took `cost`.
  void full(uint32_t events, int64_t lasted, int64_t cost) noexcept {
    // Without the hand-overs in between, or small batches would make themselves look right; a pause is no interval.
    const int64_t apart = lasted - cost * static_cast<int64_t>(events / limit_ - 1);
    const int64_t each = std::clamp<int64_t>(apart * scale / events, 1, 16 * each_);
    each_ = std::max<int64_t>(1, each_ + (each - each_) / 4);
    if (!learns_) return;
    cost_ = std::max<int64_t>(1, cost_ + (std::min(cost, 8 * cost_) - cost_) / 8);
    const auto wanted = static_cast<uint32_t>(std::clamp<int64_t>(hold * cost_ * scale / each_, 1, most));
    // Half-way: one odd interval does not throw away what was learnt.
    limit_ = (limit_ + wanted + (wanted > limit_ ? 1 : 0)) / 2;
  }

  // How long a batch that does not fill may be held, in ticks.
  int64_t patience() const noexcept { return each_ * limit_ * 11 / (10 * scale); }

 private:
  static constexpr int64_t scale = 16;
  static constexpr int64_t hold = 4;  // the receiver pays for a hand-over too, and for a line that moves

  uint32_t limit_;
  bool learns_;
  int64_t each_ = 200 * scale;  // between two events for others, ticks times scale
  int64_t cost_ = 500;          // of a hand-over, ticks
};

struct Batch {
  Event* newest = nullptr;
  Event* oldest = nullptr;
  uint32_t count = 0;
  int64_t since = 0;  // ticks at the first event

  void append(Event& event) noexcept {
    event.lead_to(newest);
    newest = &event;
    if (oldest == nullptr) oldest = &event;
    ++count;
  }
};

}  // namespace vif::sched
