// AreaCall: one small collective on the group's area (area.hpp), as three moments: enter, wait until ready, leave.
//
//                 writes its block      who is waited for            who combines, where
//   barrier       -                     all                          -
//   bcast,scatter root: everything      the root                     -
//   gather,reduce all                   all, by the root only        the root, in its buffer
//   allgather,
//   alltoall      all                   all                          -
//   allreduce     all                   the last to arrive           the last to arrive, in the slot; each process in
//   its own
//                                                                    buffer when few, or when the operator is user code
//   reduce_scatter all                  all                          each process in its own buffer
//   scan, exscan  all                   all; by the first: nobody    each process in its own buffer
//   gatherv,
//   alltoallv     all: short blocks     all, by those to whom a short block comes
//   scatterv      root: short blocks    the root, by those whose block is short
// Blocks are always combined in the order of ranks, so the result is the same bits in all processes and in all runs.
//
// Layout of a slot: its words, one block per process, one block for the result. Blocks are whole cache lines.
// Context: any, but leave() calls user operators: app when combines_user_code().
#pragma once

#include "coll/area.hpp"
#include "coll/coll.hpp"

namespace vif::coll {

struct AreaSlot : SlotWords<base::RealAtoms> {};

// Blocking operations use the first ones in turn, non-blocking ones the others: as neither order depends on the other,
// neither may wait for a slot of the other.
inline constexpr uint64_t area_slots = 4;  // of each order
// Up to this many processes each combines for itself, which saves the wait for a combined result.
inline constexpr int combine_alone_limit = 4;

// Bytes of one process's block, and of a whole slot.
uint64_t area_block(int size) noexcept;
uint64_t area_slot_bytes(int size) noexcept;

struct AreaCall {
  enum class Kind : uint8_t {
    never,  // does not fit
    barrier,
    bcast,
    scatter,
    gather,
    reduce,
    allgather,
    alltoall,
    allreduce,
    scan,
    exscan,
    reduce_scatter,
    // Blocks of different sizes, each known to the two processes that it concerns alone (area_vector.cpp).
    gatherv,
    scatterv,
    alltoallv
  };

  AreaCall(Group& its_group, Kind its_kind) noexcept : group(&its_group), kind(its_kind) {}

  // Whether the area can take it: the same answer in all processes.
  bool fits() const noexcept;

  // Takes the next use of the area in one of the two orders. App, once, in that order.
  void take_use(Order order) noexcept;
  // Writes and counts in, once the slot is open, and once only. False: not yet, and this process will be rung.
  bool enter() noexcept;
  // A process of the group has died: what is waited for may never come. The group is broken from then on.
  bool hopeless() const noexcept;
  // Whether what leave() needs is there. After enter().
  bool ready() const noexcept;
  bool combines_user_code() const noexcept;
  // Collects the result and counts out.
  void leave() noexcept;

  Group* group;
  Kind kind;
  const void* in = nullptr;
  void* out = nullptr;
  uint64_t bytes = 0;  // of one block; reductions: of the whole vector
  int root = 0;
  Reduction reduction;
  uint64_t first = 0;  // reductions: the elements that this process gets
  uint64_t count = 0;
  // The blocks' sizes and places in `out` when they differ (allgather; gatherv: at the root; alltoallv), and those in
  // `in` (scatterv: at the root; alltoallv, unless in place). `bytes` is the size of mine then.
  const uint64_t* sizes = nullptr;
  const int64_t* displacements = nullptr;
  const uint64_t* in_sizes = nullptr;
  const int64_t* in_displacements = nullptr;

  // The last three kinds: blocks up to this many bytes go through the area, longer ones as messages beside it.
  uint64_t short_limit() const noexcept;
  bool is_vector() const noexcept { return kind >= Kind::gatherv; }
  // Whether this process sends or receives a longer one.
  bool has_long_blocks() const noexcept;

 private:
  std::byte* block(int rank) const noexcept;
  const void* contribution() const noexcept;
  bool is_root() const noexcept { return group->rank == root; }
  bool reduces() const noexcept;
  bool last_combines() const noexcept;
  void combine(std::byte* to, int first_rank, int last_rank) const noexcept;
  void ring_others() const noexcept;
  void write_block() noexcept;
  void count_in() noexcept;
  uint64_t longest() const noexcept;
  void collect() noexcept;
  bool is_short(uint64_t size) const noexcept { return size != 0 && size <= short_limit(); }
  bool is_long(uint64_t size) const noexcept { return size > short_limit(); }
  bool is_me(int rank) const noexcept { return rank == group->rank; }
  bool awaits_blocks() const noexcept;
  std::byte& waits_mark(int rank) const noexcept;
  void write_short_blocks() noexcept;
  void ring_those_that_wait() const noexcept;
  void collect_short_blocks() noexcept;
  // alltoallv: where the block of one process for another lies.
  std::byte* cell(int from, int to) const noexcept { return block(from) + short_limit() * static_cast<uint64_t>(to); }

  SlotUse<> use_;
  std::byte* blocks_ = nullptr;
  bool entered_ = false;
  bool waits_ = true;  // the last three kinds: for blocks of others
};

}  // namespace vif::coll
