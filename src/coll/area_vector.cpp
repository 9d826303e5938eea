// Gatherv, scatterv and alltoallv on the area. No process knows all sizes, but both ends of a block know its own: short
// blocks go through the area, longer ones as messages beside it, and nobody needs to be asked. Each process counts
// itself in and out in any case, and waits only when a short block comes to it.
// Context: as in area_call.hpp.
#include <algorithm>
#include <cstring>

#include "coll/area_call.hpp"

namespace vif::coll {

namespace {

void copy_bytes(void* to, const void* from, uint64_t bytes) noexcept {
  if (bytes != 0) std::memcpy(to, from, bytes);
}

std::byte* at(void* base, int64_t offset) noexcept { return static_cast<std::byte*>(base) + offset; }
const std::byte* at(const void* base, int64_t offset) noexcept { return static_cast<const std::byte*>(base) + offset; }

}  // namespace

bool AreaCall::has_long_blocks() const noexcept {
  const auto any_long = [this](const uint64_t* all) {
    return std::any_of(all, all + group->size, [this](uint64_t size) { return is_long(size); });
  };
  switch (kind) {
    case Kind::gatherv:
      return is_root() ? any_long(sizes) : is_long(bytes);
    case Kind::scatterv:
      return is_root() ? any_long(in_sizes) : is_long(bytes);
    default:
      return any_long(sizes) || (in != in_place && any_long(in_sizes));
  }
}

bool AreaCall::awaits_blocks() const noexcept {
  if (kind == Kind::scatterv) return !is_root() && is_short(bytes);
  if (kind == Kind::gatherv && !is_root()) return false;
  for (int rank = 0; rank < group->size; ++rank) {
    if (!is_me(rank) && is_short(sizes[rank])) return true;
  }
  return false;
}

// Where a process tells the last to arrive that it waits: a place that no block of it takes.
std::byte& AreaCall::waits_mark(int rank) const noexcept {
  return kind == Kind::gatherv ? *block(rank) : *cell(rank, rank);
}

void AreaCall::write_short_blocks() noexcept {
  const int me = group->rank;
  if (kind == Kind::gatherv && !is_root()) {
    if (is_short(bytes)) copy_bytes(block(me), in, bytes);
    return;
  }
  if (kind != Kind::scatterv) waits_mark(me) = std::byte{waits_};
  if (kind == Kind::gatherv) return;
  const bool own_place = in == in_place;
  const void* const from = own_place ? out : in;
  const uint64_t* const lengths = own_place ? sizes : in_sizes;
  const int64_t* const places = own_place ? displacements : in_displacements;
  for (int rank = 0; rank < group->size; ++rank) {
    if (is_me(rank) || !is_short(lengths[rank])) continue;
    copy_bytes(kind == Kind::scatterv ? block(rank) : cell(me, rank), at(from, places[rank]), lengths[rank]);
  }
}

// By the last to arrive, or the root that announces.
void AreaCall::ring_those_that_wait() const noexcept {
  for (int rank = 0; rank < group->size; ++rank) {
    if (is_me(rank) || (kind == Kind::gatherv && rank != root)) continue;
    const bool waits = kind == Kind::scatterv ? is_short(in_sizes[rank]) : waits_mark(rank) != std::byte{0};
    if (waits) group->engine->ring(group->processes[rank]);
  }
}

void AreaCall::collect_short_blocks() noexcept {
  const int me = group->rank;
  if (kind == Kind::scatterv) {
    if (out == in_place || !is_short(bytes)) return;
    return copy_bytes(out, is_root() ? at(in, in_displacements[me]) : block(me), bytes);
  }
  if (kind == Kind::gatherv && !is_root()) return;
  for (int rank = 0; rank < group->size; ++rank) {
    if (!is_short(sizes[rank]) || (is_me(rank) && in == in_place)) continue;
    const std::byte* from = kind == Kind::gatherv ? block(rank) : cell(rank, me);
    if (is_me(rank)) from = at(in, kind == Kind::gatherv ? 0 : in_displacements[me]);
    copy_bytes(at(out, displacements[rank]), from, sizes[rank]);
  }
}

}  // namespace vif::coll
