#include "coll/spare_memory.hpp"

#include <array>
#include <mutex>
#include <new>

namespace vif::coll {

namespace {

constexpr std::align_val_t alignment{64};
// Smaller ones the C library keeps by itself.
constexpr uint64_t smallest_kept = 64 * 1024;
constexpr uint64_t most_kept = 32 << 20;  // bytes, of a process

struct Piece {
  std::byte* memory = nullptr;
  uint64_t has = 0;
};

struct Spare {
  std::mutex lock;
  std::array<Piece, 16> pieces;
  uint64_t bytes = 0;
};

Spare& spare() {
  static Spare& instance = *new Spare;  // outlives operations that end after main()
  return instance;
}

}  // namespace

std::byte* take_memory(uint64_t bytes, uint64_t& has) {
  if (bytes >= smallest_kept) {
    Spare& all = spare();
    const std::lock_guard guard(all.lock);
    Piece* best = nullptr;
    for (Piece& piece : all.pieces) {
      // Not much more than is asked for: another one may need it.
      if (piece.has < bytes || piece.has > 2 * bytes || (best != nullptr && best->has <= piece.has)) continue;
      best = &piece;
    }
    if (best != nullptr) {
      has = best->has;
      all.bytes -= has;
      std::byte* const memory = best->memory;
      *best = {};
      return memory;
    }
  }
  has = bytes;
  return static_cast<std::byte*>(::operator new(bytes, alignment));
}

void give_memory(std::byte* memory, uint64_t has) noexcept {
  if (has >= smallest_kept) {
    Spare& all = spare();
    const std::lock_guard guard(all.lock);
    for (Piece& piece : all.pieces) {
      if (piece.memory != nullptr || all.bytes + has > most_kept) continue;
      piece = {memory, has};
      all.bytes += has;
      return;
    }
  }
  ::operator delete(memory, alignment);
}

}  // namespace vif::coll
