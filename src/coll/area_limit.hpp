// What the shared area takes. Context: any.
#pragma once

#include "coll/choice.hpp"

namespace vif::coll {

// The longest block (bcast, reductions: vector) that the area of so many processes takes.
uint64_t area_limit(Collective collective, int size) noexcept;

}  // namespace vif::coll
