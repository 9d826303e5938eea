// Memory that the processes of the job can map of each other (shared_ranges.hpp). Context: as said.
#include <sys/mman.h>

#include "net/core.hpp"

namespace vif::net {
namespace {

// What is mapped with all its pages at once; of larger ranges each page is mapped when it is touched.
constexpr uint64_t populated_at_once = 64 * 1024 * 1024;

// Ranges of the file are not used twice: a few absurd ones must not use it up.
constexpr uint64_t largest_range = uint64_t{1} << 46;

}  // namespace

// App context. Null: the caller takes memory of its own.
std::byte* Core::allocate(uint64_t bytes) noexcept {
  std::string error;
  if (bytes > largest_range) return nullptr;
  const uint64_t pages = segment_.new_pages(bytes);
  if (!segment_.lay_out_pages(pages, bytes)) return nullptr;
  std::byte* address = segment_.map_pages(pages, bytes, error);
  wait_to_own();
  const bool kept = address != nullptr && shared_ranges_.make_room();
  if (kept) shared_ranges_.add({address, bytes, pages});
  disown();
  if (kept) return address;
  if (address != nullptr) segment_.unmap_pages(address, bytes);
  segment_.free_pages(pages, bytes);
  return nullptr;
}

// App context. False: it was not allocated here.
bool Core::release(std::byte* address) noexcept {
  wait_to_own();
  const SharedRanges::Range range = shared_ranges_.remove(address);
  disown();
  if (range.address == nullptr) return false;
  segment_.unmap_pages(range.address, range.bytes);
  segment_.free_pages(range.pages, range.bytes);
  return true;
}

// A buffer of another process, as it is seen here; null: it cannot be had. Owned; any context: mapping is a system call
// that takes no lock of the program.
std::byte* Core::mapped(const shm::Place& place, uint64_t length) noexcept {
  if (!place.shared() || place.offset > place.bytes || length > place.bytes - place.offset) return nullptr;
  if (const MappedRanges::Mapping* known = mapped_ranges_.find(place)) return known->here + place.offset;
  if (!segment_.given_out(place.pages, place.bytes)) return nullptr;
  const int populate = owner_ != Owner::handler && place.bytes <= populated_at_once ? MAP_POPULATE : 0;
  std::byte* here = segment_.map_again(place.pages, place.bytes, populate);
  if (here == nullptr) return nullptr;
  const MappedRanges::Mapping old = mapped_ranges_.keep({place.pages, place.bytes, here});
  if (old.here != nullptr) segment_.unmap_pages(old.here, old.bytes);
  return here + place.offset;
}

}  // namespace vif::net
