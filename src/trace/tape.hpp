// The tape: what a process did and when, recorded while a trace is wanted (`vif trace`).
//
// Slots in a file that is mapped by the process: whoever has something to say, a thread, a handler on top of it, takes
// the next slot by one fetch_add and fills it; nobody waits for anybody. When the slots are used up the rest is counted
// and dropped. Readers look at any time: a slot whose first word is zero is not whole yet, or was left by a process
// that was killed in it.
//
// Each slot is written once. States: empty (all zero) -> claimed (number below `used`) -> whole (mark not zero).
// Orderings, each with its partner:
//   used: relaxed fetch_add     nothing is published by it: the numbers only have to differ.
//   words: relaxed, then mark: release    with mark: acquire in read(). Who sees the mark sees the words; without it a
//                               slot is believed whose words are still zero.
// Context: handler.
#pragma once

#include <cstdint>

#include "base/atoms.hpp"

namespace vif::trace {

enum class What : uint8_t {
  none,
  call,       // the program was in a function of MPI
  look,       // it waited in one: it looked for what it waits for, or slept
  sleep,      // it slept
  interrupt,  // a handler ran the engine
  helper,     // the helper thread did
  copy,       // bytes of a long message were copied
  operation,  // something non-blocking, from its start to the end of the call that completed it
};
inline constexpr int whats = 8;

// By what an operation was found complete.
enum class Reaction : uint8_t {
  none,
  at_once,     // in the call that started it
  interrupt,   // in a handler, while the program computed
  helper,      // by the helper thread
  other_call,  // in another call of MPI
  peer,        // it was done when the program came to wait for it: the other side had moved it
  waiting,     // in the call that waited for it
};
inline constexpr int reactions = 7;

struct Event {
  What what = What::none;
  Reaction reaction = Reaction::none;  // of an operation
  uint16_t function = 0;               // of a call, and of what started an operation: index in the list of functions
  uint16_t cpu = 0;                    // when it ended
  uint32_t thread = 0;
  int64_t begin = 0;  // nanoseconds of CLOCK_MONOTONIC
  int64_t end = 0;
  uint64_t site = 0;   // call, operation: the address that the call returns to
  uint64_t bytes = 0;  // call, operation: of the message or of one block; copy, interrupt: copied
  // Of an operation: when the start returned, when it was complete, when the program came to wait for it. Of a copy:
  // `started` is the other process.
  int64_t started = 0;
  int64_t complete = 0;
  int64_t awaited = 0;
  int64_t waited = 0;  // nanoseconds in calls that asked or waited for it
};

inline constexpr int tape_words = 10;

template <class Atoms = base::RealAtoms>
struct TapeSlot {
  template <class T>
  using Atomic = typename Atoms::template Atomic<T>;
  Atomic<uint64_t> words[tape_words] = {};

  void write(const Event& event) noexcept {
    const uint64_t fields[tape_words] = {
        static_cast<uint64_t>(event.what) | static_cast<uint64_t>(event.reaction) << 8 |
            static_cast<uint64_t>(event.function) << 16 | static_cast<uint64_t>(event.cpu) << 32,
        event.thread,
        static_cast<uint64_t>(event.begin),
        static_cast<uint64_t>(event.end),
        event.site,
        event.bytes,
        static_cast<uint64_t>(event.started),
        static_cast<uint64_t>(event.complete),
        static_cast<uint64_t>(event.awaited),
        static_cast<uint64_t>(event.waited)};
    for (int word = 1; word < tape_words; ++word) words[word].store(fields[word], std::memory_order_relaxed);
    words[0].store(fields[0], std::memory_order_release);
  }

  // False: nothing whole is in it.
  bool read(Event& event) const noexcept {
    const uint64_t mark = words[0].load(std::memory_order_acquire);
    if (mark == 0) return false;
    uint64_t fields[tape_words];
    for (int word = 1; word < tape_words; ++word) fields[word] = words[word].load(std::memory_order_relaxed);
    event.what = static_cast<What>(mark & 0xff);
    event.reaction = static_cast<Reaction>(mark >> 8 & 0xff);
    event.function = static_cast<uint16_t>(mark >> 16);
    event.cpu = static_cast<uint16_t>(mark >> 32);
    event.thread = static_cast<uint32_t>(fields[1]);
    event.begin = static_cast<int64_t>(fields[2]);
    event.end = static_cast<int64_t>(fields[3]);
    event.site = fields[4];
    event.bytes = fields[5];
    event.started = static_cast<int64_t>(fields[6]);
    event.complete = static_cast<int64_t>(fields[7]);
    event.awaited = static_cast<int64_t>(fields[8]);
    event.waited = static_cast<int64_t>(fields[9]);
    return true;
  }
};

template <class Atoms = base::RealAtoms>
class Tape {
 public:
  using Counter = typename Atoms::template Atomic<uint64_t>;
  Tape() = default;
  // Both are zero at the beginning, and outlive this.
  Tape(TapeSlot<Atoms>* slots, uint64_t capacity, Counter* used) noexcept
      : slots_(slots), capacity_(capacity), used_(used) {}

  // False: it is full, and the event is lost (and counted).
  bool add(const Event& event) noexcept {
    const uint64_t number = used_->fetch_add(1, std::memory_order_relaxed);
    if (number >= capacity_) return false;
    slots_[number].write(event);
    return true;
  }

 private:
  TapeSlot<Atoms>* slots_ = nullptr;
  uint64_t capacity_ = 0;
  Counter* used_ = nullptr;
};

}  // namespace vif::trace
