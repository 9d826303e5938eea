// Buffered sends: see point_to_point_buffered.hpp. Context: app.
#include "mpi/point_to_point_buffered.hpp"

#include <new>

namespace vif::mpi {

struct BufferedSends::Segment {
  Segment* next;
  uint64_t bytes;  // with this header, a multiple of the alignment
  uint64_t number;
  net::Request net;

  void* message() noexcept { return this + 1; }
  std::byte* end() noexcept { return reinterpret_cast<std::byte*>(this) + bytes; }
};

namespace {
constexpr uint64_t round_up(uint64_t value, uint64_t unit) noexcept { return (value + unit - 1) / unit * unit; }
}  // namespace

BufferedSends::~BufferedSends() { flush(); }

// Drops the segments whose messages are gone.
void BufferedSends::sweep() {
  for (Segment** link = &first_; *link != nullptr;) {
    Segment* segment = *link;
    if (!segment->net.complete()) {
      link = &segment->next;
      continue;
    }
    *link = segment->next;
    segment->~Segment();
    if (automatic()) std::free(segment);
  }
}

// The first gap that is large enough.
BufferedSends::Segment* BufferedSends::place_in_memory(uint64_t bytes) {
  static_assert(sizeof(Segment) + 2 * alignof(Segment) <= MPI_BSEND_OVERHEAD);
  const auto start = reinterpret_cast<uintptr_t>(memory_);
  std::byte* at = static_cast<std::byte*>(memory_) + (round_up(start, alignof(Segment)) - start);
  std::byte* const limit = static_cast<std::byte*>(memory_) + bytes_;
  Segment** link = &first_;
  for (;; link = &(*link)->next) {
    std::byte* end = *link == nullptr ? limit : reinterpret_cast<std::byte*>(*link);
    if (end >= at && static_cast<uint64_t>(end - at) >= bytes) break;
    if (*link == nullptr) return nullptr;
    at = (*link)->end();
  }
  Segment* segment = new (at) Segment{*link, bytes, 0, {}};
  *link = segment;
  return segment;
}

BufferedSends::Segment* BufferedSends::place(uint64_t bytes) {
  if (!automatic()) return place_in_memory(bytes);
  void* memory = std::malloc(bytes);
  if (memory == nullptr) return nullptr;
  first_ = new (memory) Segment{first_, bytes, 0, {}};
  return first_;
}

bool BufferedSends::send(const Side& side) {
  const uint64_t bytes = round_up(sizeof(Segment) + static_cast<uint64_t>(side.bytes), alignof(Segment));
  std::lock_guard guard(lock_);
  sweep();
  Segment* segment = place(bytes);
  if (segment == nullptr) {
    engine().progress();
    sweep();
    segment = place(bytes);
    if (segment == nullptr) return false;
  }
  segment->number = ++sent_;
  pack(*side.type, side.count, side.buffer, segment->message());
  fill_send(segment->net, side, segment->message(), net::SendMode::standard);
  engine().send(segment->net);
  return true;
}

uint64_t BufferedSends::newest() {
  std::lock_guard guard(lock_);
  return sent_;
}

bool BufferedSends::left(uint64_t newest) {
  std::lock_guard guard(lock_);
  sweep();
  for (Segment* segment = first_; segment != nullptr; segment = segment->next) {
    if (segment->number <= newest) return false;
  }
  return true;
}

void BufferedSends::flush() {
  if (left(~uint64_t{0})) return;
  engine().wait_until([](void* self) { return static_cast<BufferedSends*>(self)->left(~uint64_t{0}); }, this);
}

}  // namespace vif::mpi
