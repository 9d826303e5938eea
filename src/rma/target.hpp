// What every process of a window keeps in shared memory for those that come to it as their target.
//
//   TargetBlock | one place per process, for those that wait for its lock
//
// Context: any, as its parts say.
#pragma once

#include "net/shm/transfer.hpp"
#include "rma/attachments.hpp"
#include "rma/element_lock.hpp"
#include "rma/ticket_lock.hpp"

namespace vif::rma {

// Elements that are accumulated are locked by parts of the memory: the parts of one window share so many locks.
inline constexpr uint32_t element_locks = 32;
inline constexpr uint64_t element_part = 64 * 1024;

struct TargetBlock {
  alignas(64) TicketLock<> lock;
  alignas(64) net::shm::MatchedList<> mailbox;  // slots posted by origins, in units of 64 bytes
  alignas(64) Attachments<> attachments;
  struct alignas(64) Line {
    ElementLock<> lock;
  } elements[element_locks];

  TicketLock<>::Place* places() noexcept { return reinterpret_cast<TicketLock<>::Place*>(this + 1); }
  // The lock of the element at an address of the target.
  ElementLock<>& element_lock(uint64_t address) noexcept {
    return elements[address / element_part % element_locks].lock;
  }

  static uint64_t bytes(int processes) noexcept {
    return sizeof(TargetBlock) + static_cast<uint64_t>(processes) * sizeof(TicketLock<>::Place);
  }
};

}  // namespace vif::rma
