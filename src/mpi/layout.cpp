#include "mpi/layout.hpp"

#include <algorithm>

namespace vif::mpi {
namespace {

using Shape = Layout::Shape;

LayoutPointer make_blocks(std::vector<Layout::Piece> pieces) {
  auto layout = std::make_shared<Layout>();
  layout->shape = Shape::blocks;
  layout->first = pieces.front().offset;
  layout->end = layout->first;
  for (const Layout::Piece& piece : pieces) {
    layout->size += piece.length;
    layout->first = std::min(layout->first, piece.offset);
    layout->end = std::max(layout->end, piece.offset + static_cast<int64_t>(piece.length));
  }
  layout->pieces = std::move(pieces);
  return layout;
}

// Pieces of one length at a constant distance, which an index list often turns out to be; null when they are not.
LayoutPointer make_regular(const std::vector<Layout::Piece>& pieces) {
  if (pieces.size() < 3) return nullptr;
  const int64_t stride = pieces[1].offset - pieces[0].offset;
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    if (pieces[i].length != pieces[0].length || pieces[i].offset - pieces[i - 1].offset != stride) return nullptr;
  }
  return make_repeat(make_block(pieces[0].offset, pieces[0].length), pieces.size(), stride);
}

// The parts as pieces, neighbours merged, when they are blocks or lists of pieces; false when one of them is not.
bool flatten(const std::vector<Layout::Part>& parts, std::vector<Layout::Piece>& pieces) {
  auto add = [&pieces](int64_t offset, uint64_t length) {
    if (!pieces.empty() && pieces.back().offset + static_cast<int64_t>(pieces.back().length) == offset) {
      pieces.back().length += length;
    } else {
      pieces.push_back({offset, length});
    }
  };
  for (const Layout::Part& part : parts) {
    if (part.layout->shape == Shape::block) {
      add(part.offset + part.layout->offset, part.layout->size);
    } else if (part.layout->shape == Shape::blocks) {
      for (const Layout::Piece& piece : part.layout->pieces) add(part.offset + piece.offset, piece.length);
    } else {
      return false;
    }
  }
  return true;
}

// --- copying ---

template <bool to_stream>
struct Copier {
  using User = intptr_t;  // an address: relative to MPI_BOTTOM it is not a pointer to anything until it is used
  using Stream = std::conditional_t<to_stream, std::byte*, const std::byte*>;

  Stream stream;
  uint64_t left;

  static void move(User user, Stream at, uint64_t length) noexcept {
    if constexpr (to_stream) {
      __builtin_memcpy(at, reinterpret_cast<const void*>(user), length);
    } else {
      __builtin_memcpy(reinterpret_cast<void*>(user), at, length);
    }
  }

  void bytes(User user, uint64_t length) noexcept {
    length = std::min(length, left);
    move(user, stream, length);
    stream += length;
    left -= length;
  }

  // Rows of a length known to the compiler: each copy is one or two instructions.
  template <uint64_t length>
  void rows(User user, uint64_t count, int64_t stride) noexcept {
    const uint64_t whole = std::min(count, left / length);
    Stream at = stream;
    for (uint64_t i = 0; i < whole; ++i, user += stride, at += length) move(user, at, length);
    stream = at;
    left -= whole * length;
    if (whole < count) bytes(user, length);
  }

  void repeated_block(User user, uint64_t length, uint64_t count, int64_t stride) noexcept {
    switch (length) {
      case 1:
        return rows<1>(user, count, stride);
      case 2:
        return rows<2>(user, count, stride);
      case 4:
        return rows<4>(user, count, stride);
      case 8:
        return rows<8>(user, count, stride);
      case 12:
        return rows<12>(user, count, stride);
      case 16:
        return rows<16>(user, count, stride);
      case 24:
        return rows<24>(user, count, stride);
      case 32:
        return rows<32>(user, count, stride);
      default:
        break;
    }
    for (uint64_t i = 0; i < count && left != 0; ++i, user += stride) bytes(user, length);
  }

  void repeated(const Layout& inner, User user, uint64_t count, int64_t stride) noexcept {
    if (inner.shape == Shape::block) return repeated_block(user + inner.offset, inner.size, count, stride);
    for (uint64_t i = 0; i < count && left != 0; ++i, user += stride) copy(inner, user);
  }

  void copy(const Layout& layout, User user) noexcept {
    switch (layout.shape) {
      case Shape::block:
        return bytes(user + layout.offset, layout.size);
      case Shape::repeat:
        return repeated(*layout.inner, user, layout.count, layout.stride);
      case Shape::blocks:
        for (const Layout::Piece& piece : layout.pieces) {
          if (left == 0) return;
          bytes(user + piece.offset, piece.length);
        }
        return;
      case Shape::parts:
        for (const Layout::Part& part : layout.parts) {
          if (left == 0) return;
          copy(*part.layout, user + part.offset);
        }
        return;
    }
  }
};

}  // namespace

LayoutPointer make_block(int64_t offset, uint64_t length) {
  auto layout = std::make_shared<Layout>();
  layout->size = length;
  if (length != 0) {
    layout->offset = offset;
    layout->first = offset;
    layout->end = offset + static_cast<int64_t>(length);
  }
  return layout;
}

LayoutPointer make_repeat(const LayoutPointer& inner, uint64_t count, int64_t stride) {
  if (count == 0 || inner->size == 0) return make_block(0, 0);
  if (count == 1) return inner;
  if (inner->shape == Shape::block && stride == static_cast<int64_t>(inner->size)) {
    return make_block(inner->offset, count * inner->size);
  }
  if (inner->shape == Shape::repeat && stride == inner->stride * static_cast<int64_t>(inner->count)) {
    return make_repeat(inner->inner, inner->count * count, inner->stride);
  }
  auto layout = std::make_shared<Layout>();
  const int64_t last = stride * static_cast<int64_t>(count - 1);
  layout->shape = Shape::repeat;
  layout->size = inner->size * count;
  layout->first = inner->first + std::min<int64_t>(last, 0);
  layout->end = inner->end + std::max<int64_t>(last, 0);
  layout->count = count;
  layout->stride = stride;
  layout->inner = inner;
  return layout;
}

LayoutPointer make_parts(std::vector<Layout::Part> parts) {
  std::erase_if(parts, [](const Layout::Part& part) { return part.layout->size == 0; });
  if (parts.empty()) return make_block(0, 0);
  std::vector<Layout::Piece> pieces;
  if (flatten(parts, pieces)) {
    if (pieces.size() == 1) return make_block(pieces[0].offset, pieces[0].length);
    if (LayoutPointer regular = make_regular(pieces)) return regular;
    return make_blocks(std::move(pieces));
  }
  if (parts.size() == 1 && parts[0].offset == 0) return parts[0].layout;
  auto layout = std::make_shared<Layout>();
  layout->shape = Shape::parts;
  layout->first = parts[0].offset + parts[0].layout->first;
  layout->end = layout->first;
  for (const Layout::Part& part : parts) {
    layout->size += part.layout->size;
    layout->first = std::min(layout->first, part.offset + part.layout->first);
    layout->end = std::max(layout->end, part.offset + part.layout->end);
  }
  layout->parts = std::move(parts);
  return layout;
}

uint64_t gather(const Layout& layout, uint64_t count, int64_t stride, const void* user, void* stream,
                uint64_t limit) noexcept {
  if (limit == 0 || layout.size == 0) return 0;
  Copier<true> copier{static_cast<std::byte*>(stream), limit};
  copier.repeated(layout, reinterpret_cast<intptr_t>(user), count, stride);
  return limit - copier.left;
}

uint64_t scatter(const Layout& layout, uint64_t count, int64_t stride, void* user, const void* stream,
                 uint64_t limit) noexcept {
  if (limit == 0 || layout.size == 0) return 0;
  Copier<false> copier{static_cast<const std::byte*>(stream), limit};
  copier.repeated(layout, reinterpret_cast<intptr_t>(user), count, stride);
  return limit - copier.left;
}

}  // namespace vif::mpi
