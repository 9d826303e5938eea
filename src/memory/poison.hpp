// Tells the address sanitizer which objects are free, so that a use after free is found in this allocator as it is in
// the C library's. Nothing without that sanitizer. Context: any.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define VIF_MEMORY_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define VIF_MEMORY_POISONS 1
#endif
#endif

#ifdef VIF_MEMORY_POISONS
#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>
#endif

namespace vif::memory {

#ifdef VIF_MEMORY_POISONS
inline constexpr bool poisons = true;
#else
inline constexpr bool poisons = false;
#endif

inline void forbid_use([[maybe_unused]] void* start, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef VIF_MEMORY_POISONS
  __asan_poison_memory_region(start, bytes);
#endif
}

inline void allow_use([[maybe_unused]] void* start, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef VIF_MEMORY_POISONS
  __asan_unpoison_memory_region(start, bytes);
#endif
}

// Pointers that lie in these bytes keep what they point to from being reported as lost.
inline void may_hold_pointers([[maybe_unused]] void* start, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef VIF_MEMORY_POISONS
  __lsan_register_root_region(start, bytes);
#endif
}

}  // namespace vif::memory
