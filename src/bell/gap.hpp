// Will the program be back in the library soon? What follows a call is mostly what followed the same call before: the
// next call at once, or a computation. An interrupt that reaches a program on its way back into the library costs
// both sides more than the message it announces; one that reaches a computation is what interrupts are for.
//
// As branch predictors do (Smith 1981): a small saturating counter for each call site, several sites may share one. It
// takes three short gaps in a row to expect a short one, and a single long one to unlearn it. Pure arithmetic, no clock
// of its own. Context: the owner's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace vif::bell {

class GapHistory {
 public:
  bool expects_short(uint32_t site) const noexcept { return counters_[site % sites] == sure; }

  // After a call at `site` the program stayed outside the library for `ns`.
  void learn(uint32_t site, int64_t ns) noexcept {
    uint8_t& counter = counters_[site % sites];
    if (ns > short_gap_ns) {
      counter = 0;
    } else if (counter < sure) {
      ++counter;
    }
  }

 private:
  static constexpr size_t sites = 64;
  static constexpr uint8_t sure = 3;
  static constexpr int64_t short_gap_ns = 8'000;  // below what an interrupt takes between two processes
  std::array<uint8_t, sites> counters_{};
};

}  // namespace vif::bell
