// Runs of elements that lie side by side. Context: any.
#pragma once

#include "data/visit.hpp"
#include "rma/combine.hpp"

namespace vif::rma {

// Calls visitor(offset, elements) for the runs of elements `first` to `first` + `count`, until it returns false.
template <class Visitor>
void each_run(const Elements& all, uint64_t first, uint64_t count, Visitor&& visitor) {
  if (all.packed == all.element) {
    data::visit(all.view, first * all.packed, count * all.packed,
                [&](int64_t offset, uint64_t bytes) { return visitor(offset, bytes / all.packed); });
    return;
  }
  // Elements with holes come in several pieces, of which the first is where the element begins.
  bool goes_on = true;
  for (uint64_t i = first; i < first + count && goes_on; ++i) {
    data::visit(all.view, i * all.packed, 1, [&](int64_t offset, uint64_t) {
      goes_on = visitor(offset, uint64_t{1});
      return false;
    });
  }
}

}  // namespace vif::rma
