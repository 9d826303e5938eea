// Whether the sizes and bounds of a type can be told in an MPI_Count: asked by the constructors before anything is
// computed in one. In floating point, which has room for what does not fit. Context: app.
#pragma once

#include <algorithm>
#include <cmath>

#include "mpi/datatype.hpp"

namespace vif::mpi {

class Reach {
 public:
  // `count` blocks, `stride` bytes apart and the first `displacement` bytes from the beginning, of `length` instances.
  void add(long double count, long double length, long double stride, long double displacement, const Datatype& old) {
    const auto of_one = std::fabs(static_cast<long double>(old.lb)) + std::fabs(static_cast<long double>(old.extent)) +
                        std::fabs(static_cast<long double>(old.true_lb)) + static_cast<long double>(old.true_extent);
    size_ += count * length * static_cast<long double>(old.size);
    reach_ = std::max(reach_, std::fabs(displacement) + std::fabs(stride) * count + of_one * (length + 1));
  }

  bool fits() const { return size_ < limit && reach_ < limit; }

 private:
  // Half of what an MPI_Count holds: sums of two still fit.
  static constexpr long double limit = 0x1p62L;
  long double size_ = 0;
  long double reach_ = 0;
};

// Raises that a type would be too large.
int refuse_reach();

}  // namespace vif::mpi
