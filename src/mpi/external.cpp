#include "mpi/external.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace vif::mpi {
namespace {

static_assert(std::endian::native == std::endian::little, "the external representation is written for this order");

template <class Word>
Word turned(Word word) noexcept {
  if constexpr (sizeof(Word) == 2) return __builtin_bswap16(word);
  if constexpr (sizeof(Word) == 4) return __builtin_bswap32(word);
  return __builtin_bswap64(word);
}

template <class Word>
void turn_words(const std::byte* from, std::byte* to, uint64_t count) noexcept {
  for (uint64_t i = 0; i < count; ++i, from += sizeof(Word), to += sizeof(Word)) {
    Word word;
    std::memcpy(&word, from, sizeof word);
    word = turned(word);
    std::memcpy(to, &word, sizeof word);
  }
}

// `count` numbers of `size` bytes each, the order of their bytes reversed.
void turn(const std::byte* from, std::byte* to, uint64_t count, unsigned size) noexcept {
  switch (size) {
    case 1:
      if (count != 0) std::memcpy(to, from, count);
      return;
    case 2:
      return turn_words<uint16_t>(from, to, count);
    case 4:
      return turn_words<uint32_t>(from, to, count);
    case 8:
      return turn_words<uint64_t>(from, to, count);
    default:
      for (uint64_t i = 0; i < count; ++i, from += size, to += size) std::reverse_copy(from, from + size, to);
  }
}

// Whether the bytes above the first `kept` ones only repeat the sign, or are zero.
bool fits(const std::byte* number, unsigned size, unsigned kept, bool has_sign) noexcept {
  const bool negative = has_sign && (number[kept - 1] & std::byte{0x80}) != std::byte{0};
  const std::byte filling = negative ? std::byte{0xff} : std::byte{0};
  return std::all_of(number + kept, number + size, [filling](std::byte each) { return each == filling; });
}

bool narrow(const Element& element, uint64_t count, const std::byte* from, std::byte* to) noexcept {
  const bool has_sign = element.conversion == Element::Conversion::narrow_signed;
  bool all_fit = true;
  for (uint64_t i = 0; i < count; ++i, from += element.size, to += element.external_size) {
    all_fit = fits(from, element.size, element.external_size, has_sign) && all_fit;
    turn(from, to, 1, element.external_size);
  }
  return all_fit;
}

void widen(const Element& element, uint64_t count, const std::byte* from, std::byte* to) noexcept {
  const bool has_sign = element.conversion == Element::Conversion::narrow_signed;
  for (uint64_t i = 0; i < count; ++i, from += element.external_size, to += element.size) {
    turn(from, to, 1, element.external_size);
    const bool negative = has_sign && (to[element.external_size - 1] & std::byte{0x80}) != std::byte{0};
    std::fill(to + element.external_size, to + element.size, negative ? std::byte{0xff} : std::byte{0});
  }
}

template <class From, class To, bool outwards>
void convert_reals(const std::byte* from, std::byte* to, uint64_t count) noexcept {
  static_assert(sizeof(From) == 16 && sizeof(To) == 16);
  for (uint64_t i = 0; i < count; ++i, from += sizeof(From), to += sizeof(To)) {
    std::byte bytes[sizeof(From)];
    if constexpr (outwards) {
      std::memcpy(bytes, from, sizeof bytes);
    } else {
      std::reverse_copy(from, from + sizeof bytes, bytes);
    }
    From number;
    std::memcpy(&number, bytes, sizeof number);
    To converted = static_cast<To>(number);
    std::memset(bytes, 0, sizeof bytes);
    std::memcpy(bytes, &converted, sizeof converted);
    if constexpr (outwards) {
      std::reverse_copy(bytes, bytes + sizeof bytes, to);
    } else {
      std::memcpy(to, bytes, sizeof bytes);
    }
  }
}

bool run_to_external(const Element& element, uint64_t count, const std::byte* from, std::byte* to) noexcept {
  switch (element.conversion) {
    case Element::Conversion::none:
      turn(from, to, count * element.parts, element.size / element.parts);
      return true;
    case Element::Conversion::extended_real:
      convert_reals<long double, __float128, true>(from, to, count * element.parts);
      return true;
    default:
      return narrow(element, count, from, to);
  }
}

void run_from_external(const Element& element, uint64_t count, const std::byte* from, std::byte* to) noexcept {
  switch (element.conversion) {
    case Element::Conversion::none:
      return turn(from, to, count * element.parts, element.size / element.parts);
    case Element::Conversion::extended_real:
      return convert_reals<__float128, long double, false>(from, to, count * element.parts);
    default:
      return widen(element, count, from, to);
  }
}

}  // namespace

bool to_external(const Signature& signature, uint64_t instances, const std::byte* from, std::byte* to) noexcept {
  bool all_fit = true;
  for (uint64_t i = 0; i < instances; ++i) {
    for (const Signature::Run& run : signature.runs) {
      if (run.inner != nullptr) {
        all_fit = to_external(*run.inner, run.count, from, to) && all_fit;
        from += run.count * run.inner->bytes;
        to += run.count * run.inner->external;
      } else {
        all_fit = run_to_external(run.element, run.count, from, to) && all_fit;
        from += run.count * run.element.size;
        to += run.count * run.element.external_size;
      }
    }
  }
  return all_fit;
}

void from_external(const Signature& signature, uint64_t instances, const std::byte* from, std::byte* to) noexcept {
  for (uint64_t i = 0; i < instances; ++i) {
    for (const Signature::Run& run : signature.runs) {
      if (run.inner != nullptr) {
        from_external(*run.inner, run.count, from, to);
        from += run.count * run.inner->external;
        to += run.count * run.inner->bytes;
      } else {
        run_from_external(run.element, run.count, from, to);
        from += run.count * run.element.external_size;
        to += run.count * run.element.size;
      }
    }
  }
}

}  // namespace vif::mpi
