// Pool: a bounded store of free places, taken and given back in any context without allocation and without waiting.
//
// It hands out numbers below its capacity; who uses it keeps an array beside it. The array of links is the caller's
// too, so that a pool may lie in shared memory.
//
// Free places form a stack. The head is one word: the number of the first free place and a count of all changes, so
// that a compare-and-swap does not succeed on a head that went away and came back in between (take A, take B, give A:
// the successor of A is not B any more). The count has 32 bits: a context would have to sleep through exactly a
// multiple of 2^32 changes between two instructions.
//
// Orderings, each with its partner:
//   give: compare-exchange(release)    with take: load(acquire) of the head: what the last user wrote in the place, and
//                                      the link stored before the swap, are visible to the next user.
//   take: compare-exchange(acquire)    reads what it loaded, or a newer head: then it acquires that one.
// A loop goes round again only when another context has changed the head meanwhile: somebody always progresses.
//
// Context: handler, except the constructor.
#pragma once

#include <cstdint>

#include "base/atoms.hpp"

namespace vif::base {

template <class Atoms = RealAtoms>
class Pool {
 public:
  using Link = typename Atoms::template Atomic<uint32_t>;

  static constexpr uint32_t none = UINT32_MAX;

  // Everything is free at first. `links` has `capacity` entries and outlives the pool.
  Pool(Link* links, uint32_t capacity) noexcept : links_(links) {
    for (uint32_t place = 0; place < capacity; ++place) {
      links_[place].store(place + 1 < capacity ? place + 1 : none, std::memory_order_relaxed);
    }
    head_.store(capacity != 0 ? 0 : none, std::memory_order_release);
  }

  // A free place, or `none` when all are taken.
  uint32_t take() noexcept {
    uint64_t head = head_.load(std::memory_order_acquire);
    for (;;) {
      const auto place = static_cast<uint32_t>(head);
      if (place == none) return none;
      // May be the link of a place that somebody has taken meanwhile; the swap then fails.
      const uint32_t next = links_[place].load(std::memory_order_relaxed);
      if (head_.compare_exchange_strong(head, changed(head, next), std::memory_order_acquire,
                                        std::memory_order_acquire)) {
        return place;
      }
    }
  }

  void give(uint32_t place) noexcept {
    uint64_t head = head_.load(std::memory_order_relaxed);
    do {
      links_[place].store(static_cast<uint32_t>(head), std::memory_order_relaxed);
    } while (!head_.compare_exchange_strong(head, changed(head, place), std::memory_order_release,
                                            std::memory_order_relaxed));
  }

 private:
  static uint64_t changed(uint64_t head, uint32_t place) noexcept { return (((head >> 32) + 1) << 32) | place; }

  // Written by every context that takes or gives.
  alignas(64) typename Atoms::template Atomic<uint64_t> head_{none};
  Link* links_;
};

}  // namespace vif::base
