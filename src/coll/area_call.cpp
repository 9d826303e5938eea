#include "coll/area_call.hpp"

#include <algorithm>
#include <cstring>

namespace vif::coll {

namespace {

constexpr uint64_t line = 64;
constexpr uint64_t blocks_aim = 16 * 1024;  // all blocks of a slot together, while that leaves a line for each
constexpr uint64_t largest_block = 4096;

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

uint64_t area_bytes(int size) noexcept { return area_slots * area_slot_bytes(size); }

bool AreaCall::fits() const noexcept {
  if (group->slots == nullptr || kind == Kind::never) return false;
  const uint64_t room = area_block(group->size);
  const uint64_t processes = static_cast<uint64_t>(group->size);
  if (kind == Kind::bcast) return bytes <= room * processes;
  if (kind == Kind::alltoall) return bytes <= room / processes;
  return bytes <= room;
}

void AreaCall::take_use() noexcept {
  const uint64_t number = group->area_uses++;
  std::byte* slot = reinterpret_cast<std::byte*>(group->slots) + number % area_slots * area_slot_bytes(group->size);
  AreaSlot& words = *reinterpret_cast<AreaSlot*>(slot);
  use_ = SlotUse<>(words, number / area_slots, static_cast<uint64_t>(group->size));
  blocks_ = slot + sizeof(AreaSlot);
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
  if (!use_.open_or_ask()) return false;
  switch (kind) {
    case Kind::barrier:
      break;
    case Kind::bcast:
    case Kind::scatter:
      if (!is_root()) return true;
      copy_bytes(blocks_, in, kind == Kind::bcast ? bytes : bytes * static_cast<uint64_t>(group->size));
      use_.announce();
      ring_others();
      return true;
    case Kind::gather:
    case Kind::allgather: {
      const bool own_place = in == in_place;
      const std::byte* mine = static_cast<const std::byte*>(contribution());
      copy_bytes(block(group->rank), own_place ? mine + bytes * static_cast<uint64_t>(group->rank) : mine, bytes);
      break;
    }
    case Kind::alltoall:
      copy_bytes(block(group->rank), contribution(), bytes * static_cast<uint64_t>(group->size));
      break;
    default:
      copy_bytes(block(group->rank), contribution(), bytes);
  }
  count_in();
  return true;
}

// The last to arrive makes the result when it must, and rings whoever may be waiting for it.
void AreaCall::count_in() noexcept {
  if (!use_.arrive()) return;
  if (kind == Kind::gather || kind == Kind::reduce) {
    if (!is_root()) group->engine->ring(group->processes[root]);
    return;
  }
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
    case Kind::bcast:
      if (!is_root()) copy_bytes(to, blocks_, bytes);
      return;
    case Kind::scatter:
      if (out != in_place) copy_bytes(to, blocks_ + bytes * static_cast<uint64_t>(group->rank), bytes);
      return;
    case Kind::gather:
    case Kind::allgather:
      if (kind == Kind::gather && !is_root()) return;
      for (int rank = 0; rank <= last; ++rank) copy_bytes(to + bytes * static_cast<uint64_t>(rank), block(rank), bytes);
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
