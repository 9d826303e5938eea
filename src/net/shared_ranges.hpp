// Memory of the program that the other processes of the job can map (MPI_Alloc_mem), and the mappings of theirs here.
//
// A long message between two such buffers is copied once, by memcpy, by either side; no system call, no ring. The owner
// keeps a table of its ranges; a transfer carries the places of its buffers (shm/transfer.hpp); who copies maps the
// range of the other side and keeps the mapping. Ranges of the job's file are never used twice, so a mapping that
// outlives its range is never taken for another one.
//
// Context: the owner of the engine; what maps or adds says so.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "net/shm/place.hpp"

namespace vif::net {

class SharedRanges {
 public:
  struct Range {
    std::byte* address = nullptr;
    uint64_t bytes = 0;
    uint64_t pages = 0;  // where it begins in the job's file
  };

  // App context. False: no memory for the table.
  bool make_room() noexcept {
    try {
      ranges_.reserve(ranges_.size() + 1);
    } catch (const std::bad_alloc&) {
      return false;
    }
    return true;
  }
  // After make_room().
  void add(const Range& range) noexcept { ranges_.insert(behind(range.address), range); }

  // The range that begins there, taken out of the table; empty: there is none.
  Range remove(const std::byte* address) noexcept {
    const auto next = behind(address);
    if (next == ranges_.begin() || std::prev(next)->address != address) return {};
    const Range found = *std::prev(next);
    ranges_.erase(std::prev(next));
    return found;
  }

  shm::Place place_of(const void* buffer, uint64_t length) noexcept {
    if (ranges_.empty()) return {};
    const auto* at = static_cast<const std::byte*>(buffer);
    const auto next = behind(at);
    if (next == ranges_.begin()) return {};
    const Range& range = *std::prev(next);
    const auto offset = static_cast<uint64_t>(at - range.address);
    if (offset > range.bytes || length > range.bytes - offset) return {};
    return {range.pages, range.bytes, offset};
  }

 private:
  std::vector<Range>::iterator behind(const std::byte* address) noexcept {
    return std::upper_bound(ranges_.begin(), ranges_.end(), address,
                            [](const std::byte* at, const Range& range) { return at < range.address; });
  }

  std::vector<Range> ranges_;  // by address
};

// Ranges of other processes as they are mapped here: the last few that were used.
class MappedRanges {
 public:
  struct Mapping {
    uint64_t pages = 0;
    uint64_t bytes = 0;
    std::byte* here = nullptr;
  };

  const Mapping* find(const shm::Place& place) const noexcept {
    for (const Mapping& mapping : mappings_) {
      if (mapping.here != nullptr && mapping.pages == place.pages && mapping.bytes == place.bytes) return &mapping;
    }
    return nullptr;
  }
  // The mapping that makes way for this one; empty: there was room.
  Mapping keep(const Mapping& mapping) noexcept {
    Mapping& slot = mappings_[next_++ % mappings_.size()];
    const Mapping old = slot;
    slot = mapping;
    return old;
  }
  template <class Visit>
  void each(Visit visit) noexcept {
    for (Mapping& mapping : mappings_) {
      if (mapping.here != nullptr) visit(mapping);
    }
  }

 private:
  std::array<Mapping, 64> mappings_{};
  size_t next_ = 0;
};

}  // namespace vif::net
