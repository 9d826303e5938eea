// Heap: the blocks that no place has. One per process, behind a lock; places take and give several at a time.
//
// It reserves one range of addresses at the first use (no memory yet), and makes it usable in steps. That an object
// is of this allocator is then one comparison. What is free beyond a bound goes back to the system, page by page.
// Context: core and app, never a handler: it takes a lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "memory/block.hpp"

namespace vif::memory {

class Heap {
 public:
  static Heap& instance() noexcept;

  // Puts up to `wanted` blocks into `blocks`; returns how many. 0: no memory, or no addresses left.
  unsigned take(Block** blocks, unsigned wanted) noexcept;
  void give(Block** blocks, unsigned count) noexcept;

  struct Figures {
    std::size_t reserved_bytes;  // addresses
    std::size_t usable_bytes;    // made usable so far: the most that was ever needed at once
    std::size_t held_bytes;      // with places now
    std::size_t cold_bytes;      // free, and given back to the system
  };
  Figures figures() noexcept;

  // Whether the address is an object of a block. Any context.
  static bool owns(const void* address) noexcept {
    // Acquire: with the release store of the size, after that of the start. Who sees no size yet asks about an address
    // that cannot be an object of a block, for those are made after it.
    const std::size_t bytes = range_bytes.load(std::memory_order_acquire);
    return reinterpret_cast<uintptr_t>(address) - range_begin.load(std::memory_order_relaxed) < bytes;
  }

 private:
  Heap() noexcept;
  bool extend() noexcept;
  void cool() noexcept;
  Block* block_at(uint32_t index) const noexcept;

  // Written once, before the first block is handed out.
  static inline std::atomic<uintptr_t> range_begin{0};
  static inline std::atomic<std::size_t> range_bytes{0};

  std::mutex lock_;
  // Free blocks by number, a stack. The oldest `cold_` of them have no memory now. It lies in reserved memory too.
  uint32_t* free_ = nullptr;
  uint32_t free_count_ = 0;
  uint32_t cold_ = 0;
  uint32_t usable_ = 0;  // blocks below this number have been made usable
  uint32_t limit_ = 0;   // blocks that the range has
};

}  // namespace vif::memory
