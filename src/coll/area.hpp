// Area: the protocol of small collectives in memory that all processes of a group share.
//
// With more processes than cores every message of a collective costs a turn of the scheduler; here each process needs
// one turn: it writes its part, counts itself in, and when it runs again the result is there.
//
// The area has a few slots, used in turn: operation number k takes slot k % slots for its use number k / slots. A use
// of a slot by `size` processes goes through:
//   open       everybody has departed from the use before; writing may begin
//   arrivals   each process writes its block, then arrive(); the last one is told that it is the last. When only a root
//              writes, nobody arrives: the root writes everything, then announce()s, which counts all in at once
//   publish    where one process makes a result from all blocks, it publishes it when it is written
//   departures each process, when it has read what it needs and will not touch the slot again, depart()s
// Counters only grow: use u is complete at size * (u + 1), and nothing is ever reset while somebody may look.
//
// Who makes a condition true rings those that may wait for it: the last to arrive, the announcer, the publisher.
// Waiting for a slot to open is rare (someone is `slots` operations ahead), so those who wait for it say so in
// `starved`, and the last to depart rings only then.
//
// Orderings, each with its partner:
//   arrive: acq_rel           with arrive of the last, and with arrived(): acquire. Every block is visible to whoever
//   sees
//                             all arrivals (the additions form one release sequence). Without it stale blocks are read.
//   announce: release         with arrived(): acquire. The root's data is visible.
//   publish: release          with published(): acquire. The result is visible.
//   depart: acq_rel           with open(): acquire. Reads of the use before come before writes of the next. Without it
//   a
//                             slow reader may see the data of the next use.
//   starved store, fence, open again    with depart, fence, starved exchange: either the starved process sees the slot
//                             open or the last departer sees that it must ring.
// Context: any.
#pragma once

#include <cstdint>

#include "base/atoms.hpp"

namespace vif::coll {

template <class Atoms>
struct SlotWords {
  template <class T>
  using Atomic = typename Atoms::template Atomic<T>;

  // Written by those that arrive, or by the announcing root.
  alignas(64) Atomic<uint64_t> arrivals{0};
  // Written by the process that makes the result.
  alignas(64) Atomic<uint64_t> published{0};
  // Written by those that depart; `starved` by those that wait for the slot, and by the last to depart.
  alignas(64) Atomic<uint64_t> departures{0};
  Atomic<uint32_t> starved{0};
};

// One use of a slot, seen by one process.
template <class Atoms = base::RealAtoms>
class SlotUse {
 public:
  SlotUse() noexcept = default;
  SlotUse(SlotWords<Atoms>& words, uint64_t use, uint64_t size) noexcept : words_(&words), use_(use), size_(size) {}

  // Not "exactly that many": others may have departed from this very use already.
  bool open() const noexcept { return words_->departures.load(std::memory_order_acquire) >= size_ * use_; }

  // As open(); when false, whoever opens the slot will ring everybody. To be called again after each ring: a ring
  // answers all marks made before it.
  bool open_or_ask() const noexcept {
    if (open()) return true;
    words_->starved.store(1, std::memory_order_relaxed);
    Atoms::fence();
    return open();
  }

  // After my block is written. True: all have arrived, and the others may be waiting for that.
  bool arrive() const noexcept { return words_->arrivals.fetch_add(1, std::memory_order_acq_rel) + 1 == complete(); }
  void announce() const noexcept { words_->arrivals.store(complete(), std::memory_order_release); }
  bool arrived() const noexcept { return words_->arrivals.load(std::memory_order_acquire) >= complete(); }

  void publish() const noexcept { words_->published.store(use_ + 1, std::memory_order_release); }
  bool published() const noexcept { return words_->published.load(std::memory_order_acquire) > use_; }

  // The slot is not mine any more. True: it is open for its next use, and somebody has asked to be rung.
  bool depart() const noexcept {
    if (words_->departures.fetch_add(1, std::memory_order_acq_rel) + 1 != complete()) return false;
    Atoms::fence();
    return words_->starved.exchange(0, std::memory_order_relaxed) != 0;
  }

 private:
  uint64_t complete() const noexcept { return size_ * (use_ + 1); }

  SlotWords<Atoms>* words_ = nullptr;
  uint64_t use_ = 0;
  uint64_t size_ = 1;
};

}  // namespace vif::coll
