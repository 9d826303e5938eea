// What a process has attached to a dynamic window: a table in shared memory that its owner changes and others look into
// before they touch its memory.
//
// A sequence lock (Lameter 2005; with C++ atomics: Boehm 2012): `version` is odd while the owner changes the table. A
// reader that sees an odd version, or another one after reading, has read nothing. The table may move when it grows;
// the old one stays readable until the window is freed.
//
// Orderings, each with its partner:
//   owner: version odd (relaxed); fence; entries (relaxed)      reader: entries; fence; version (relaxed): a reader
//   that
//                                                               saw a changed entry sees the odd version.
//   owner: version even (release)                               reader: version (acquire): the entries are whole.
//
// Context: handler for find(); app for the owner's changes.
#pragma once

#include <cstdint>

#include "base/atoms.hpp"

namespace vif::rma {

template <class Atoms = base::RealAtoms>
class Attachments {
 public:
  using Word = typename Atoms::template Atomic<uint64_t>;
  enum class Answer : uint8_t { no, yes, busy };

  struct Entry {
    Word begin;
    Word bytes;
  };

  // Where the entries are is given as a number that `resolve` turns into their address.
  template <class Resolve>
  Answer find(uint64_t begin, uint64_t end, Resolve resolve) const noexcept {
    const uint32_t before = version_.load(std::memory_order_acquire);
    if (before % 2 != 0) return Answer::busy;
    const uint64_t count = count_.load(std::memory_order_relaxed);
    const Entry* entries = count == 0 ? nullptr : resolve(place_.load(std::memory_order_relaxed), count);
    bool found = false;
    for (uint64_t i = 0; entries != nullptr && i < count && !found; ++i) {
      const uint64_t first = entries[i].begin.load(std::memory_order_relaxed);
      const uint64_t bytes = entries[i].bytes.load(std::memory_order_relaxed);
      found = begin >= first && end >= begin && end - first <= bytes;
    }
    Atoms::fence();
    if (version_.load(std::memory_order_relaxed) != before) return Answer::busy;
    return found ? Answer::yes : Answer::no;
  }

  // The owner's. `change(count)` may write entries and returns the new count; `place` is where they are then.
  template <class Change>
  void change(uint64_t place, Change change) noexcept {
    const uint32_t version = version_.load(std::memory_order_relaxed);
    version_.store(version + 1, std::memory_order_relaxed);
    Atoms::fence();
    place_.store(place, std::memory_order_relaxed);
    count_.store(change(count_.load(std::memory_order_relaxed)), std::memory_order_relaxed);
    version_.store(version + 2, std::memory_order_release);
  }

  uint64_t count() const noexcept { return count_.load(std::memory_order_relaxed); }
  uint64_t place() const noexcept { return place_.load(std::memory_order_relaxed); }

 private:
  typename Atoms::template Atomic<uint32_t> version_{0};
  Word count_{0};
  Word place_{0};
};

}  // namespace vif::rma
