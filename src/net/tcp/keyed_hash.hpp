// SipHash-2-4: a short keyed hash (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012). Whoever does not
// know the key cannot tell the hash of a text that he has not seen hashed. Context: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace vif::net::tcp {

using Secret = std::array<uint8_t, 16>;

uint64_t keyed_hash(const Secret& key, const std::byte* text, size_t bytes) noexcept;

}  // namespace vif::net::tcp
