// How long to look before sleeping, learnt online.
//
// The rule is the competitive one (Karlin, Li, Manasse, Owicki 1991: spin about as long as a sleep and wake-up cost,
// and never lose more than a factor of two), made adaptive: a wait that ended while looking allows more looking next
// time, a wait that had to sleep allows less. Pure arithmetic, no clock of its own: testable. Context: the owner's.
#pragma once

#include <algorithm>
#include <cstdint>

namespace vif::bell {

class SpinBudget {
 public:
  // All in nanoseconds. floor: what is always worth looking (about the cost of a wake-up); ceiling: never look longer.
  SpinBudget(int64_t floor, int64_t ceiling) noexcept : floor_(floor), ceiling_(ceiling), budget_(ceiling) {}

  int64_t budget() const noexcept { return budget_; }

  // The event came after `waited`, while looking.
  void came(int64_t waited) noexcept {
    if (waited * 4 > budget_) budget_ = std::min(ceiling_, waited * 4);
  }

  // The event had not come when the budget ended; it came `waited` after the start in all.
  void slept(int64_t waited) noexcept {
    if (waited <= ceiling_) {
      budget_ = std::min(ceiling_, waited * 2);  // looking a little longer would have caught it
    } else {
      budget_ = std::max(floor_, budget_ / 2);
    }
  }

 private:
  int64_t floor_, ceiling_, budget_;
};

}  // namespace vif::bell
