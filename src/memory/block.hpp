// Block: 8 KiB of objects of one size, from one place (who allocates) to one place (who will use them).
//
// All objects of a block go to the same destination, so objects for different cores never share a cache line.
// A block lies at a multiple of its size: an object's block is its address with the low bits cleared.
// Each line of the head has one writer.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <vif/memory.hpp>

#include "base/atoms.hpp"
#include "memory/classes.hpp"
#include "memory/returns.hpp"

namespace vif::memory {

inline constexpr std::size_t block_bytes = 8192;
inline constexpr unsigned block_words = 8;  // of 64 objects each

struct Slot;

struct Block {
  // Written by the owner while it is the only one that knows the block; then read by everybody.
  uint32_t object_bytes = 0;
  uint32_t reciprocal = 0;  // of object_bytes, times 2^32, rounded up
  uint16_t total = 0;
  PlaceNumber owner = no_place;
  PlaceNumber destination = no_place;
  uint8_t size_class = 0;

  // Written by the owner.
  static constexpr uint16_t never = UINT16_MAX;
  alignas(64) uint32_t word = 0;  // of `available`, where the next object is looked for first
  uint16_t used = 0;              // objects given out that the owner does not know to be back
  uint16_t attention = never;     // when `used` falls to this, the owner has to put the block elsewhere
  bool listed = false;            // whether it is in the list of its slot
  Slot* slot = nullptr;
  Block* next = nullptr;
  Block* previous = nullptr;
  alignas(64) uint64_t available[block_words] = {};  // a bit is set: free, and known so to the owner

  // Written by the owner and by the destination, on lines of their own.
  ReturnBits<base::RealAtoms, block_words> returns;

  char* objects() noexcept { return reinterpret_cast<char*>(this + 1); }
  void* object(unsigned index) noexcept { return objects() + std::size_t{index} * object_bytes; }
  // Multiplication by the reciprocal is exact here: offsets are below 2^13.
  unsigned index_of(const void* object) noexcept {
    const auto offset = static_cast<uint64_t>(static_cast<const char*>(object) - objects());
    return static_cast<unsigned>((offset * reciprocal) >> 32);
  }
  bool foreign() const noexcept { return owner != destination; }
};

inline constexpr std::size_t block_room = block_bytes - sizeof(Block);
static_assert(sizeof(Block) == std::size_t{5 * 64});
static_assert(block_room / granule <= std::size_t{block_words} * 64, "every object has its bit");

inline Block* block_of(const void* object) noexcept {
  return reinterpret_cast<Block*>(reinterpret_cast<uintptr_t>(object) & ~(uintptr_t{block_bytes} - 1));
}

}  // namespace vif::memory
