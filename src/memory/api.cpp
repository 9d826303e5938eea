// What programs call: include/vif/memory.hpp and include/vif/memory.h. Context: core and app.
#include <vif/memory.h>
#include <vif/memory.hpp>

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "base/options.hpp"
#include "memory/heap.hpp"
#include "memory/places.hpp"

namespace vif::memory {
namespace {

std::size_t chosen_largest() {
  uint64_t bytes = largest_class;
  base::parse_bytes(base::option("VIF_EMA_LARGEST"), bytes);
  return std::min<uint64_t>(bytes, largest_class);
}

// Requests up to this size get an object of a block. Read by every thread, written once.
std::size_t largest() noexcept {
  static const std::size_t bytes = chosen_largest();
  return bytes;
}

[[gnu::noinline]] void* from_the_library(std::size_t bytes, std::size_t alignment) noexcept {
  void* object = nullptr;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes == 0 ? 1 : bytes);
  return posix_memalign(&object, alignment, bytes) == 0 ? object : nullptr;
}

// Everything but the plain case: the thread is no place yet, or the request is large or strangely aligned.
[[gnu::noinline]] void* allocate_otherwise(PlaceNumber destination, std::size_t bytes, std::size_t alignment) noexcept {
  Place* place = places::join();
  if (place == nullptr || bytes > largest() || alignment > largest_alignment) return from_the_library(bytes, alignment);
  const unsigned size_class = class_of(bytes, std::max(alignment, natural_alignment));
  if (size_class == classes) return from_the_library(bytes, alignment);
  void* object = place->allocate(size_class, places::known(destination) ? destination : place->number());
  return object != nullptr ? object : from_the_library(bytes, alignment);
}

}  // namespace

PlaceNumber this_place() noexcept {
  Place* place = places::join();
  return place != nullptr ? place->number() : no_place;
}

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  Place* place = places::current();
  if (place == nullptr || bytes > largest() || alignment > natural_alignment) [[unlikely]] {
    return allocate_otherwise(no_place, bytes, alignment);
  }
  void* object = place->allocate(class_of(bytes));
  if (object == nullptr) [[unlikely]]
    return from_the_library(bytes, alignment);
  return object;
}

void* allocate_for(PlaceNumber destination, std::size_t bytes, std::size_t alignment) noexcept {
  Place* place = places::current();
  if (place == nullptr || bytes > largest() || alignment > natural_alignment || !places::known(destination))
      [[unlikely]] {
    return allocate_otherwise(destination, bytes, alignment);
  }
  void* object = place->allocate(class_of(bytes), destination);
  if (object == nullptr) [[unlikely]]
    return from_the_library(bytes, alignment);
  return object;
}

void release(void* object) noexcept {
  if (!Heap::owns(object)) [[unlikely]] {
    std::free(object);
    return;
  }
  Place* place = places::current();
  if (place == nullptr) [[unlikely]]
    place = places::join();
  if (place == nullptr) [[unlikely]] {
    places::of(block_of(object)->owner).post_alone(object);
    return;
  }
  place->free(object);
}

std::size_t usable_bytes(const void* object) noexcept {
  if (Heap::owns(object)) return block_of(object)->object_bytes;
  return malloc_usable_size(const_cast<void*>(object));
}

void trim() noexcept {
  if (Place* place = places::current()) place->trim();
}

Figures figures() noexcept {
  const Heap::Figures now = Heap::instance().figures();
  return {now.usable_bytes, now.held_bytes, now.cold_bytes};
}

}  // namespace vif::memory

extern "C" {

vif_place vif_this_place(void) { return vif::memory::this_place(); }
void* vif_allocate(size_t bytes) { return vif::memory::allocate(bytes); }
void* vif_allocate_for(vif_place place, size_t bytes) { return vif::memory::allocate_for(place, bytes); }
void vif_release(void* object) { vif::memory::release(object); }
size_t vif_usable_bytes(const void* object) { return vif::memory::usable_bytes(object); }
void vif_trim(void) { vif::memory::trim(); }

}  // extern "C"
