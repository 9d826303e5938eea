// Memory for objects that one thread makes and another uses: the colour-aware allocator of Vif, for C++.
//
//   vif::memory::Resource resource;                           std::pmr: memory that the allocating thread uses
//   std::pmr::vector<int> numbers(&resource);
//   std::vector<int, vif::memory::Allocator<int>> others;     the same as a standard allocator
//   void* message = vif::memory::allocate_for(place, 96);     an object that another thread will use and release
//
// Allocation and release take no lock and no atomic read-modify-write instruction, even when another thread releases
// than the one that allocated. Objects for different destinations never share a cache line.
// Context: every thread may call every function; none may be called in a signal handler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>

// Marks what the libraries of Vif offer to programs.
#ifndef VIF_PUBLIC
#define VIF_PUBLIC __attribute__((visibility("default")))
#endif

namespace vif::memory {

// A thread that allocates, or a core of a scheduler: where an object will be used.
using PlaceNumber = uint16_t;
inline constexpr PlaceNumber no_place = UINT16_MAX;

// The place of the calling thread. A thread that is none becomes one. no_place when 512 threads are places already:
// such a thread gets its memory from the C library.
VIF_PUBLIC PlaceNumber this_place() noexcept;

// Memory that the calling thread will use and release; anybody else may. nullptr when there is no memory. Zero bytes
// give an address of their own. The alignment is a power of two. Above VIF_EMA_LARGEST bytes, or an alignment of 64,
// memory comes from the C library.
[[nodiscard]] VIF_PUBLIC void* allocate(std::size_t bytes, std::size_t alignment = 16) noexcept;

// The same for an object that the thread of `place` will use and release: it is released fastest there. An unknown
// place counts as the calling thread's.
[[nodiscard]] VIF_PUBLIC void* allocate_for(PlaceNumber place, std::size_t bytes, std::size_t alignment = 16) noexcept;

// Releases what one of the above returned, or does nothing with nullptr. Any thread, at any time, even when the thread
// that allocated has ended.
VIF_PUBLIC void release(void* object) noexcept;

// How many bytes the object has, at least those asked for.
VIF_PUBLIC std::size_t usable_bytes(const void* object) noexcept;

// Hands over what the calling thread has released for others and still holds back to hand over in bulk (at most 16 KiB
// for each other thread), and gives its unused memory back. For a thread that goes idle for long.
VIF_PUBLIC void trim() noexcept;

// What the process has, in bytes: made usable so far (the peak), held by places now, and given back to the system.
// Objects above the limits above are not counted.
struct Figures {
  std::size_t peak;
  std::size_t held;
  std::size_t returned;
};
VIF_PUBLIC Figures figures() noexcept;

// A std::pmr memory resource. Without a place: for the thread that allocates. All resources without a place are equal,
// and every resource can release what another has allocated.
class Resource : public std::pmr::memory_resource {
 public:
  explicit Resource(PlaceNumber place = no_place) noexcept : place_(place) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* object = allocate_for(place_, bytes, alignment);
    if (object == nullptr) throw std::bad_alloc();
    return object;
  }
  void do_deallocate(void* object, std::size_t, std::size_t) override { release(object); }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return dynamic_cast<const Resource*>(&other) != nullptr;
  }

  PlaceNumber place_;
};

// A standard allocator, for the thread that allocates.
template <class T>
class Allocator {
 public:
  using value_type = T;

  Allocator() noexcept = default;
  template <class U>
  Allocator(const Allocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor): as for every allocator

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > SIZE_MAX / sizeof(T)) throw std::bad_array_new_length();
    void* object = memory::allocate(count * sizeof(T), alignof(T));
    if (object == nullptr) throw std::bad_alloc();
    return static_cast<T*>(object);
  }
  void deallocate(T* object, std::size_t) noexcept { release(object); }

  template <class U>
  bool operator==(const Allocator<U>&) const noexcept {
    return true;
  }
};

}  // namespace vif::memory
