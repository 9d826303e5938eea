// Place: the allocator of one thread (a core of a scheduler, or any other), in the manner of EMA, the colour-aware
// allocator of Geneves (thesis, 2013, 5.2.3).
//
//   place
//     slots[destination][size class]      two levels
//       active block                      objects are taken from it
//       list of other blocks              own destination: those with free objects; another's: all, the oldest first
//     recent[size class]                  objects for this place that it freed last: taken first
//     parcels[allocator]                  objects freed here that another place allocated
//     inbox                               parcels from others
//
// Allocation and both common kinds of free touch only what this thread owns: no lock, no atomic read-modify-write.
//   freed by its allocator        to the recent ones, linked through the objects; beyond some of them, into the block
//   freed by its destination      a bit in the block (returns.hpp); the allocator looks when the block is used up
//   freed by anybody else         into a parcel (parcel.hpp); the allocator takes it when a block is used up, or
//                                 between two events
//
// Memory stays bounded: before a slot gets a fresh block it looks at blocks that may have come back, up to
// `looked_at_once` of them, and takes any that is free for a quarter. So a slot holds at most some 4/3 of what is in
// use and a few blocks, whoever frees. Empty blocks go to the heap beyond a small store.
//
// Context: all functions belong to the place's thread, in context core or app; post() and number() to any thread.
// Never a handler.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/inbox.hpp"
#include "memory/block.hpp"
#include "memory/classes.hpp"
#include "memory/heap.hpp"
#include "memory/parcel.hpp"
#include "memory/poison.hpp"

namespace vif::memory {

inline constexpr unsigned most_places = 512;

// Objects that a place made for itself and freed itself. They count as used in their blocks.
struct Recent {
  void* first = nullptr;
  uint32_t room = 0;  // how many more there may be
};

// Of one destination and one size class.
struct Slot {
  Block* active;
  Block* first;
  Block* last;
};

struct alignas(64) Slots {
  Slot of_class[classes];
};

class Place {
 public:
  explicit Place(PlaceNumber number) noexcept;
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  PlaceNumber number() const noexcept { return number_; }

  // nullptr: no memory. destination: a number that some place has or had.
  void* allocate(unsigned size_class, PlaceNumber destination) noexcept {
    if (destination == number_) return allocate(size_class);
    return from_block(size_class, destination);
  }
  void* allocate(unsigned size_class) noexcept {
    Recent& recent = recent_[size_class];
    void* object = recent.first;
    if (object == nullptr) [[unlikely]]
      return from_block(size_class, number_);
    recent.first = *static_cast<void**>(object);
    ++recent.room;
    return object;
  }

  // An object of any block.
  void free(void* object) noexcept {
    Block* block = block_of(object);
    if (block->owner != number_) {
      forbid_use(object, block->object_bytes);
      if (block->destination == number_) {
        block->returns.give_back(block->index_of(object));
      } else {
        free_elsewhere(*block, object);
      }
      return;
    }
    Recent& recent = recent_[block->size_class];
    if (block->foreign() || recent.room == 0) [[unlikely]]
      return free_into_block(*block, object);
    *static_cast<void**>(object) = recent.first;
    recent.first = object;
    --recent.room;
  }

  // Whether parcels wait here. Any context, as a hint.
  bool has_mail() const noexcept { return !inbox_.empty(); }
  // Takes the objects of the parcels that wait here. A scheduler calls it before ordinary events.
  void collect() noexcept;
  // Hands over the parcels that are not full: before the thread sleeps or ends.
  void flush() noexcept;
  // As flush(), and gives every empty block to the heap.
  void trim() noexcept;

  // Any thread, in context core or app: a parcel, or an object as its own parcel.
  void post(Crumbs& parcel) noexcept { inbox_.push(parcel); }
  void post_alone(void* object) noexcept;

 private:
  void* from_block(unsigned size_class, PlaceNumber destination) noexcept {
    Block* block = slots_[destination]->of_class[size_class].active;
    if (block->available[block->word] == 0) [[unlikely]] {
      block = refill(size_class, destination);
      if (block == nullptr) return nullptr;
    }
    return take(*block);
  }

  static void* take(Block& block) noexcept {
    uint64_t& free_objects = block.available[block.word];
    const auto index = block.word * 64 + static_cast<unsigned>(std::countr_zero(free_objects));
    free_objects &= free_objects - 1;
    ++block.used;
    void* object = block.object(index);
    allow_use(object, block.object_bytes);
    return object;
  }

  void free_own(Block& block, const void* object) noexcept {
    const unsigned index = block.index_of(object);
    block.available[index / 64] |= uint64_t{1} << (index % 64);
    block.word = index / 64;  // the next object comes from where this one, still in the cache, went
    if (--block.used == block.attention) [[unlikely]]
      settle(block);
  }

  void free_into_block(Block& block, void* object) noexcept;
  void forget_recent(unsigned size_class, uint32_t kept) noexcept;
  void free_elsewhere(Block& block, void* object) noexcept;
  void settle(Block& block) noexcept;

  Block* refill(unsigned size_class, PlaceNumber destination) noexcept;
  Block* next_active(Slot& slot, unsigned size_class, PlaceNumber destination) noexcept;
  void put_aside(Slot& slot) noexcept;
  Block* look_through(Slot& slot) noexcept;
  static Block* first_ready(Slot& slot) noexcept;
  void tidy(Slot& slot) noexcept;
  Block* fresh_block(Slot& slot, unsigned size_class, PlaceNumber destination) noexcept;
  bool make_slots(PlaceNumber destination) noexcept;

  void retire(Block& block) noexcept;
  void keep_spare(Block& block) noexcept;
  void give_spares(unsigned kept) noexcept;

  const PlaceNumber number_;
  Recent recent_[classes];
  Slots* slots_[most_places];
  Crumbs* parcels_[most_places] = {};
  uint64_t open_parcels_[most_places / 64] = {};  // which of them are begun
  Block* spares_ = nullptr;                       // empty blocks, by `next`
  unsigned spare_count_ = 0;
  base::Inbox<> inbox_;
};

}  // namespace vif::memory
