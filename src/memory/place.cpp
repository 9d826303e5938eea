// What a place does when the active block of a slot is used up, and with objects of others.
// Context: core and app.
#include "memory/place.hpp"

#include <algorithm>
#include <new>

#include "memory/places.hpp"

namespace vif::memory {
namespace {

constexpr unsigned looked_at_once = 4;
constexpr unsigned most_spares = 16;
constexpr unsigned taken_at_once = 4;
constexpr unsigned parcel_class = class_of(parcel_bytes);

// How many recent objects of a class a place keeps. None under the address sanitizer: a link in an object that nobody
// may touch would hide what that sanitizer looks for.
constexpr uint32_t most_recent(unsigned size_class) noexcept {
  return poisons ? 0 : std::min<uint32_t>(256, 32768 / class_bytes[size_class]);
}

// Stands where a slot has no block yet: nothing is available in it. Never written.
constinit Block no_block;
constinit Slots no_slots = [] {
  Slots made;
  for (Slot& slot : made.of_class) slot = {&no_block, nullptr, nullptr};
  return made;
}();

unsigned count_free(const Block& block) noexcept { return block.total - block.used; }

bool has_free(Block& block) noexcept {
  for (unsigned word = 0; word < block_words; ++word) {
    if (block.available[word] != 0) {
      block.word = word;
      return true;
    }
  }
  return false;
}

// Takes note of what the destination gave back.
void look(Block& block) noexcept {
  for (unsigned word = 0; word < block_words; ++word) {
    const uint64_t came = block.returns.look(word);
    block.available[word] |= came;
    block.used = static_cast<uint16_t>(block.used - std::popcount(came));
  }
}

bool worth_using(const Block& block) noexcept { return count_free(block) * 4U >= block.total; }

// The list of a slot, linked through the blocks.
void link_first(Slot& slot, Block& block) noexcept {
  block.previous = nullptr;
  block.next = slot.first;
  (slot.first != nullptr ? slot.first->previous : slot.last) = &block;
  slot.first = &block;
  block.listed = true;
}

void link_last(Slot& slot, Block& block) noexcept {
  block.next = nullptr;
  block.previous = slot.last;
  (slot.last != nullptr ? slot.last->next : slot.first) = &block;
  slot.last = &block;
  block.listed = true;
}

void unlink(Slot& slot, Block& block) noexcept {
  (block.previous != nullptr ? block.previous->next : slot.first) = block.next;
  (block.next != nullptr ? block.next->previous : slot.last) = block.previous;
  block.listed = false;
}

// Everything is free in a block that is dressed; nobody else knows it.
void dress(Block& block, Slot& slot, unsigned size_class, PlaceNumber owner, PlaceNumber destination) noexcept {
  block.object_bytes = class_bytes[size_class];
  block.reciprocal = static_cast<uint32_t>((uint64_t{1} << 32) / block.object_bytes + 1);
  block.total = static_cast<uint16_t>(block_room / block.object_bytes);
  block.owner = owner;
  block.destination = destination;
  block.size_class = static_cast<uint8_t>(size_class);
  block.word = 0;
  block.used = 0;
  block.attention = Block::never;
  block.listed = false;
  block.slot = &slot;
  for (unsigned word = 0; word < block_words; ++word) {
    const unsigned below = block.total - std::min(block.total, static_cast<uint16_t>(word * 64));
    block.available[word] = below >= 64 ? ~uint64_t{0} : (uint64_t{1} << below) - 1;
  }
  forbid_use(block.objects(), block_room);
}

}  // namespace

Place::Place(PlaceNumber number) noexcept : number_(number) {
  std::fill_n(slots_, most_places, &no_slots);
  for (unsigned size_class = 0; size_class < classes; ++size_class) recent_[size_class].room = most_recent(size_class);
}

// An object of this place's own that is for another place, or one more than the recent ones may be.
void Place::free_into_block(Block& block, void* object) noexcept {
  if (!block.foreign()) forget_recent(block.size_class, most_recent(block.size_class) / 2);
  forbid_use(object, block.object_bytes);
  free_own(block, object);
}

// Puts recent objects back into their blocks, but for `kept` of them.
void Place::forget_recent(unsigned size_class, uint32_t kept) noexcept {
  Recent& recent = recent_[size_class];
  for (uint32_t count = most_recent(size_class) - recent.room; count > kept; --count) {
    void* object = recent.first;
    recent.first = *static_cast<void**>(object);
    ++recent.room;
    free_own(*block_of(object), object);
  }
}

// The active block has nothing in its current word. Returns a block that has something in its current word.
Block* Place::refill(unsigned size_class, PlaceNumber destination) noexcept {
  if (slots_[destination] == &no_slots && !make_slots(destination)) return nullptr;
  Slot& slot = slots_[destination]->of_class[size_class];
  if (has_free(*slot.active)) return slot.active;
  return next_active(slot, size_class, destination);
}

Block* Place::next_active(Slot& slot, unsigned size_class, PlaceNumber destination) noexcept {
  if (has_mail()) {
    collect();
    if (has_free(*slot.active)) return slot.active;
  }
  if (slot.active != &no_block) {
    if (slot.active->foreign()) look(*slot.active);
    if (worth_using(*slot.active) && has_free(*slot.active)) {
      tidy(slot);
      return slot.active;
    }
    put_aside(slot);
  }
  Block* found = destination == number_ ? first_ready(slot) : look_through(slot);
  if (found != nullptr) {
    found->attention = Block::never;
    has_free(*found);
  } else {
    found = fresh_block(slot, size_class, destination);
    if (found == nullptr) {
      // Without memory, whatever came back will do, were it one object.
      if (slot.last == nullptr || !has_free(*slot.last)) return nullptr;
      found = slot.last;
      unlink(slot, *found);
      found->attention = Block::never;
    }
  }
  slot.active = found;
  return found;
}

// The active block is used up. One for this place comes back into the list with its first free (settle()); one for
// another place waits in the list for its turn to be looked at.
void Place::put_aside(Slot& slot) noexcept {
  Block& block = *slot.active;
  slot.active = &no_block;
  if (block.foreign()) {
    block.attention = 0;
    link_last(slot, block);
  } else {
    block.attention = static_cast<uint16_t>(block.total - 1);
  }
}

// Own destination: every block of the list has free objects.
Block* Place::first_ready(Slot& slot) noexcept {
  Block* first = slot.first;
  if (first != nullptr) unlink(slot, *first);
  return first;
}

// The oldest blocks of another destination: the first that is worth it is taken out; those that are not go to the end.
Block* Place::look_through(Slot& slot) noexcept {
  Block* const newest = slot.last;
  for (unsigned turn = 0; turn < looked_at_once && slot.first != nullptr; ++turn) {
    Block& block = *slot.first;
    look(block);
    unlink(slot, block);
    if (worth_using(block)) {
      tidy(slot);
      return &block;
    }
    link_last(slot, block);
    if (&block == newest) break;
  }
  return nullptr;
}

// After a burst many blocks are empty. Whenever the slot goes on with a block that it has, one other is looked at:
// given up when it is empty, else put at the end.
void Place::tidy(Slot& slot) noexcept {
  Block* oldest = slot.first;
  if (oldest == nullptr || !oldest->foreign()) return;
  look(*oldest);
  if (oldest->used == 0) {
    retire(*oldest);
  } else {
    unlink(slot, *oldest);
    link_last(slot, *oldest);
  }
}

// A block that is not active fell to its mark: its first free object, or its last used one.
void Place::settle(Block& block) noexcept {
  if (block.used == 0) {
    retire(block);
  } else {
    link_first(*block.slot, block);
    block.attention = 0;
  }
}

void Place::retire(Block& block) noexcept {
  if (block.listed) unlink(*block.slot, block);
  keep_spare(block);
}

Block* Place::fresh_block(Slot& slot, unsigned size_class, PlaceNumber destination) noexcept {
  if (spares_ == nullptr) {
    Block* blocks[taken_at_once];
    const unsigned count = Heap::instance().take(blocks, taken_at_once);
    for (unsigned i = count; i > 0; --i) keep_spare(*blocks[i - 1]);
    if (spares_ == nullptr) return nullptr;
  }
  Block& block = *spares_;
  spares_ = block.next;
  --spare_count_;
  dress(block, slot, size_class, number_, destination);
  return &block;
}

void Place::keep_spare(Block& block) noexcept {
  block.next = spares_;
  spares_ = &block;
  if (++spare_count_ > most_spares) give_spares(most_spares / 2);
}

void Place::give_spares(unsigned kept) noexcept {
  Block* blocks[most_spares + 1];
  unsigned count = 0;
  for (; spare_count_ > kept && spares_ != nullptr; --spare_count_) {
    blocks[count++] = spares_;
    spares_ = spares_->next;
  }
  if (count != 0) Heap::instance().give(blocks, count);
}

bool Place::make_slots(PlaceNumber destination) noexcept {
  auto* made = new (std::nothrow) Slots(no_slots);
  if (made == nullptr) return false;
  slots_[destination] = made;
  return true;
}

void Place::free_elsewhere(Block& block, void* object) noexcept {
  const PlaceNumber owner = block.owner;
  Crumbs* parcel = parcels_[owner];
  if (parcel == nullptr) {
    void* room = allocate(parcel_class, owner);
    if (room == nullptr) {
      places::of(owner).post_alone(object);
      return;
    }
    parcel = new (room) Crumbs;
    parcels_[owner] = parcel;
    open_parcels_[owner / 64] |= uint64_t{1} << (owner % 64);
  }
  if (!parcel->put(object, block.object_bytes, parcel_enough_bytes)) return;
  parcels_[owner] = nullptr;
  open_parcels_[owner / 64] &= ~(uint64_t{1} << (owner % 64));
  places::of(owner).post(*parcel);
}

void Place::post_alone(void* object) noexcept {
  allow_use(object, sizeof(base::Inbox<>::Record) + 2 * sizeof(uint32_t));
  auto* record = new (object) base::Inbox<>::Record;
  // The head of a parcel with count 0, and no more: smaller objects have no room for the rest.
  const uint32_t none = 0;
  __builtin_memcpy(static_cast<char*>(object) + sizeof *record, &none, sizeof none);
  inbox_.push(*record);
}

void Place::collect() noexcept {
  while (base::Inbox<>::Record* record = inbox_.take()) {
    auto* parcel = static_cast<Crumbs*>(record);
    for (uint32_t i = 0; i < parcel->count; ++i) free_own(*block_of(parcel->objects[i]), parcel->objects[i]);
    Block& block = *block_of(parcel);
    forbid_use(parcel, block.object_bytes);
    if (block.owner == number_) {
      free_own(block, parcel);  // an object that was its own parcel
    } else {
      block.returns.give_back(block.index_of(parcel));
    }
  }
}

void Place::flush() noexcept {
  for (unsigned word = 0; word < most_places / 64; ++word) {
    while (open_parcels_[word] != 0) {
      const unsigned owner = word * 64 + static_cast<unsigned>(std::countr_zero(open_parcels_[word]));
      open_parcels_[word] &= open_parcels_[word] - 1;
      places::of(static_cast<PlaceNumber>(owner)).post(*parcels_[owner]);
      parcels_[owner] = nullptr;
    }
  }
}

void Place::trim() noexcept {
  flush();
  collect();
  for (unsigned size_class = 0; size_class < classes; ++size_class) forget_recent(size_class, 0);
  for (Slots* slots : slots_) {
    if (slots == &no_slots) continue;
    for (Slot& slot : slots->of_class) {
      for (Block *block = slot.first, *next = nullptr; block != nullptr; block = next) {
        next = block->next;
        if (block->foreign()) look(*block);
        if (block->used == 0) retire(*block);
      }
      if (slot.active == &no_block) continue;
      if (slot.active->foreign()) look(*slot.active);
      if (slot.active->used != 0) continue;
      keep_spare(*slot.active);
      slot.active = &no_block;
    }
  }
  give_spares(0);
}

}  // namespace vif::memory
