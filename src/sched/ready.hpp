// The colours of a core that have something to run, by priority with ageing.
//
// The rule is that of the dynamic priorities of H. Taboada (thesis, Bordeaux 2018, section 6.4) for progress threads,
// with buckets instead of a sorted list: of the colours with the highest current priority the one that came first is
// taken; taking it lowers its current priority by one, or restores the base when it was zero. So a colour of base 20
// has 21 turns for each turn of a colour of base 0, nobody starves, and equal bases take turns. Constant time. Context:
// core.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "sched/colour.hpp"

namespace vif::sched {

class ReadyList {
 public:
  bool empty() const noexcept { return levels_ == 0; }

  void push(Colour& colour) noexcept {
    Level& level = lists_[colour.current_priority];
    colour.next_ready = nullptr;
    if (level.first == nullptr) {
      level.first = &colour;
    } else {
      level.last->next_ready = &colour;
    }
    level.last = &colour;
    ++count_;
    levels_ |= 1U << colour.current_priority;
  }

  std::size_t size() const noexcept { return count_; }

  Colour* take() noexcept {
    Colour* colour = take_as_is();
    if (colour != nullptr) {
      colour->current_priority =
          colour->current_priority == 0 ? colour->base_priority : static_cast<uint8_t>(colour->current_priority - 1);
    }
    return colour;
  }

  // The same colour, not for a turn: its priority does not age.
  Colour* take_as_is() noexcept {
    if (levels_ == 0) return nullptr;
    const int highest = std::bit_width(levels_) - 1;
    Level& level = lists_[static_cast<std::size_t>(highest)];
    Colour* colour = level.first;
    level.first = colour->next_ready;
    if (level.first == nullptr) levels_ &= ~(1U << highest);
    --count_;
    return colour;
  }

 private:
  struct Level {
    Colour* first = nullptr;
    Colour* last = nullptr;  // of a level that is not empty
  };

  std::size_t count_ = 0;
  uint32_t levels_ = 0;  // a bit for each level that is not empty
  std::array<Level, highest_priority + 1> lists_{};
};

}  // namespace vif::sched
