// Numbers of 16 bits (IEEE binary16), which the compilers we support cannot all compute with. Any context.
#pragma once

#include <bit>
#include <cstdint>

namespace vif::mpi {

struct Half {
  uint16_t bits;

  // Both conversions are implicit: the loops of the operators are written once for every type of number.
  operator float() const noexcept {  // NOLINT(google-explicit-constructor)
    const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
    const uint32_t exponent = (bits >> 10) & 0x1fu;
    const uint32_t fraction = bits & 0x3ffu;
    if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
    if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
    // Zero and numbers below the normal ones: fraction * 2^-24, exact in a float.
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }

  Half() = default;
  // Rounds to nearest, ties to even.
  Half(float value) noexcept {  // NOLINT(google-explicit-constructor)
    const uint32_t word = std::bit_cast<uint32_t>(value);
    const uint32_t sign = (word >> 16) & 0x8000u;
    const uint32_t magnitude = word & 0x7fffffffu;
    uint32_t result;
    if (magnitude > 0x7f800000u) {
      result = 0x7e00u;  // not a number
    } else if (magnitude >= 0x477ff000u) {
      result = 0x7c00u;  // infinite, or rounded to it
    } else if (magnitude >= 0x38800000u) {
      result = round(magnitude - 0x38000000u, 13);
    } else if (magnitude >= 0x33000000u) {
      const uint32_t shift = 126 - (magnitude >> 23);
      result = round((magnitude & 0x7fffffu) | 0x800000u, shift);
    } else {
      result = 0;
    }
    bits = static_cast<uint16_t>(sign | result);
  }

 private:
  static uint32_t round(uint32_t word, uint32_t shift) noexcept {
    const uint32_t half = 1u << (shift - 1);
    const uint32_t odd = (word >> shift) & 1u;
    return (word + half - 1 + odd) >> shift;
  }
};

}  // namespace vif::mpi
