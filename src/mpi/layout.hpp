// Where the bytes of a datatype lie in memory: a small tree of loops, immutable and shared between the types built from
// it.
//
// Four shapes. `block`: bytes in one piece. `repeat`: an inner layout several times, a stride apart. `blocks`: many
// pieces. `parts`: several layouts, each at its offset. The order of the tree is the order of the bytes in a packed
// message. The make_ functions merge what touches, so that whatever is one piece is a `block`. Context: any, for
// copying; the make_ functions allocate: app.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace vif::mpi {

struct Layout;
using LayoutPointer = std::shared_ptr<const Layout>;

struct Layout {
  enum class Shape : uint8_t { block, repeat, blocks, parts };
  struct Piece {
    int64_t offset;
    uint64_t length;
  };
  struct Part {
    int64_t offset;
    LayoutPointer layout;
  };

  Shape shape = Shape::block;
  uint64_t size = 0;  // bytes of data in all
  int64_t first = 0;  // where the lowest byte lies, and one past the highest; both 0 when there are none
  int64_t end = 0;
  int64_t offset = 0;  // block
  uint64_t count = 0;  // repeat
  int64_t stride = 0;
  LayoutPointer inner;
  std::vector<Piece> pieces;  // blocks
  std::vector<Part> parts;    // parts
};

LayoutPointer make_block(int64_t offset, uint64_t length);
LayoutPointer make_repeat(const LayoutPointer& inner, uint64_t count, int64_t stride);
LayoutPointer make_parts(std::vector<Layout::Part> parts);

// Copies between `count` places described by the layout, `stride` apart, the first at `user`, and a stream of bytes. At
// most `limit` bytes; returns how many.
uint64_t gather(const Layout& layout, uint64_t count, int64_t stride, const void* user, void* stream,
                uint64_t limit) noexcept;
uint64_t scatter(const Layout& layout, uint64_t count, int64_t stride, void* user, const void* stream,
                 uint64_t limit) noexcept;

}  // namespace vif::mpi
