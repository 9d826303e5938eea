// Parcels: objects freed by a third place, neither their allocator nor their destination, on their way to their
// allocator. The source calls the objects crumbs (Geneves 2013, 5.2.3).
//
// The freeing place fills a parcel per allocator and hands it over whole: one exchange for many objects, which nobody
// else has to touch (a chain through the objects would cost their owner a cache miss for each).
// A parcel is itself an object, allocated for the allocator. Without memory for one, or from a thread that is no place,
// a single object is its own parcel, with count 0: every object has room for that.
//
// Ordering: a parcel is written before Inbox::push (exchange, acq_rel) and read after Inbox::take (exchange, acquire);
// so the last accesses of the freed objects happen before their owner gives them out again.
// Context: the freeing thread fills and posts; the owner's thread takes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/inbox.hpp"

namespace vif::memory {

template <class Atoms, unsigned capacity>
struct Parcel : base::Inbox<Atoms>::Record {
  template <class T>
  using Plain = typename Atoms::template Plain<T>;

  Plain<uint32_t> count{0};
  Plain<uint32_t> bytes{0};  // of the objects
  Plain<void*> objects[capacity];

  // True when the parcel should be posted.
  bool put(void* object, uint32_t object_bytes, uint32_t enough_bytes) noexcept {
    objects[count] = object;
    count = count + 1;
    bytes = bytes + object_bytes;
    return count == capacity || bytes >= enough_bytes;
  }
};

inline constexpr std::size_t parcel_bytes = 512;
inline constexpr unsigned parcel_capacity = (parcel_bytes - 16) / sizeof(void*);
// So many bytes of freed objects are worth handing over before the parcel is full.
inline constexpr uint32_t parcel_enough_bytes = 16 * 1024;

using Crumbs = Parcel<base::RealAtoms, parcel_capacity>;
static_assert(sizeof(Crumbs) == parcel_bytes);

}  // namespace vif::memory
