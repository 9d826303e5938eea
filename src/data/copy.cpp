#include "data/copy.hpp"

#include <algorithm>
#include <type_traits>

namespace vif::data {
namespace {

using Shape = Layout::Shape;

// Up to this length a row is copied by instructions: a call of memcpy would cost more than its bytes.
constexpr uint64_t short_row = 64;

// Two copies of a fixed length that overlap in the middle make one of any length between.
template <uint64_t length>
void move_ends(std::byte* to, const std::byte* from, uint64_t bytes) noexcept {
  std::byte head[length], tail[length];
  __builtin_memcpy(head, from, length);
  __builtin_memcpy(tail, from + bytes - length, length);
  __builtin_memcpy(to, head, length);
  __builtin_memcpy(to + bytes - length, tail, length);
}

inline void move_short(std::byte* to, const std::byte* from, uint64_t bytes) noexcept {
  if (bytes > 32) return move_ends<32>(to, from, bytes);
  if (bytes >= 16) return move_ends<16>(to, from, bytes);
  if (bytes >= 8) return move_ends<8>(to, from, bytes);
  if (bytes >= 4) return move_ends<4>(to, from, bytes);
  if (bytes >= 2) return move_ends<2>(to, from, bytes);
  if (bytes == 1) *to = *from;
}

template <bool to_stream>
struct Copier {
  using User = intptr_t;  // an address: relative to MPI_BOTTOM it is not a pointer to anything until it is used
  using Stream = std::conditional_t<to_stream, std::byte*, const std::byte*>;

  Stream stream;
  uint64_t left;

  template <uint64_t length>
  static void move(User user, Stream at) noexcept {
    if constexpr (to_stream) {
      __builtin_memcpy(at, reinterpret_cast<const void*>(user), length);
    } else {
      __builtin_memcpy(reinterpret_cast<void*>(user), at, length);
    }
  }

  static void move(User user, Stream at, uint64_t length) noexcept {
    const std::byte* from;
    std::byte* to;
    if constexpr (to_stream) {
      from = reinterpret_cast<const std::byte*>(user);
      to = at;
    } else {
      from = at;
      to = reinterpret_cast<std::byte*>(user);
    }
    if (length <= short_row) {
      move_short(to, from, length);
    } else {
      __builtin_memcpy(to, from, length);
    }
  }

  void bytes(User user, uint64_t length) noexcept {
    length = std::min(length, left);
    move(user, stream, length);
    stream += length;
    left -= length;
  }

  // Two nested loops over rows whose length the compiler knows (0: it does not). All of it is wanted.
  template <uint64_t known>
  void all_rows(User user, uint64_t outer, int64_t outer_stride, uint64_t rows, int64_t stride,
                uint64_t length) noexcept {
    Stream at = stream;
    for (uint64_t i = 0; i < outer; ++i, user += outer_stride) {
      User row = user;
      for (uint64_t j = 0; j < rows; ++j, row += stride) {
        if constexpr (known != 0) {
          move<known>(row, at);
          at += known;
        } else {
          move(row, at, length);
          at += length;
        }
      }
    }
    stream = at;
    left -= outer * rows * length;
  }

  void two_loops(User user, uint64_t outer, int64_t outer_stride, uint64_t rows, int64_t stride,
                 uint64_t length) noexcept {
    switch (length) {
      case 1:
        return all_rows<1>(user, outer, outer_stride, rows, stride, length);
      case 2:
        return all_rows<2>(user, outer, outer_stride, rows, stride, length);
      case 4:
        return all_rows<4>(user, outer, outer_stride, rows, stride, length);
      case 8:
        return all_rows<8>(user, outer, outer_stride, rows, stride, length);
      case 12:
        return all_rows<12>(user, outer, outer_stride, rows, stride, length);
      case 16:
        return all_rows<16>(user, outer, outer_stride, rows, stride, length);
      case 24:
        return all_rows<24>(user, outer, outer_stride, rows, stride, length);
      case 32:
        return all_rows<32>(user, outer, outer_stride, rows, stride, length);
      case 64:
        return all_rows<64>(user, outer, outer_stride, rows, stride, length);
      default:
        return all_rows<0>(user, outer, outer_stride, rows, stride, length);
    }
  }

  void rows(User user, uint64_t length, uint64_t count, int64_t stride) noexcept {
    const uint64_t whole = std::min(count, left / length);
    two_loops(user, 1, 0, whole, stride, length);
    if (whole < count) bytes(user + static_cast<int64_t>(whole) * stride, length);
  }

  void repeated(const Layout& inner, User user, uint64_t count, int64_t stride) noexcept {
    if (inner.shape == Shape::block) return rows(user + inner.offset, inner.size, count, stride);
    if (inner.shape == Shape::repeat && inner.inner->shape == Shape::block) {
      const uint64_t whole = std::min(count, left / inner.size);
      two_loops(user + inner.inner->offset, whole, stride, inner.count, inner.stride, inner.inner->size);
      user += static_cast<int64_t>(whole) * stride;
      if (whole < count && left != 0) rows(user + inner.inner->offset, inner.inner->size, inner.count, inner.stride);
      return;
    }
    for (uint64_t i = 0; i < count && left != 0; ++i, user += stride) copy(inner, user);
  }

  template <uint64_t known>
  void places(const int32_t* place, uint64_t count, User user, uint64_t length) noexcept {
    Stream at = stream;
    for (uint64_t i = 0; i < count; ++i) {
      if constexpr (known != 0) {
        move<known>(user + place[i], at);
        at += known;
      } else {
        move(user + place[i], at, length);
        at += length;
      }
    }
    stream = at;
    left -= count * length;
  }

  void list(const Layout& layout, User user, uint64_t first) noexcept {
    const int32_t* place = layout.places.data() + first;
    const uint64_t length = layout.length;
    const uint64_t count = layout.places.size() - first;
    const uint64_t whole = std::min(count, left / length);
    switch (length) {
      case 4:
        places<4>(place, whole, user, length);
        break;
      case 8:
        places<8>(place, whole, user, length);
        break;
      case 16:
        places<16>(place, whole, user, length);
        break;
      case 24:
        places<24>(place, whole, user, length);
        break;
      case 32:
        places<32>(place, whole, user, length);
        break;
      default:
        places<0>(place, whole, user, length);
    }
    if (whole < count) bytes(user + place[whole], length);
  }

  void pieces(const Layout& layout, User user, std::size_t first) noexcept {
    for (std::size_t i = first; i < layout.pieces.size() && left != 0; ++i) {
      bytes(user + layout.pieces[i].offset, layout.pieces[i].length);
    }
  }

  void parts(const Layout& layout, User user, std::size_t first) noexcept {
    for (std::size_t i = first; i < layout.parts.size() && left != 0; ++i) {
      copy(*layout.parts[i].layout, user + layout.parts[i].offset);
    }
  }

  void copy(const Layout& layout, User user) noexcept {
    switch (layout.shape) {
      case Shape::block:
        return bytes(user + layout.offset, layout.size);
      case Shape::repeat:
        return repeated(*layout.inner, user, layout.count, layout.stride);
      case Shape::list:
        return list(layout, user, 0);
      case Shape::blocks:
        return pieces(layout, user, 0);
      case Shape::parts:
        return parts(layout, user, 0);
    }
  }

  void repeated_from(const Layout& inner, User user, uint64_t count, int64_t stride, uint64_t skip) noexcept {
    uint64_t i = skip / inner.size;
    if (const uint64_t within = skip % inner.size; within != 0) {
      copy_from(inner, user + static_cast<int64_t>(i) * stride, within);
      ++i;
    }
    if (i < count && left != 0) repeated(inner, user + static_cast<int64_t>(i) * stride, count - i, stride);
  }

  // The layout from its byte `skip` on, which is less than its size.
  void copy_from(const Layout& layout, User user, uint64_t skip) noexcept {
    switch (layout.shape) {
      case Shape::block:
        return bytes(user + layout.offset + static_cast<int64_t>(skip), layout.size - skip);
      case Shape::repeat:
        return repeated_from(*layout.inner, user, layout.count, layout.stride, skip);
      case Shape::list: {
        uint64_t i = skip / layout.length;
        if (const uint64_t within = skip % layout.length; within != 0) {
          bytes(user + layout.places[i++] + static_cast<int64_t>(within), layout.length - within);
        }
        if (left != 0 && i < layout.places.size()) list(layout, user, i);
        return;
      }
      case Shape::blocks: {
        const std::size_t i = place_of(layout.pieces, skip);
        const uint64_t within = skip - layout.pieces[i].before;
        bytes(user + layout.pieces[i].offset + static_cast<int64_t>(within), layout.pieces[i].length - within);
        return pieces(layout, user, i + 1);
      }
      case Shape::parts: {
        const std::size_t i = place_of(layout.parts, skip);
        copy_from(*layout.parts[i].layout, user + layout.parts[i].offset, skip - layout.parts[i].before);
        return parts(layout, user, i + 1);
      }
    }
  }
};

template <bool to_stream, class User, class Stream>
uint64_t copy(const View& view, User user, uint64_t from, Stream stream, uint64_t bytes) noexcept {
  const uint64_t size = view.size();
  if (from >= size || bytes == 0) return 0;
  const uint64_t limit = std::min(bytes, size - from);
  Copier<to_stream> copier{static_cast<typename Copier<to_stream>::Stream>(stream), limit};
  if (view.contiguous()) {
    copier.bytes(reinterpret_cast<intptr_t>(user) + view.offset() + static_cast<int64_t>(from), limit);
  } else if (from == 0) {
    copier.repeated(*view.layout, reinterpret_cast<intptr_t>(user), view.count, view.stride);
  } else {
    copier.repeated_from(*view.layout, reinterpret_cast<intptr_t>(user), view.count, view.stride, from);
  }
  return limit;
}

}  // namespace

uint64_t gather(const View& view, const void* user, uint64_t from, void* stream, uint64_t bytes) noexcept {
  return copy<true>(view, user, from, stream, bytes);
}

uint64_t scatter(const View& view, void* user, uint64_t from, const void* stream, uint64_t bytes) noexcept {
  return copy<false>(view, user, from, stream, bytes);
}

}  // namespace vif::data
