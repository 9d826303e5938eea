// Memory for intermediate data that operations have given back, kept for the next ones.
//
// A non-blocking reduction of 4 MB needs as much or twice that for what it receives. New from the C library each time,
// it is new from the kernel each time: a thousand page faults for 4 MB, longer than the reduction itself.
// Context: app; any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vif::coll {

// A piece of at least that many bytes, 64-byte aligned, and how many it really has. Throws std::bad_alloc.
std::byte* take_memory(uint64_t bytes, uint64_t& has);
// Gives back a piece with what take_memory() said that it has.
void give_memory(std::byte* memory, uint64_t has) noexcept;

// The same, by a pointer that owns.
struct GiveBack {
  uint64_t has = 0;
  void operator()(std::byte* memory) const noexcept { give_memory(memory, has); }
};

}  // namespace vif::coll
