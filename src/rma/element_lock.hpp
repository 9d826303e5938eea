// The lock under which an accumulate changes the elements of one part of a window: what makes it atomic, element by
// element, whatever the type. Held for one short run of elements, by an application thread, never across a wait.
//
// States: 0 free, 1 held.
// Orderings: try_acquire: exchange(acquire) with release: store(release): the elements that the holder before wrote are
// visible.
// Context: app. (A handler that met the lock in the hands of the thread it interrupted would wait for ever.)
#pragma once

#include <cstdint>

#include "base/atoms.hpp"

namespace vif::rma {

template <class Atoms = base::RealAtoms>
class ElementLock {
 public:
  bool try_acquire() noexcept {
    return held_.load(std::memory_order_relaxed) == 0 && held_.exchange(1, std::memory_order_acquire) == 0;
  }
  void release() noexcept { held_.store(0, std::memory_order_release); }

 private:
  typename Atoms::template Atomic<uint32_t> held_{0};
};

}  // namespace vif::rma
