// A message as it lies in memory: `count` instances of a layout, `stride` bytes from one to the next, at an address
// that comes with it. A view does not own its layout. Context: any.
#pragma once

#include "data/layout.hpp"

namespace vif::data {

struct View {
  const Layout* layout = nullptr;
  uint64_t count = 0;
  int64_t stride = 0;

  uint64_t size() const noexcept { return layout->size * count; }

  // In one piece: then the message is size() bytes at address + offset().
  bool contiguous() const noexcept {
    return layout->shape == Layout::Shape::block && (count <= 1 || stride == static_cast<int64_t>(layout->size));
  }
  int64_t offset() const noexcept { return layout->offset; }

  // Where the lowest byte lies, and one past the highest, relative to the address. Only of views that are not empty.
  int64_t first() const noexcept { return layout->first + (stride < 0 ? reach() : 0); }
  int64_t end() const noexcept { return layout->end + (stride > 0 ? reach() : 0); }

 private:
  int64_t reach() const noexcept { return stride * static_cast<int64_t>(count - 1); }
};

}  // namespace vif::data
