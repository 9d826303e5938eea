// The ring of cells by which one process sends packets to another: one producer, one consumer, in shared memory.
//
// A packet is one cell (one cache line: header and up to 24 bytes of payload) and, when it is larger, a piece of the
// data area beside the ring. Cost of a small packet: the one cache line that carries it.
//
// States of a cell at position p (p counts packets from 0; the cell is p modulo Cells):
//   stamp != p + 1   the producer may be filling it, or it holds an older packet
//   stamp == p + 1   packet p is complete; the consumer may read it, and its piece of the data area, until it moves its
//                    tail
// The stamp has a place of its own that no payload ever covers, so old contents never look like a stamp, and positions
// differ by Cells between two uses of a cell.
//
// Orderings, each with its partner:
//   producer: stamp.store(p + 1, release)     consumer: stamp.load(acquire): the packet's contents are visible.
//   consumer: tail.store(p + 1, release)      producer: tail.load(acquire): the consumer has finished reading the cell
//                                             and
//                                             the data before they are written again.
// A full ring: the producer announces `wants_room` and looks again; the consumer, having consumed a quarter of the ring
// or more, puts a full fence after its tail and looks at the announcement (rule 3: arm, then look again). It need not
// look more often: a full ring always has that quarter still to be consumed.
//
// Context: handler (every function is safe there).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atoms.hpp"

namespace vif::net::shm {

inline constexpr uint32_t cell_inline_bytes = 24;

template <class Atoms>
struct alignas(64) Cell {
  typename Atoms::template Atomic<uint32_t> stamp;
  uint8_t kind;
  uint8_t flags;
  uint16_t reserved;
  uint32_t payload;  // bytes that come with this packet: in line when they fit, else at data_offset
  uint32_t data_offset;
  uint32_t context;
  int32_t source;
  int32_t tag;
  uint32_t transfer;
  uint64_t length;  // of the whole message, or an offset in it
  std::byte bytes[cell_inline_bytes];
};

// The part written by the consumer, the part written by the producer, and the cells, as they lie in shared memory.
template <class Atoms, uint32_t Cells>
struct RingMemory {
  Cell<Atoms> cells[Cells];
  // Written by the consumer.
  struct alignas(64) {
    typename Atoms::template Atomic<uint64_t> tail;       // packets consumed
    typename Atoms::template Atomic<uint64_t> delivered;  // bytes of eager messages that left the unexpected store
  } consumer;
  // Written by the producer (set) and by the consumer (cleared when it rings).
  struct alignas(64) {
    typename Atoms::template Atomic<uint32_t> wants_room;
  } producer;
};

template <class Atoms, uint32_t Cells>
class RingProducer {
 public:
  using Memory = RingMemory<Atoms, Cells>;
  using CellType = Cell<Atoms>;

  // The data area: `bytes` at `offset` within the memory that data offsets are relative to.
  void open(Memory* memory, uint32_t data_offset, uint32_t data_bytes, uint32_t again_every = 0) noexcept {
    memory_ = memory;
    use_data(data_offset, data_bytes, again_every);
  }

  // Another data area for what comes next. The packets in flight keep their pieces of the old one.
  // again_every: each time when so many bytes of it were given out, the producer looks whether the consumer is done
  // with all of them, and then begins at the start again: the memory there is in the caches, and the rest of a large
  // area may never have been touched. 0: never.
  void use_data(uint32_t data_offset, uint32_t data_bytes, uint32_t again_every = 0) noexcept {
    data_base_ = data_offset;
    data_bytes_ = data_bytes;
    data_head_ = data_tail_ = looked_at_ = 0;
    data_from_ = head_;
    again_every_ = again_every;
  }

  uint32_t data_bytes() const noexcept { return data_bytes_; }
  uint64_t sent() const noexcept { return head_; }

  // The cell to fill for a packet with `payload` bytes outside it, or nullptr when there is no room now.
  // cell.data_offset is set. publish() must follow.
  CellType* reserve(uint32_t outside) noexcept {
    if (head_ - tail_ >= Cells && !see_tail()) return nullptr;
    CellType& cell = memory_->cells[head_ % Cells];
    if (outside != 0 && again_every_ != 0 && data_head_ - looked_at_ >= again_every_) begin_again();
    if (outside != 0 && !place(outside, cell.data_offset)) {
      if (!see_tail() || !place(outside, cell.data_offset)) return nullptr;
    }
    return &cell;
  }

  void publish(CellType& cell) noexcept {
    data_end_[head_ % Cells] = data_head_;
    ++head_;
    cell.stamp.store(static_cast<uint32_t>(head_), std::memory_order_release);
  }

  // Announces that room is wanted; the caller must try reserve() once more after it (the fence is inside).
  void want_room() noexcept {
    // The analyzer does not know that open() comes first. NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
    memory_->producer.wants_room.store(1, std::memory_order_relaxed);
    Atoms::fence();
  }

  uint64_t delivered() const noexcept { return memory_->consumer.delivered.load(std::memory_order_acquire); }

 private:
  // Refreshes the consumer's tail. True when something was freed.
  bool see_tail() noexcept {
    const uint64_t tail = memory_->consumer.tail.load(std::memory_order_acquire);
    if (tail == tail_) return false;
    if (tail > data_from_) data_tail_ = data_end_[(tail - 1) % Cells];
    tail_ = tail;
    return head_ - tail_ < Cells;
  }

  // Everything was consumed: what follows lies at the start of the data area.
  void begin_again() noexcept {
    see_tail();
    if (tail_ == head_) {
      data_head_ += data_bytes_ - data_head_ % data_bytes_;
      data_tail_ = data_head_;
    }
    looked_at_ = data_head_;
  }

  // A piece that does not wrap round. data_head_ and data_tail_ count bytes for ever; the area is a ring of
  // data_bytes_.
  bool place(uint32_t outside, uint32_t& offset) noexcept {
    const uint32_t bytes = (outside + 63) & ~63u;
    const uint64_t at = data_head_ % data_bytes_;
    const uint64_t skip = at + bytes > data_bytes_ ? data_bytes_ - at : 0;
    if (data_head_ + skip + bytes - data_tail_ > data_bytes_) return false;
    data_head_ += skip;
    offset = data_base_ + static_cast<uint32_t>(data_head_ % data_bytes_);
    data_head_ += bytes;
    return true;
  }

  Memory* memory_ = nullptr;
  uint64_t head_ = 0;       // packets published
  uint64_t tail_ = 0;       // packets known to be consumed
  uint64_t data_head_ = 0;  // bytes of the data area given out
  uint64_t data_tail_ = 0;  // bytes of the data area known to be free again
  uint64_t data_from_ = 0;  // first packet that uses the present data area
  uint64_t looked_at_ = 0;  // data_head_ when it was last looked whether to begin again
  uint32_t data_base_ = 0;
  uint32_t data_bytes_ = 0;
  uint32_t again_every_ = 0;
  uint64_t data_end_[Cells] = {};  // data_head_ after each packet in flight
};

template <class Atoms, uint32_t Cells>
class RingConsumer {
 public:
  using Memory = RingMemory<Atoms, Cells>;
  using CellType = Cell<Atoms>;

  void open(Memory* memory) noexcept { memory_ = memory; }

  // The next packet, or nullptr. It stays readable until consume().
  const CellType* peek() const noexcept {
    const CellType& cell = memory_->cells[tail_ % Cells];
    return cell.stamp.load(std::memory_order_acquire) == static_cast<uint32_t>(tail_ + 1) ? &cell : nullptr;
  }

  // Done with the packet that peek() returned. True when the producer has asked for room and must be rung.
  bool consume() noexcept {
    const CellType& cell = memory_->cells[tail_ % Cells];
    bytes_since_look_ += cell.payload;
    ++tail_;
    memory_->consumer.tail.store(tail_, std::memory_order_release);
    if (++cells_since_look_ < Cells / 4 && bytes_since_look_ < look_bytes_) return false;
    cells_since_look_ = 0;
    bytes_since_look_ = 0;
    Atoms::fence();
    if (memory_->producer.wants_room.load(std::memory_order_relaxed) == 0) return false;
    memory_->producer.wants_room.store(0, std::memory_order_relaxed);
    return true;
  }

  uint64_t consumed() const noexcept { return tail_; }

  // Bytes of data after which consume() looks whether the producer waits: at most a quarter of the smallest data area.
  void look_every(uint32_t bytes) noexcept { look_bytes_ = bytes; }

  void delivered(uint64_t bytes) noexcept {
    delivered_ += bytes;
    memory_->consumer.delivered.store(delivered_, std::memory_order_release);
  }

 private:
  Memory* memory_ = nullptr;
  uint64_t tail_ = 0;
  uint64_t delivered_ = 0;
  uint32_t cells_since_look_ = 0;
  uint64_t bytes_since_look_ = 0;
  uint64_t look_bytes_ = 1024;
};

}  // namespace vif::net::shm
