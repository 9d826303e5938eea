// Where the bytes of a datatype lie in memory: a small tree of loops, immutable and shared between the types built from
// it.
//
// Shapes. `block`: bytes in one piece. `repeat`: an inner layout several times, a stride apart. `list`: pieces of one
// length at any places. `blocks`: pieces of any lengths. `parts`: several layouts, each at its offset. The order of the
// tree is the order of the bytes in a message. The make_ functions merge what touches, so that whatever is one piece is
// a `block`. Context: app for the make_ functions, which allocate; any for the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace vif::data {

struct Layout;
using LayoutPointer = std::shared_ptr<const Layout>;

struct Layout {
  enum class Shape : uint8_t { block, repeat, list, blocks, parts };
  // `before`: bytes of the message that come before this one.
  struct Piece {
    int64_t offset;
    uint64_t length;
    uint64_t before;
  };
  struct Part {
    int64_t offset;
    LayoutPointer layout;
    uint64_t before = 0;
  };

  Shape shape = Shape::block;
  uint64_t size = 0;  // bytes of data in all
  int64_t first = 0;  // where the lowest byte lies, and one past the highest; both 0 when there are none
  int64_t end = 0;
  int64_t offset = 0;  // block
  uint64_t count = 0;  // repeat
  int64_t stride = 0;
  LayoutPointer inner;
  uint64_t length = 0;          // list
  std::vector<int32_t> places;  // list
  std::vector<Piece> pieces;    // blocks
  std::vector<Part> parts;      // parts
};

LayoutPointer make_block(int64_t offset, uint64_t length);
LayoutPointer make_repeat(const LayoutPointer& inner, uint64_t count, int64_t stride);
LayoutPointer make_parts(std::vector<Layout::Part> parts);

// The place in `pieces` or `parts` that holds byte `from` of the message; `from` is less than the size of all.
template <class List>
std::size_t place_of(const List& list, uint64_t from) noexcept {
  std::size_t low = 0, high = list.size();
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (list[middle].before <= from ? low : high) = middle;
  }
  return low;
}

}  // namespace vif::data
