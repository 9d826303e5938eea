// ReturnBits: how a destination gives objects back to the place that allocated them, without an atomic
// read-modify-write on either side.
//
// One bit per object of a block, in words that the destination alone writes. Giving an object back flips its bit. The
// owner remembers the bits as it last saw them: a bit that differs is an object that came back since. The next time
// the object is given back its bit flips the other way, so nothing is ever reset and neither side waits.
// The source (Geneves 2013, 5.2.3) counts: a block is of use again when all of its objects came back. Bits cost the
// same and let the owner use a part of a block (docs/decisions/0020).
//
// States of an object's bit pair (returned, seen):
//   equal      the object is the owner's, free; or it is allocated and has not come back
//   different  it came back, and the owner has not looked
// give_back(): equal -> different, by the destination.   look(): different -> equal, by the owner.
// The destination gives back only what it was given, and the owner gives out only what it saw come back: so a bit never
// flips twice between two looks.
//
// Orderings, each with its partner:
//   give_back: store(release)   with look: load(acquire): the last reads and writes of the object, by the destination,
//                               happen before the owner gives the object out again.
//   give_back: load(relaxed)    of the destination's own store. When the block changes its destination, the new one
//                               has got an object since: by that way it sees the old one's last store, which the owner
//                               had acquired before.
// Context: give_back() is the destination's thread, look() the owner's; neither from a handler on top of the same call.
#pragma once

#include "base/atoms.hpp"

namespace vif::memory {

template <class Atoms, unsigned word_count>
class ReturnBits {
 public:
  // Destination only.
  void give_back(unsigned index) noexcept {
    auto& word = returned_[index / 64];
    word.store(word.load(std::memory_order_relaxed) ^ (uint64_t{1} << (index % 64)), std::memory_order_release);
  }

  // Owner only: the objects of this word that came back since the last look.
  uint64_t look(unsigned word) noexcept {
    const uint64_t now = returned_[word].load(std::memory_order_acquire);
    const uint64_t came = now ^ seen_[word];
    if (came != 0) seen_[word] = now;
    return came;
  }

 private:
  // Written by the owner.
  alignas(64) typename Atoms::template Plain<uint64_t> seen_[word_count]{};
  // Written by the destination.
  alignas(64) typename Atoms::template Atomic<uint64_t> returned_[word_count]{};
};

}  // namespace vif::memory
