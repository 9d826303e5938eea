// The lock of one window at one target (MPI_Win_lock): shared or exclusive, in shared memory, in the order of the
// tickets, so that nobody starves.
//
// After the ticket lock for readers and writers of Mellor-Crummey and Scott (1991), with a place per ticket that says
// who waits, because a waiter may sleep and must then be rung.
//
// States. Tickets are numbered from 0. `next` is the first one not given out. A ticket for shared use is served when
// `read` has reached it, one for exclusive use when `write` has. Tickets from `read` on are all waiting, so there are
// at most as many as processes, and ticket t has the place t modulo that number to itself.
//   take        next + 1: my ticket t; place[t] = me
//   enter       shared: read == t, then read = t + 1                     exclusive: write == t
//   leave       shared: write + 1                                        exclusive: read = t + 1, then write + 1
//               In this order: were `write` moved first, the next exclusive holder could have moved `read` further
//               before
//               this one moves it back.
//
// Orderings, each with its partner:
//   read.store(release), write.fetch_add(release)   with the loads (acquire) of enter: what the holders before did with
//                                                   the memory is visible. The additions to `write` are one release
//                                                   sequence: an exclusive holder sees all readers.
//   place.store; fence (inside take)                with leave: counter; fence (inside); place.load: either the
//   waiter sees
//                                                   the counter, or whoever moved it sees whom to ring (arm, then look
//                                                   again).
//
// Context: handler (nothing waits here; waiting and ringing are the caller's).
#pragma once

#include <cstdint>

#include "base/atoms.hpp"

namespace vif::rma {

template <class Atoms = base::RealAtoms>
class TicketLock {
 public:
  using Place = typename Atoms::template Atomic<uint32_t>;
  static constexpr uint32_t nobody = 0;

  // `places`: as many as processes may use the lock. `me` is not `nobody`. Returns the ticket.
  uint32_t take(Place* places, uint32_t count, uint32_t me) noexcept {
    const uint32_t ticket = next_.fetch_add(1, std::memory_order_relaxed);
    places[ticket % count].store(me, std::memory_order_relaxed);
    Atoms::fence();
    return ticket;
  }

  // Whether the ticket is served now. Once true, the caller has the lock; it must call entered().
  bool may_enter(uint32_t ticket, bool exclusive) const noexcept {
    return (exclusive ? write_ : read_).load(std::memory_order_acquire) == ticket;
  }

  // Returns whom to ring: the waiter that may enter now too, or nobody.
  uint32_t entered(Place* places, uint32_t count, uint32_t ticket, bool exclusive) noexcept {
    places[ticket % count].store(nobody, std::memory_order_relaxed);
    if (exclusive) return nobody;
    read_.store(ticket + 1, std::memory_order_release);
    return waiter(places, count, ticket + 1);
  }

  // Gives up the lock. `ticket` matters to exclusive holders only. Returns whom to ring, or nobody.
  uint32_t leave(Place* places, uint32_t count, uint32_t ticket, bool exclusive) noexcept {
    if (exclusive) read_.store(ticket + 1, std::memory_order_release);
    const uint32_t served = write_.fetch_add(1, std::memory_order_release) + 1;
    return waiter(places, count, served);
  }

 private:
  static uint32_t waiter(Place* places, uint32_t count, uint32_t ticket) noexcept {
    Atoms::fence();
    return places[ticket % count].load(std::memory_order_relaxed);
  }

  typename Atoms::template Atomic<uint32_t> next_{0};
  typename Atoms::template Atomic<uint32_t> read_{0};
  typename Atoms::template Atomic<uint32_t> write_{0};
};

}  // namespace vif::rma
