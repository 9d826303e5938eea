// Copies between a message as it lies in memory and a stream of bytes. Context: any.
#pragma once

#include "data/view.hpp"

namespace vif::data {

// The bytes `from` to `from` + `bytes` of the message (no more than it has), between the user's memory and `stream`,
// which begins with byte `from`. Return how many.
uint64_t gather(const View& view, const void* user, uint64_t from, void* stream, uint64_t bytes) noexcept;
uint64_t scatter(const View& view, void* user, uint64_t from, const void* stream, uint64_t bytes) noexcept;

}  // namespace vif::data
