// What an accumulate does with each element, and elements as they lie in memory.
//
// An element of a pair type may have holes: in a message it has fewer bytes than in memory. Accumulates work on
// elements as they lie in memory, holes and all. Context: any.
#pragma once

#include <cstddef>
#include <cstdint>

#include "data/view.hpp"

namespace vif::rma {

struct Combine {
  enum class Kind : uint8_t { nothing, replace, function };
  // inout = in (op) inout, element by element. Safe in a handler.
  using Function = void (*)(const void* in, void* inout, uint64_t count);

  Kind kind = Kind::nothing;
  uint32_t code = 0;  // names the function in other processes (Window::Setting::function_of)
  Function function = nullptr;
  uint32_t element = 1;    // bytes of an element in memory
  uint32_t alignment = 1;  // what the function expects
};

// One side of an accumulate: a view all of whose basic elements are of one type.
struct Elements {
  data::View view;
  std::byte* address = nullptr;
  uint32_t packed = 1;   // bytes of an element in a message
  uint32_t element = 1;  // and in memory

  uint64_t count() const noexcept { return view.size() / packed; }
  bool contiguous() const noexcept { return packed == element && view.contiguous(); }
};

// target = origin (op) target for so many bytes of elements; `old`, unless null, gets what was there before.
void apply(const Combine& combine, std::byte* target, const std::byte* origin, std::byte* old, uint64_t bytes) noexcept;

// Copies elements `first` to `first` + `count`, side by side as they lie in memory, from their places or to them.
void take_elements(const Elements& from, uint64_t first, uint64_t count, std::byte* to) noexcept;
void put_elements(const Elements& to, uint64_t first, uint64_t count, const std::byte* from) noexcept;

}  // namespace vif::rma
