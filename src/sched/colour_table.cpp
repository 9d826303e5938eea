// Context: core.
#include "sched/colour_table.hpp"

#include <memory>
#include <new>
#include <utility>

namespace vif::sched {
namespace {

constexpr std::size_t first_slots = 1024;

bool forgettable(const Colour& colour) noexcept {
  return colour.state == Colour::State::idle && colour.shared_running == 0 && colour.base_priority == 0;
}

}  // namespace

ColourTable::ColourTable() : slots_(first_slots), mask_(first_slots - 1) {}

ColourTable::~ColourTable() {
  for (Colour* colour : slots_) delete colour;
}

Colour& ColourTable::insert(ColourId id) {
  // Perhaps it has events there.
  if (id == nobody || spare_.state != Colour::State::idle || spare_.shared_running != 0) return spare_;
  try {
    auto colour = std::make_unique<Colour>(id);
    if ((count_ + 1) * 2 > slots_.size()) make_room();
    place(colour.get());
    ++count_;
    return *colour.release();
  } catch (const std::bad_alloc&) {
    return spare_;
  }
}

void ColourTable::place(Colour* colour) noexcept {
  std::size_t at = slot_of(colour->id);
  while (slots_[at] != nullptr) at = (at + 1) & mask_;
  slots_[at] = colour;
}

void ColourTable::make_room() {
  std::size_t kept = 0;
  for (Colour* colour : slots_) kept += colour != nullptr && !forgettable(*colour) ? 1 : 0;
  // A quarter full at most afterwards: as many colours again may come before the next sweep.
  std::size_t size = first_slots;
  while (kept * 4 > size) size *= 2;
  std::vector<Colour*> old(size);
  old.swap(slots_);
  mask_ = size - 1;
  count_ = kept;
  for (Colour* colour : old) {
    if (colour == nullptr) continue;
    if (forgettable(*colour)) {
      delete colour;
    } else {
      place(colour);
    }
  }
}

}  // namespace vif::sched
