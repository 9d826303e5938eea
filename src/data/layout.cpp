#include "data/layout.hpp"

#include <algorithm>
#include <limits>

namespace vif::data {
namespace {

using Shape = Layout::Shape;

// Pieces of one length at a constant distance, which an index list often turns out to be; null when they are not.
LayoutPointer make_regular(const std::vector<Layout::Piece>& pieces) {
  if (pieces.size() < 3) return nullptr;
  const int64_t stride = pieces[1].offset - pieces[0].offset;
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    if (pieces[i].length != pieces[0].length || pieces[i].offset - pieces[i - 1].offset != stride) return nullptr;
  }
  return make_repeat(make_block(pieces[0].offset, pieces[0].length), pieces.size(), stride);
}

bool is_list(const std::vector<Layout::Piece>& pieces) {
  return std::all_of(pieces.begin(), pieces.end(), [&pieces](const Layout::Piece& piece) {
    return piece.length == pieces.front().length && piece.offset >= std::numeric_limits<int32_t>::min() &&
           piece.offset <= std::numeric_limits<int32_t>::max();
  });
}

LayoutPointer make_pieces(std::vector<Layout::Piece> pieces) {
  auto layout = std::make_shared<Layout>();
  layout->first = pieces.front().offset;
  layout->end = layout->first;
  for (Layout::Piece& piece : pieces) {
    piece.before = layout->size;
    layout->size += piece.length;
    layout->first = std::min(layout->first, piece.offset);
    layout->end = std::max(layout->end, piece.offset + static_cast<int64_t>(piece.length));
  }
  if (is_list(pieces)) {
    layout->shape = Shape::list;
    layout->length = pieces.front().length;
    layout->places.reserve(pieces.size());
    for (const Layout::Piece& piece : pieces) layout->places.push_back(static_cast<int32_t>(piece.offset));
  } else {
    layout->shape = Shape::blocks;
    layout->pieces = std::move(pieces);
  }
  return layout;
}

// Lists in lists may describe many more pieces than anybody has given.
constexpr std::size_t most_copied_pieces = 64 * 1024;

// The parts as pieces, neighbours merged, when all of them are pieces; false when one is not.
bool flatten(const std::vector<Layout::Part>& parts, std::vector<Layout::Piece>& pieces) {
  auto add = [&pieces](int64_t offset, uint64_t length) {
    if (!pieces.empty() && pieces.back().offset + static_cast<int64_t>(pieces.back().length) == offset) {
      pieces.back().length += length;
    } else {
      pieces.push_back({offset, length, 0});
    }
  };
  for (const Layout::Part& part : parts) {
    const Layout& layout = *part.layout;
    if (layout.shape != Shape::block && pieces.size() > most_copied_pieces) return false;
    switch (layout.shape) {
      case Shape::block:
        add(part.offset + layout.offset, layout.size);
        break;
      case Shape::list:
        for (const int32_t place : layout.places) add(part.offset + place, layout.length);
        break;
      case Shape::blocks:
        for (const Layout::Piece& piece : layout.pieces) add(part.offset + piece.offset, piece.length);
        break;
      default:
        return false;
    }
  }
  return true;
}

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
  if (parts.size() == 1 && parts[0].offset == 0) return parts[0].layout;
  std::vector<Layout::Piece> pieces;
  if (flatten(parts, pieces)) {
    if (pieces.size() == 1) return make_block(pieces[0].offset, pieces[0].length);
    if (LayoutPointer regular = make_regular(pieces)) return regular;
    return make_pieces(std::move(pieces));
  }
  if (parts.size() == 1 && parts[0].layout->shape == Shape::repeat) {
    // A loop that begins elsewhere: the offset goes inwards, to where it costs nothing.
    const Layout& loop = *parts[0].layout;
    return make_repeat(make_parts({{parts[0].offset, loop.inner}}), loop.count, loop.stride);
  }
  auto layout = std::make_shared<Layout>();
  layout->shape = Shape::parts;
  layout->first = parts[0].offset + parts[0].layout->first;
  layout->end = layout->first;
  for (Layout::Part& part : parts) {
    part.before = layout->size;
    layout->size += part.layout->size;
    layout->first = std::min(layout->first, part.offset + part.layout->first);
    layout->end = std::max(layout->end, part.offset + part.layout->end);
  }
  layout->parts = std::move(parts);
  return layout;
}

}  // namespace vif::data
