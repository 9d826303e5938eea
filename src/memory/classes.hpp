// Size classes: which object size a request gets. Context: any.
//
// Multiples of 16 up to 128, then four classes to each doubling: at most a fifth of an object is unused beyond 128
// bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace vif::memory {

inline constexpr std::array<uint16_t, 24> class_bytes{16,  32,  48,  64,  80,  96,  112, 128,  160,  192,  224,  256,
                                                      320, 384, 448, 512, 640, 768, 896, 1024, 1280, 1536, 1792, 2048};
inline constexpr unsigned classes = class_bytes.size();
inline constexpr std::size_t granule = 16;
inline constexpr std::size_t largest_class = class_bytes.back();
inline constexpr std::size_t natural_alignment = 16;  // of every object
inline constexpr std::size_t largest_alignment = 64;  // that a class can give

namespace detail {
constexpr auto make_class_table() {
  std::array<uint8_t, largest_class / granule + 1> table{};
  unsigned at = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    while (class_bytes[at] < i * granule) ++at;
    table[i] = static_cast<uint8_t>(at);
  }
  return table;
}
inline constexpr auto class_table = make_class_table();
}  // namespace detail

// The class for `bytes`, at most largest_class. No byte gets the smallest class, so that every object has an address.
constexpr unsigned class_of(std::size_t bytes) noexcept { return detail::class_table[(bytes + granule - 1) / granule]; }

// The first class whose objects are all aligned to `alignment`, a power of two up to largest_alignment; `classes` when
// there is none for so many bytes.
constexpr unsigned class_of(std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes > largest_class) return classes;
  unsigned found = class_of(bytes);
  while (found < classes && class_bytes[found] % alignment != 0) ++found;
  return found;
}

}  // namespace vif::memory
