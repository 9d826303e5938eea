#include "coll/area_call.hpp"

#include <algorithm>
#include <cstring>

#include "coll/area_limit.hpp"

namespace vif::coll {

namespace {

constexpr uint64_t line = 64;
constexpr uint64_t blocks_aim = 16 * 1024;  // all blocks of a slot together, while that leaves a line for each
constexpr uint64_t largest_block = 4096;

Collective collective_of_kind(AreaCall::Kind kind) noexcept {
  switch (kind) {
    case AreaCall::Kind::never:
    case AreaCall::Kind::barrier:
      return Collective::barrier;
    case AreaCall::Kind::bcast:
      return Collective::bcast;
    case AreaCall::Kind::scatter:
    case AreaCall::Kind::scatterv:
      return Collective::scatter;
    case AreaCall::Kind::gather:
    case AreaCall::Kind::gatherv:
      return Collective::gather;
    case AreaCall::Kind::reduce:
      return Collective::reduce;
    case AreaCall::Kind::allgather:
      return Collective::allgather;
    case AreaCall::Kind::alltoall:
    case AreaCall::Kind::alltoallv:
      return Collective::alltoall;
    case AreaCall::Kind::allreduce:
      return Collective::allreduce;
    case AreaCall::Kind::scan:
      return Collective::scan;
    case AreaCall::Kind::exscan:
      return Collective::exscan;
    case AreaCall::Kind::reduce_scatter:
      return Collective::reduce_scatter;
  }
  return Collective::barrier;
}

void copy_bytes(void* to, const void* from, uint64_t bytes) noexcept {
  if (bytes != 0 && to != from) std::memcpy(to, from, bytes);
}

}  // namespace

uint64_t area_block(int size) noexcept {
  const uint64_t share = blocks_aim / static_cast<uint64_t>(size) / line * line;
  return std::clamp(share, line, largest_block);
}

uint64_t area_slot_bytes(int size) noexcept {
  return sizeof(AreaSlot) + (static_cast<uint64_t>(size) + 1) * area_block(size);
}

uint64_t area_bytes(int size) noexcept { return 2 * area_slots * area_slot_bytes(size); }

uint64_t AreaCall::longest() const noexcept {
  return sizes == nullptr ? bytes : *std::max_element(sizes, sizes + group->size);
}

uint64_t area_limit(Collective collective, int size) noexcept {
  const uint64_t room = area_block(size);
  const uint64_t processes = static_cast<uint64_t>(size);
  if (collective == Collective::bcast) return room * processes;
  return collective == Collective::alltoall ? room / processes : room;
}

bool AreaCall::fits() const noexcept {
  if (group->slots == nullptr || kind == Kind::never) return false;
  const Collective collective = collective_of_kind(kind);
  if (is_vector()) return short_limit() != 0 && area_allowed(collective);
  return longest() <= area_limit(collective, group->size) && area_allowed(collective);
}

uint64_t AreaCall::short_limit() const noexcept { return area_limit(collective_of_kind(kind), group->size); }

bool AreaCall::hopeless() const noexcept {
  if (group->broken) return true;
  if (group->engine->failures() == 0) return false;
  for (int rank = 0; rank < group->size && !group->broken; ++rank) {
    group->broken = group->engine->has_failed(group->processes[rank]);
  }
  return group->broken;
}

void AreaCall::take_use(Order order) noexcept {
  const uint64_t number = group->area_uses[static_cast<size_t>(order)]++;
  const uint64_t place = static_cast<uint64_t>(order) * area_slots + number % area_slots;
  std::byte* slot = reinterpret_cast<std::byte*>(group->slots) + place * area_slot_bytes(group->size);
  AreaSlot& words = *reinterpret_cast<AreaSlot*>(slot);
  use_ = SlotUse<>(words, number / area_slots, static_cast<uint64_t>(group->size));
  blocks_ = slot + sizeof(AreaSlot);
  entered_ = false;
}

std::byte* AreaCall::block(int rank) const noexcept {
  return blocks_ + static_cast<uint64_t>(rank) * area_block(group->size);
}

const void* AreaCall::contribution() const noexcept { return in == in_place ? out : in; }

bool AreaCall::reduces() const noexcept {
  return kind == Kind::reduce || kind == Kind::allreduce || kind == Kind::scan || kind == Kind::exscan ||
         kind == Kind::reduce_scatter;
}

bool AreaCall::last_combines() const noexcept {
  return kind == Kind::allreduce && reduction.user == nullptr && group->size > combine_alone_limit;
}

bool AreaCall::combines_user_code() const noexcept {
  return reduces() && reduction.user != nullptr && (kind != Kind::reduce || is_root());
}

void AreaCall::ring_others() const noexcept {
  for (int rank = 0; rank < group->size; ++rank) {
    if (rank != group->rank) group->engine->ring(group->processes[rank]);
  }
}

bool AreaCall::enter() noexcept {
  if (entered_) return true;
  if (!use_.open_or_ask()) return false;
  entered_ = true;
  if (is_vector()) waits_ = awaits_blocks();
  if (kind != Kind::bcast && kind != Kind::scatter && kind != Kind::scatterv) {
    is_vector() ? write_short_blocks() : write_block();
    count_in();
  } else if (is_root()) {
    if (is_vector()) {
      write_short_blocks();
    } else {
      copy_bytes(blocks_, in, kind == Kind::bcast ? bytes : bytes * static_cast<uint64_t>(group->size));
    }
    use_.announce();
    is_vector() ? ring_those_that_wait() : ring_others();
  }
  return true;
}

void AreaCall::write_block() noexcept {
  const auto place = static_cast<uint64_t>(group->rank);
  const bool own_place = in == in_place;
  const std::byte* mine = static_cast<const std::byte*>(contribution());
  switch (kind) {
    case Kind::barrier:
      return;
    case Kind::gather:
    case Kind::allgather:
      if (own_place) mine += sizes == nullptr ? static_cast<int64_t>(bytes * place) : displacements[place];
      return copy_bytes(block(group->rank), mine, sizes == nullptr ? bytes : sizes[place]);
    case Kind::alltoall:
      return copy_bytes(block(group->rank), mine, bytes * static_cast<uint64_t>(group->size));
    default:
      copy_bytes(block(group->rank), mine, bytes);
  }
}

// The last to arrive makes the result when it must, and rings whoever may be waiting for it.
void AreaCall::count_in() noexcept {
  if (!use_.arrive()) return;
  if (kind == Kind::gather || kind == Kind::reduce) {
    if (!is_root()) group->engine->ring(group->processes[root]);
    return;
  }
  if (is_vector()) return ring_those_that_wait();
  if (last_combines()) {
    combine(block(group->size), 0, group->size - 1);
    use_.publish();
  }
  ring_others();
}

bool AreaCall::ready() const noexcept {
  switch (kind) {
    case Kind::bcast:
    case Kind::scatter:
      return is_root() || use_.arrived();
    case Kind::gather:
    case Kind::reduce:
      return !is_root() || use_.arrived();
    case Kind::scan:
    case Kind::exscan:
      return group->rank == 0 || use_.arrived();
    case Kind::gatherv:
    case Kind::scatterv:
    case Kind::alltoallv:
      return !waits_ || use_.arrived();
    default:
      return last_combines() ? use_.published() : use_.arrived();
  }
}

// The elements of this process, of the blocks of the ranks from the first to the last.
void AreaCall::combine(std::byte* to, int first_rank, int last_rank) const noexcept {
  const bool whole = last_combines();
  const uint64_t offset = whole ? 0 : first * reduction.element_size;
  const uint64_t elements = whole ? bytes / std::max<uint64_t>(1, reduction.element_size) : count;
  if (elements == 0) return;
  copy_bytes(to, block(last_rank) + offset, elements * reduction.element_size);
  for (int rank = last_rank - 1; rank >= first_rank; --rank) {
    if (reduction.user != nullptr) {
      reduction.user(block(rank) + offset, to, elements, reduction.argument);
    } else {
      reduction.function(block(rank) + offset, to, elements);
    }
  }
}

void AreaCall::collect() noexcept {
  std::byte* to = static_cast<std::byte*>(out);
  const int last = group->size - 1;
  switch (kind) {
    case Kind::never:
    case Kind::barrier:
      return;
    case Kind::gatherv:
    case Kind::scatterv:
    case Kind::alltoallv:
      return collect_short_blocks();
    case Kind::bcast:
      if (!is_root()) copy_bytes(to, blocks_, bytes);
      return;
    case Kind::scatter:
      if (out != in_place) copy_bytes(to, blocks_ + bytes * static_cast<uint64_t>(group->rank), bytes);
      return;
    case Kind::gather:
    case Kind::allgather:
      if (kind == Kind::gather && !is_root()) return;
      for (int rank = 0; rank <= last; ++rank) {
        const int64_t place = sizes == nullptr ? static_cast<int64_t>(bytes) * rank : displacements[rank];
        copy_bytes(to + place, block(rank), sizes == nullptr ? bytes : sizes[rank]);
      }
      return;
    case Kind::alltoall:
      for (int rank = 0; rank <= last; ++rank) {
        const std::byte* from = block(rank) + bytes * static_cast<uint64_t>(group->rank);
        copy_bytes(to + bytes * static_cast<uint64_t>(rank), from, bytes);
      }
      return;
    case Kind::reduce:
      if (is_root()) combine(to, 0, last);
      return;
    case Kind::allreduce:
      if (last_combines()) return copy_bytes(to, block(group->size), bytes);
      return combine(to, 0, last);
    case Kind::scan:
      return combine(to, 0, group->rank);
    case Kind::exscan:
      if (group->rank > 0) combine(to, 0, group->rank - 1);
      return;
    case Kind::reduce_scatter:
      return combine(to, 0, last);
  }
}

void AreaCall::leave() noexcept {
  collect();
  if (use_.depart()) ring_others();
}

}  // namespace vif::coll
