// The colours that belong to a core: from the number to the queue. Open addressing; grows, and forgets idle colours
// that nobody has given a priority before it grows. Where there is no memory for a new colour, its events go into one
// queue with those of other such colours until that is empty: they lose parallelism, not order. Context: core; find()
// allocates when the colour is new.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sched/colour.hpp"

namespace vif::sched {

// Spreads numbers that differ little. Also chooses the core of a colour, from other bits of the product.
inline uint64_t mix(ColourId colour) noexcept { return colour * 0x9E3779B97F4A7C15U; }

class ColourTable {
 public:
  ColourTable();
  ~ColourTable();
  ColourTable(const ColourTable&) = delete;
  ColourTable& operator=(const ColourTable&) = delete;

  // The name of the queue of those without memory. Who uses it as a colour shares that queue.
  static constexpr ColourId nobody = ~ColourId{0};

  // The queue of a colour, made when it is not there.
  Colour& find(ColourId id) {
    for (std::size_t at = slot_of(id);; at = (at + 1) & mask_) {
      Colour* colour = slots_[at];
      if (colour == nullptr) return insert(id);
      if (colour->id == id) return *colour;
    }
  }

  std::size_t size() const noexcept { return count_; }

  template <class Visit>
  void each(Visit visit) {
    for (Colour* colour : slots_) {
      if (colour != nullptr) visit(*colour);
    }
    visit(spare_);
  }

 private:
  // The middle bits: the highest have chosen the core, so that those of one core have them in common.
  std::size_t slot_of(ColourId id) const noexcept { return (mix(id) >> 20) & mask_; }
  Colour& insert(ColourId id);
  void place(Colour* colour) noexcept;
  void make_room();

  std::vector<Colour*> slots_;
  Colour spare_{nobody};  // in no slot
  std::size_t mask_;
  std::size_t count_ = 0;
};

}  // namespace vif::sched
