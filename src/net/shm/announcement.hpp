// A receive that its process announced to the sender before it began to compute: the sender can write the message
// straight into the buffer, and nobody need be interrupted to match it.
//
// One in each ring, beside its control lines. The receiver announces only a receive that would take the very next
// message of the sender that fits it, and says how many packets it had consumed by then. The sender takes it only if it
// has published no packet since: then no earlier message can have a better claim, whatever else is posted later.
//
// States, in the low bits of the word; above them the number of the announcement
//   free        the receiver may announce
//   announced   the sender may take it, the receiver may withdraw it: compare-and-swaps, exactly one succeeds
//   taken       the sender has bound a message to it; free again when the receiver has seen that message's packet
//
// Orderings, each with its partner:
//   announce: store(announced, release)                 take: load(acquire): the values are visible.
//   take: compare-exchange(acq_rel)                     the values are read before it; with the number in the word, it
//                                                       fails when they were of another announcement.
//   withdraw: compare-exchange(acq_rel)                 the values of the next announcement are written after it.
// The values are atomics only because a sender that is about to fail may read them while they change.
//
// Context: handler (every function is safe there).
#pragma once

#include <cstdint>

#include "base/atoms.hpp"
#include "net/shm/place.hpp"

namespace vif::net::shm {

// What the sender must know of the receive.
struct Announced {
  uint32_t context = 0;
  int32_t source = 0;  // rank of the sender in the communicator
  int32_t tag = 0;
  bool attentive = false;  // the receiver wants to be told at once when the message is complete
  uint64_t consumed = 0;   // packets of this ring, when it was announced
  uint64_t address = 0;
  uint64_t length = 0;
  Place place;  // of the buffer, when other processes can map it
};

template <class Atoms>
class alignas(64) Announcement {
 public:
  // --- receiver ---
  // False: the last one is not free yet.
  bool announce(const Announced& values) noexcept {
    const uint32_t word = word_.load(std::memory_order_relaxed);
    if ((word & state_bits) != free) return false;
    context_.store(values.context, std::memory_order_relaxed);
    source_.store(values.source, std::memory_order_relaxed);
    tag_.store(values.tag, std::memory_order_relaxed);
    attentive_.store(values.attentive ? 1 : 0, std::memory_order_relaxed);
    consumed_.store(values.consumed, std::memory_order_relaxed);
    address_.store(values.address, std::memory_order_relaxed);
    length_.store(values.length, std::memory_order_relaxed);
    pages_.store(values.place.pages, std::memory_order_relaxed);
    range_bytes_.store(values.place.bytes, std::memory_order_relaxed);
    offset_.store(values.place.offset, std::memory_order_relaxed);
    word_.store((word | state_bits) + 1 + announced, std::memory_order_release);
    return true;
  }

  // False: the sender has taken it.
  bool withdraw() noexcept { return change(announced, free); }

  // The packet of the message that took it has come. False: no message took it.
  bool settle() noexcept { return change(taken, free); }

  // --- sender ---
  bool pending() const noexcept { return (word_.load(std::memory_order_relaxed) & state_bits) == announced; }

  // The announcement, if there is one for this message. `sent`: packets published in this ring so far.
  bool take(uint32_t context, int32_t source, int32_t tag, uint64_t sent, Announced& values) noexcept {
    uint32_t word = word_.load(std::memory_order_acquire);
    if ((word & state_bits) != announced) return false;
    values = {context_.load(std::memory_order_relaxed),
              source_.load(std::memory_order_relaxed),
              tag_.load(std::memory_order_relaxed),
              attentive_.load(std::memory_order_relaxed) != 0,
              consumed_.load(std::memory_order_relaxed),
              address_.load(std::memory_order_relaxed),
              length_.load(std::memory_order_relaxed),
              {pages_.load(std::memory_order_relaxed), range_bytes_.load(std::memory_order_relaxed),
               offset_.load(std::memory_order_relaxed)}};
    if (values.context != context || values.source != source || values.tag != tag || values.consumed != sent) {
      return false;
    }
    return word_.compare_exchange_strong(word, (word & ~state_bits) + taken, std::memory_order_acq_rel,
                                         std::memory_order_relaxed);
  }

 private:
  static constexpr uint32_t free = 0, announced = 1, taken = 2, state_bits = 3;

  bool change(uint32_t from, uint32_t to) noexcept {
    uint32_t word = word_.load(std::memory_order_relaxed);
    if ((word & state_bits) != from) return false;
    return word_.compare_exchange_strong(word, (word & ~state_bits) + to, std::memory_order_acq_rel,
                                         std::memory_order_relaxed);
  }

  typename Atoms::template Atomic<uint32_t> word_{0};
  typename Atoms::template Atomic<uint32_t> context_{0};
  typename Atoms::template Atomic<int32_t> source_{0};
  typename Atoms::template Atomic<int32_t> tag_{0};
  typename Atoms::template Atomic<uint32_t> attentive_{0};
  typename Atoms::template Atomic<uint64_t> consumed_{0};
  typename Atoms::template Atomic<uint64_t> address_{0};
  typename Atoms::template Atomic<uint64_t> length_{0};
  typename Atoms::template Atomic<uint64_t> pages_{0};
  typename Atoms::template Atomic<uint64_t> range_bytes_{0};
  typename Atoms::template Atomic<uint64_t> offset_{0};
};

}  // namespace vif::net::shm
