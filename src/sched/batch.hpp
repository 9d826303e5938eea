// Batches of events for other cores (the source's "batched registration", O4).
//
// A batch is handed over
//   - when it is full: when holding its events back has cost what a hand-over costs, six times over. This is the rule
//     of hiring or buying (Karlin, Manasse, Rudolph, Sleator 1988): with events following each other at an interval i
//     and hand-overs that cost c, 6 c / i events. Both are medians of what was measured lately. Where handlers are
//     long, i is, and events are not held back at all;
//   - when a handler ends that has posted several of its events, and it is a quarter full: such a handler is a burst of
//     its own, and the other core should begin. A batch that is less full is kept for what the next handlers post; if
//     nothing came until the core was idle, keeping it was for nothing, and the next one of that size is handed over
//     too. Now and then one is kept all the same, to see whether that is still so;
//   - when it has been held for 110 % of the time in which a batch fills (the source's rule), and when the core has
//     nothing else to do.
// Pure arithmetic. Context: core.
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

  // Events of a full batch.
  uint32_t limit() const noexcept { return limit_; }

  // A burst is over, and has left `events` in a batch: whether to hand it over.
  bool burst_over(uint32_t events) noexcept {
    if (!learns_) return events >= limit_;
    if (events >= std::max(2U, limit_ / 4)) return true;
    return events >= burst_ && ++tries_ % 16 != 0;
  }
  // One that was kept then has been handed over, after all, with as many events as it had, or with more.
  void kept_for_nothing(uint32_t events) noexcept { burst_ = std::max(2U, events); }
  void kept_with_gain() noexcept { burst_ = most; }

  // `events` came in `lasted` ticks after the one before them, without hand-overs in between, and handing them over
  // took `cost`.
  void full(uint32_t events, int64_t lasted, int64_t cost) noexcept {
    // Medians: the pause between two bursts is no interval, and a hand-over that had to wake somebody is not the usual.
    follow(each_, lasted * scale / events);
    follow(cost_, cost);
    if (!learns_) return;
    const auto wanted = static_cast<uint32_t>(std::clamp<int64_t>(hold * cost_ * scale / each_, 1, most));
    // Half-way: one odd interval does not throw away what was learnt.
    limit_ = (limit_ + wanted + (wanted > limit_ ? 1 : 0)) / 2;
  }

  // How long a batch that does not fill may be held, in ticks.
  int64_t patience() const noexcept { return each_ * limit_ * 11 / (10 * scale); }

 private:
  static void follow(int64_t& median, int64_t value) noexcept {
    const int64_t step = std::max<int64_t>(1, median / 8);
    median = std::max<int64_t>(1, value > median ? median + step : median - step);
  }

  static constexpr int64_t scale = 16;
  static constexpr int64_t hold = 6;  // the receiver pays for a hand-over too, and for lines that move back and forth

  uint32_t limit_;
  bool learns_;
  uint32_t burst_ = most;  // what smaller bursts leave is worth keeping
  uint32_t tries_ = 0;
  int64_t each_ = 200 * scale;  // between two events for others, ticks times scale
  int64_t cost_ = 500;          // of a hand-over, ticks
};

struct Batch {
  Event* newest = nullptr;
  Event* oldest = nullptr;
  uint32_t count = 0;
  uint64_t handler = 0;  // number of the handler that posted last
  bool due = false;      // in the list of those to hand over after the handler
  uint32_t kept = 0;     // events when a burst was over and it was not handed over; 0: there was none
  int64_t since = 0;     // ticks at the first event; where one event makes it full, that is not measured

  void append(Event& event) noexcept {
    event.lead_to(newest);
    newest = &event;
    if (oldest == nullptr) oldest = &event;
    ++count;
  }
};

}  // namespace vif::sched
