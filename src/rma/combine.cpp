#include "rma/combine.hpp"

#include <algorithm>
#include <cstring>

#include "data/copy.hpp"
#include "rma/runs.hpp"

namespace vif::rma {
namespace {

constexpr uint64_t aside_bytes = 1024;

bool aligned(const void* address, uint32_t alignment) noexcept {
  return reinterpret_cast<uintptr_t>(address) % alignment == 0;
}

// The loops expect elements at their natural places; the program may have put them anywhere.
void combine_aside(const Combine& combine, std::byte* target, const std::byte* origin, uint64_t bytes) noexcept {
  alignas(64) std::byte in[aside_bytes], out[aside_bytes];
  const uint64_t most = aside_bytes / combine.element * combine.element;
  for (uint64_t done = 0; done < bytes; done += most) {
    const uint64_t now = std::min(most, bytes - done);
    std::memcpy(in, origin + done, now);
    std::memcpy(out, target + done, now);
    combine.function(in, out, now / combine.element);
    std::memcpy(target + done, out, now);
  }
}

}  // namespace

void apply(const Combine& combine, std::byte* target, const std::byte* origin, std::byte* old,
           uint64_t bytes) noexcept {
  if (old != nullptr) std::memcpy(old, target, bytes);
  switch (combine.kind) {
    case Combine::Kind::nothing:
      return;
    case Combine::Kind::replace:
      std::memcpy(target, origin, bytes);
      return;
    case Combine::Kind::function:
      if (aligned(target, combine.alignment) && aligned(origin, combine.alignment)) {
        combine.function(origin, target, bytes / combine.element);
      } else {
        combine_aside(combine, target, origin, bytes);
      }
  }
}

void take_elements(const Elements& from, uint64_t first, uint64_t count, std::byte* to) noexcept {
  if (from.packed == from.element) {
    data::gather(from.view, from.address, first * from.packed, to, count * from.packed);
    return;
  }
  each_run(from, first, count, [&](int64_t offset, uint64_t elements) {
    std::memcpy(to, from.address + offset, elements * from.element);
    to += elements * from.element;
    return true;
  });
}

void put_elements(const Elements& to, uint64_t first, uint64_t count, const std::byte* from) noexcept {
  if (to.packed == to.element) {
    data::scatter(to.view, to.address, first * to.packed, from, count * to.packed);
    return;
  }
  each_run(to, first, count, [&](int64_t offset, uint64_t elements) {
    std::memcpy(to.address + offset, from, elements * to.element);
    from += elements * to.element;
    return true;
  });
}

}  // namespace vif::rma
