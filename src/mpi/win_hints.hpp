// The hints of windows. Context: app.
#pragma once

#include "mpi/info.hpp"

namespace vif::mpi {

// The hints that a window of that flavor knows, with the values given in `wished` (may be null) or their defaults.
Info* hints_of(int flavor, Info* wished);

}  // namespace vif::mpi
