// Which way long messages go when both sides wait: through the ring in pieces (two copies that overlap, one on each
// core), or by cross-memory copies (one copy, of which each side takes slices, paid in page look-ups). Which is cheaper
// depends on the machine, by factors both ways. Measured once by each process at its start, on its own memory; the job
// goes by the least that any of its processes saw, so that all choose the same way: an exchange whose two directions go
// different ways is slower than either.
//
// Learning from the messages themselves was tried and given up: see docs/decisions/0010.
#pragma once

#include <algorithm>

namespace vif::net {

// Nanoseconds per byte; 0: not known.
struct CopyPrices {
  float plain = 0;         // from one buffer to another
  float cross_memory = 0;  // process_vm_readv

  void least(const CopyPrices& other) noexcept {
    const auto smaller = [](float left, float right) {
      return left == 0 ? right : right == 0 ? left : std::min(left, right);
    };
    plain = smaller(plain, other.plain);
    cross_memory = smaller(cross_memory, other.cross_memory);
  }

  // Two waiting sides through the ring: both are busy for a copy, one of them from another core's cache. Two sides that
  // take slices: both are busy for half a cross-memory copy. It is the same comparison for the CPU time of two sides
  // that compute: is it worth to interrupt one, instead of leaving the message to the ring until they wait?
  bool ring_is_cheaper() const noexcept {
    return plain != 0 && cross_memory != 0 && cross_memory / 2 > plain * from_another_core;
  }

  // App context: about 0.1 ms.
  static CopyPrices measure();

 private:
  static constexpr float from_another_core = 1.25f;
};

}  // namespace vif::net
