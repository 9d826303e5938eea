// One operation on its way to a target whose memory the origin may not touch: the target does it, in whatever context
// its engine runs.
//
// The slot lies in the origin's shared memory. The origin fills it and posts it in the mailbox of the target; the
// target does what it says, writes what was asked for into `data`, and marks it.
// Context: handler (every function is safe there).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atoms.hpp"

namespace vif::rma {

// Whose the slot is.
//
// States: free -> posted (origin) -> done | refused (target) -> free (origin).
// Orderings: post(): relaxed, made visible by the push into the mailbox (release), which the target takes (acquire).
// finish(): store(release) with the origin's load(acquire) in finished(): the data are there, and the target will not
// look at the slot again.
template <class Atoms = base::RealAtoms>
class SlotState {
 public:
  void post() noexcept { state_.store(posted, std::memory_order_relaxed); }
  void finish(bool refuse) noexcept { state_.store(refuse ? refused : done, std::memory_order_release); }
  void give_back() noexcept { state_.store(nothing, std::memory_order_relaxed); }
  bool is_free() const noexcept { return state_.load(std::memory_order_relaxed) == nothing; }
  bool finished() const noexcept { return state_.load(std::memory_order_acquire) >= done; }
  bool was_refused() const noexcept { return state_.load(std::memory_order_relaxed) == refused; }

 private:
  enum : uint32_t { nothing, posted, done, refused };
  typename Atoms::template Atomic<uint32_t> state_{nothing};
};

struct alignas(64) Slot {
  enum class Kind : uint32_t { put, get, accumulate, fetch, swap };
  struct Piece {
    uint64_t address;  // at the target
    uint64_t bytes;
  };
  static constexpr uint32_t most_pieces = 256;
  static constexpr uint32_t most_bytes = 28 * 1024;

  SlotState<> state;
  uint32_t next;   // link of the mailbox
  int32_t origin;  // index in the job: whom to ring
  Kind kind;
  uint32_t combine;  // Combine::Kind
  uint32_t code;     // of its function
  uint32_t element;  // bytes of an element in memory
  uint32_t alignment;
  uint32_t pieces;
  uint64_t bytes;  // of data
  Piece piece[most_pieces];
  alignas(64) std::byte data[most_bytes];  // swap: the new value, then the one to compare with
};

}  // namespace vif::rma
