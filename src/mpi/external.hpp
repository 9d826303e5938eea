// The external data representation "external32" of the standard: big-endian two's complement and IEEE numbers, one
// after the other without holes. Context: any.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi/signature.hpp"

namespace vif::mpi {

// Converts the elements of `instances` instances, packed as they are in memory, and back. False when a number does not
// fit its representation there (it is then cut).
bool to_external(const Signature& signature, uint64_t instances, const std::byte* from, std::byte* to) noexcept;
void from_external(const Signature& signature, uint64_t instances, const std::byte* from, std::byte* to) noexcept;

}  // namespace vif::mpi
