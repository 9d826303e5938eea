// A large message being copied once, by whoever of the two sides has time for it: "the side that waits does the copy".
//
// The descriptor lies in shared memory. The sender publishes it with the request-to-send packet; the receiver adds
// where the bytes go. From then on both sides claim slices and see that they get across (the receiver by reading the
// sender's memory, the sender by writing into the receiver's or by sending the slice through the ring), until all is
// claimed; the message has arrived when all that was claimed is done. A computing side leaves it to the other; when
// both compute, an interrupt does it.
//
// States
//   free        in the sender's pool
//   offered     the sender waits for a match            (sender: free -> offered, before the packet)
//   kept        a matched probe took it aside            (receiver: offered -> kept)
//   matched     the receiver has given its buffer       (receiver: offered -> matched, kept -> matched)
//   withdrawn   the send was cancelled before a match    (sender: offered -> withdrawn)
//   left        the receiver will not look at it again   (receiver: matched -> left once all is done; withdrawn ->
//                                                        left)
//               The sender takes it back to its pool: left -> free.
// offered -> matched, offered -> kept and offered -> withdrawn are compare-and-swaps: exactly one of match, probe and
// cancel succeeds. What is kept is the receiver's: only it goes on, to matched.
//
// Orderings, each with its partner:
//   offer: store(offered, release)                      match: compare-exchange(acquire): address and length are
//                                                       visible.
//   match: compare-exchange(matched, release)           is_matched: load(acquire): the receiver's address is visible.
//   finish: done.fetch_add(n, acq_rel)                  complete: load(acquire): the bytes copied by the other side are
//                                                       visible.
//   leave: store(left, release)                         reclaim: load(acquire): the receiver's last reads came before.
//   claim: fetch_add(relaxed): it only divides the range, and nobody learns about data from it.
//
// Context: handler (every function is safe there).
#pragma once

#include <cstdint>

#include "base/atoms.hpp"
#include "net/shm/place.hpp"

namespace vif::net::shm {

// How the bytes travel.
enum class Route : uint32_t { cross_memory, through_ring };

// `unit`: bytes that are not divided; slices are multiples of it.
template <class Atoms = base::RealAtoms, uint64_t unit = 1024>
class alignas(64) Transfer {
 public:
  enum class State : uint32_t { free, offered, matched, withdrawn, left, kept };

  // --- sender ---
  // `place`: of the buffer, when other processes can map it. `ring_first`: when both sides wait, the sender sends the
  // bytes through the ring and the receiver leaves it to that; otherwise both take slices, and a side may copy while
  // both compute. `contiguous`: the bytes lie side by side at the address.
  void offer(uint64_t address, uint64_t length, bool attentive, bool ring_first, bool contiguous = true,
             const Place& place = {}) noexcept {
    sender_address_ = address;
    sender_place_ = place;
    length_ = length;
    sender_attentive_ = attentive;
    ring_first_ = ring_first;
    contiguous_ = contiguous;
    claimed_.store(0, std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
    failed_.store(0, std::memory_order_relaxed);
    unable_.store(0, std::memory_order_relaxed);
    state_.store(static_cast<uint32_t>(State::offered), std::memory_order_release);
  }

  // The sender has not told the receiver of it: the descriptor is free again.
  void abandon() noexcept { state_.store(static_cast<uint32_t>(State::free), std::memory_order_relaxed); }

  bool withdraw() noexcept { return change(State::offered, State::withdrawn); }
  bool is_matched() const noexcept { return load() == State::matched || load() == State::left; }

  // True once: the descriptor is the sender's again.
  bool reclaim() noexcept {
    if (load() != State::left) return false;
    state_.store(static_cast<uint32_t>(State::free), std::memory_order_relaxed);
    return true;
  }

  // Sender-private, kept here for the sender to find its request by: which of its descriptors this is.
  uint32_t index = 0;
  // Link of the sender's list of matched transfers: written by the receiver before it pushes (see MatchedList).
  uint32_t next_matched = 0;

  // --- receiver ---
  // The message is taken aside for a later match, which then succeeds. False: the sender withdrew it.
  bool keep() noexcept { return change(State::offered, State::kept); }

  // False: the sender withdrew it. `length`: how much the receiver takes, at most what was offered. Where both buffers
  // can be mapped, each side copies as cheaply as through the ring.
  bool match(uint64_t address, uint64_t length, Route route, bool attentive, const Place& place = {}) noexcept {
    receiver_address_ = address;
    receiver_place_ = place;
    if (direct()) ring_first_ = false;
    taken_ = length;
    route_ = route;
    receiver_attentive_ = attentive;
    return change(State::offered, State::matched) || change(State::kept, State::matched);
  }

  void leave() noexcept { state_.store(static_cast<uint32_t>(State::left), std::memory_order_release); }

  // --- both, once matched ---
  // Claims the next slice: the sender from the front, the receiver from the back. A buffer that is used again then
  // moves less between their caches than with slices in turn: nearly every line is copied by the side that copied it
  // before. False when nothing is left to claim.
  bool claim(bool front, uint64_t slice, uint64_t& from, uint64_t& bytes) noexcept {
    if (all_claimed()) return false;
    const uint64_t units = slice / unit;
    const uint64_t before = claimed_.fetch_add(front ? units : units << 32, std::memory_order_relaxed);
    const uint64_t begin = before & 0xffff'ffff, end = units_of(taken_) - (before >> 32);
    if (begin + (before >> 32) >= units_of(taken_)) return false;
    const uint64_t first = front || end - begin < units ? begin : end - units;
    const uint64_t last = front && end - begin > units ? begin + units : end;
    from = first * unit;
    bytes = (last * unit < taken_ ? last * unit : taken_) - from;
    return true;
  }

  // `bytes` of claimed work are done. True for the one that finishes the message.
  bool finish(uint64_t bytes) noexcept { return done_.fetch_add(bytes, std::memory_order_acq_rel) + bytes == taken_; }

  bool complete() const noexcept { return done_.load(std::memory_order_acquire) == taken_; }
  bool all_claimed() const noexcept {
    const uint64_t claimed = claimed_.load(std::memory_order_relaxed);
    return (claimed & 0xffff'ffff) + (claimed >> 32) >= units_of(taken_);
  }

  // The memory of the other side could not be read or written: recorded, and the claimed bytes still count as done.
  void fail(uint32_t error_number) noexcept { failed_.store(error_number, std::memory_order_relaxed); }
  uint32_t failure() const noexcept { return failed_.load(std::memory_order_relaxed); }

  // A side that may not touch the memory of the other says so, once (then it is told true), and tells the other: that
  // one moves everything, whoever waits. It is a hint which way to take; what is told comes after it.
  bool cannot_move(bool sender) noexcept {
    const uint32_t bit = bit_of(sender);
    return (unable_.load(std::memory_order_relaxed) & bit) == 0 &&
           (unable_.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
  }
  bool moves(bool sender) const noexcept { return (unable_.load(std::memory_order_relaxed) & bit_of(sender)) == 0; }

  uint64_t sender_address() const noexcept { return sender_address_; }
  uint64_t receiver_address() const noexcept { return receiver_address_; }
  uint64_t length() const noexcept { return length_; }
  uint64_t taken() const noexcept { return taken_; }
  Route route() const noexcept { return route_; }
  // Whether a side wants to be interrupted when the transfer is complete (something depends on it while it computes).
  bool ring_first() const noexcept { return ring_first_; }
  bool contiguous() const noexcept { return contiguous_; }
  const Place& sender_place() const noexcept { return sender_place_; }
  const Place& receiver_place() const noexcept { return receiver_place_; }
  // Once matched: each side can map the buffer of the other.
  bool direct() const noexcept { return sender_place_.shared() && receiver_place_.shared(); }
  bool sender_attentive() const noexcept { return sender_attentive_; }
  bool receiver_attentive() const noexcept { return receiver_attentive_; }

  // For a side that must not trust the other: the state as it is.
  State load() const noexcept { return static_cast<State>(state_.load(std::memory_order_acquire)); }

 private:
  static constexpr uint32_t bit_of(bool sender) noexcept { return sender ? 1 : 2; }
  static constexpr uint64_t units_of(uint64_t bytes) noexcept { return (bytes + unit - 1) / unit; }

  bool change(State from, State to) noexcept {
    uint32_t expected = static_cast<uint32_t>(from);
    return state_.compare_exchange_strong(expected, static_cast<uint32_t>(to), std::memory_order_acq_rel,
                                          std::memory_order_acquire);
  }

  // Written by the sender before `offered`.
  uint64_t sender_address_;
  uint64_t length_;
  Place sender_place_;
  bool contiguous_;
  // Written by the receiver before `matched`.
  uint64_t receiver_address_;
  Place receiver_place_;
  uint64_t taken_;
  Route route_;
  bool sender_attentive_;
  bool ring_first_;  // by the sender, and by the receiver before `matched`
  bool receiver_attentive_;
  typename Atoms::template Atomic<uint32_t> state_{0};
  // Written by both. Units claimed from the front, and from the back in the upper half: together they pass the whole
  // only by what is claimed in vain, once for each side.
  alignas(64) typename Atoms::template Atomic<uint64_t> claimed_{0};
  typename Atoms::template Atomic<uint64_t> done_{0};
  typename Atoms::template Atomic<uint32_t> failed_{0};
  typename Atoms::template Atomic<uint32_t> unable_{0};
};

// The transfers of one sender that were matched and that it has not looked at yet: pushed by receivers, emptied by the
// sender, so that a sender with thousands of offers looks only at those that move. Zero is the empty list; ids are not
// zero.
//
// Orderings: push: compare-exchange(release) with take_all: exchange(acquire): next_matched and the match are visible.
template <class Atoms = base::RealAtoms>
class MatchedList {
 public:
  // `link`: the next_matched of transfer `id`. Lock-free; no transfer is in the list twice.
  void push(uint32_t id, uint32_t& link) noexcept {
    uint32_t head = head_.load(std::memory_order_relaxed);
    do {
      link = head;
    } while (!head_.compare_exchange_strong(head, id, std::memory_order_release, std::memory_order_relaxed));
  }
  uint32_t take_all() noexcept { return head_.exchange(0, std::memory_order_acquire); }
  bool empty() const noexcept { return head_.load(std::memory_order_relaxed) == 0; }

 private:
  typename Atoms::template Atomic<uint32_t> head_{0};
};

}  // namespace vif::net::shm
