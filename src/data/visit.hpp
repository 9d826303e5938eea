// The pieces of a message, or of any part of it, in the order of the message. Context: any; keeps no state and
// allocates nothing, so that a walk can be left at any byte and taken up again, at the cost of the depth of the layout.
#pragma once

#include <algorithm>

#include "data/view.hpp"

namespace vif::data {

// One walk: `left` bytes are still wanted; the visitor gets (offset, length) and returns whether to go on.
template <class Visitor>
class Walk {
 public:
  Walk(Visitor& visitor, uint64_t left) noexcept : visitor_(visitor), left_(left) {}

  // The layout from its byte `skip` on. False: the walk is over.
  bool walk(const Layout& layout, int64_t at, uint64_t skip) {
    switch (layout.shape) {
      case Layout::Shape::block:
        return piece(at + layout.offset, layout.size, skip);
      case Layout::Shape::repeat:
        return repeated(*layout.inner, layout.count, layout.stride, at, skip);
      case Layout::Shape::list:
        for (uint64_t i = skip / layout.length; i < layout.places.size(); ++i) {
          if (!piece(at + layout.places[i], layout.length, skip % layout.length)) return false;
          skip = 0;
        }
        return true;
      case Layout::Shape::blocks:
        return each(layout.pieces, skip, [&](const Layout::Piece& one, uint64_t within) {
          return piece(at + one.offset, one.length, within);
        });
      case Layout::Shape::parts:
        return each(layout.parts, skip, [&](const Layout::Part& one, uint64_t within) {
          return walk(*one.layout, at + one.offset, within);
        });
    }
    return true;
  }

  bool repeated(const Layout& inner, uint64_t count, int64_t stride, int64_t at, uint64_t skip) {
    if (inner.size == 0) return true;
    for (uint64_t i = skip / inner.size; i < count; ++i) {
      if (!walk(inner, at + static_cast<int64_t>(i) * stride, skip % inner.size)) return false;
      skip = 0;
    }
    return true;
  }

 private:
  bool piece(int64_t at, uint64_t length, uint64_t skip) {
    const uint64_t now = std::min(length - skip, left_);
    if (now == 0) return left_ != 0;
    left_ -= now;
    return visitor_(at + static_cast<int64_t>(skip), now) && left_ != 0;
  }

  template <class List, class Action>
  static bool each(const List& list, uint64_t skip, Action action) {
    std::size_t i = place_of(list, skip);
    uint64_t within = skip - list[i].before;
    for (; i < list.size(); ++i, within = 0) {
      if (!action(list[i], within)) return false;
    }
    return true;
  }

  Visitor& visitor_;
  uint64_t left_;
};

// Calls visitor(offset, length) for each piece of the bytes `from` to `from` + `bytes` of the message, until it returns
// false. Offsets are relative to the address of the view.
template <class Visitor>
void visit(const View& view, uint64_t from, uint64_t bytes, Visitor&& visitor) {
  if (from >= view.size() || bytes == 0) return;
  bytes = std::min(bytes, view.size() - from);
  if (view.contiguous()) {
    visitor(view.offset() + static_cast<int64_t>(from), bytes);
    return;
  }
  Walk<Visitor> walk(visitor, bytes);
  walk.repeated(*view.layout, view.count, view.stride, 0, from);
}

}  // namespace vif::data
