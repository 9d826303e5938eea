// The diary: what each thread of a process did last, and does now, for others to read while it hangs.
//
// Each thread that calls the library writes one diary, in memory that the processes of the job share: a round of
// entries, one per operation, and whether the thread is inside the last of them. Writing costs a few stores to lines
// that nobody else touches, so it is always on. A reader is a tool or a launcher, at any time, without the writer's
// help: the writer may be stopped, or gone.
//
// An entry may be written several times, as more is known of its operation. It is guarded by its `mark`: operation,
// number of the writing, and a bit that says that it is being written. A reader that finds the same mark without the
// bit before and after has read what belongs together; else it leaves the entry out.
//
// Orderings, each with its partner:
//   mark with the bit: relaxed, then words: release   with words: acquire. Who reads a word of a writing sees its mark
//                                     at the second look. Without it a mixture of two writings is believed.
//   mark without: release             with mark: acquire, at the first look. The words are whole.
//   state: release                    with state: acquire. The entry that the state speaks of is at least begun.
// Context: one thread writes, outside handlers; anybody reads.
#pragma once

#include <cstdint>

#include "base/atoms.hpp"

namespace vif::trace {

enum class Act : uint8_t { none, send, receive, collective, probe };

// What an operation is about.
struct Note {
  uint16_t function = 0;  // index in the list of MPI functions
  uint16_t origin = 0;    // of a wait: the function that began what is waited for; 0: this function itself
  Act act = Act::none;
  uint32_t context = 0;  // the communicator
  uint32_t number = 0;   // collective: how many began before it on this communicator
  int32_t peer = -1;     // index in the job of the other side, or of the root; -1: any, or none
  int32_t tag = 0;
  uint64_t bytes = 0;
  uint64_t members = 0;   // collective: bit p says that process p of the job takes part; 0: not known
  uint16_t repeated = 0;  // how many times more the same question was asked (MPI_Test)

  // Field by field: the copy of an empty note would be read back in other pieces than it was written, which stalls the
  // stores behind it.
  void reset(uint16_t name) noexcept {
    function = name;
    origin = 0;
    act = Act::none;
    context = 0;
    number = 0;
    peer = -1;
    tag = 0;
    bytes = 0;
    members = 0;
    repeated = 0;
  }
};

template <class Atoms = base::RealAtoms>
class Entry {
 public:
  void write(uint64_t operation, uint64_t writing, const Note& note) noexcept {
    const uint64_t mark = operation << writing_bits | (writing & (writings - 1)) << 1;
    mark_.store(mark | 1, std::memory_order_relaxed);
    words_[0].store(note.function | uint64_t{note.origin} << 16 | static_cast<uint64_t>(note.act) << 32 |
                        uint64_t{note.repeated} << 48,
                    std::memory_order_release);
    words_[1].store(note.context | uint64_t{note.number} << 32, std::memory_order_release);
    words_[2].store(static_cast<uint32_t>(note.peer) | uint64_t{static_cast<uint32_t>(note.tag)} << 32,
                    std::memory_order_release);
    words_[3].store(note.bytes, std::memory_order_release);
    words_[4].store(note.members, std::memory_order_release);
    mark_.store(mark, std::memory_order_release);
  }

  // False: it holds another operation, or none, or is being written.
  bool read(uint64_t operation, Note& note) const noexcept {
    const uint64_t mark = mark_.load(std::memory_order_acquire);
    if (mark >> writing_bits != operation || (mark & 1) != 0) return false;
    uint64_t words[5];
    for (int i = 0; i < 5; ++i) words[i] = words_[i].load(std::memory_order_acquire);
    if (mark_.load(std::memory_order_relaxed) != mark) return false;
    note.function = static_cast<uint16_t>(words[0]);
    note.origin = static_cast<uint16_t>(words[0] >> 16);
    note.act = static_cast<Act>(words[0] >> 32 & 0xff);
    note.repeated = static_cast<uint16_t>(words[0] >> 48);
    note.context = static_cast<uint32_t>(words[1]);
    note.number = static_cast<uint32_t>(words[1] >> 32);
    note.peer = static_cast<int32_t>(static_cast<uint32_t>(words[2]));
    note.tag = static_cast<int32_t>(static_cast<uint32_t>(words[2] >> 32));
    note.bytes = words[3];
    note.members = words[4];
    return true;
  }

 private:
  template <class T>
  using Atomic = typename Atoms::template Atomic<T>;
  static constexpr int writing_bits = 20;
  static constexpr uint64_t writings = uint64_t{1} << (writing_bits - 1);
  Atomic<uint64_t> mark_{0};  // zeroed shared memory is a diary without operations
  Atomic<uint64_t> words_[5] = {};
};

template <class Atoms = base::RealAtoms, int entry_count = 16>
class Diary {
 public:
  static constexpr int entries = entry_count;

  // --- by the thread that writes it ---
  void begin(uint16_t function) noexcept {
    note_.reset(function);
    ++operations_;
    publish(true);
  }
  // The same for a function whose entry is written later: by write(), or at the end.
  void prepare(uint16_t function) noexcept {
    note_.reset(function);
    ++operations_;
    prepared_ = true;
  }
  void write() noexcept {
    prepared_ = false;
    publish(true);
  }
  // The same for a function that a program calls over and over until something has happened: asked again at once, it
  // stays one entry.
  void begin_question(uint16_t function) noexcept {
    if (operations_ == 0 || note_.function != function) return begin(function);
    if (note_.repeated != UINT16_MAX) ++note_.repeated;
    publish(true);
  }
  // What the operation is about; may be refined.
  Note& note() noexcept { return note_; }
  void rewrite() noexcept { entry_of(operations_ - 1).write(operations_ - 1, ++writings_, note_); }
  void end() noexcept {
    if (prepared_) write();
    state_.store(2 * operations_, std::memory_order_release);
  }

  // --- by anybody ---
  uint64_t begun() const noexcept { return state_.load(std::memory_order_acquire) / 2; }
  bool inside() const noexcept { return (state_.load(std::memory_order_acquire) & 1) != 0; }
  bool read(uint64_t operation, Note& note) const noexcept {
    return entries_[operation % entries].read(operation, note);
  }

  // The thread that writes here; 0: none yet. Changed by compare-and-swap from 0, and back by its owner.
  template <class T>
  using Atomic = typename Atoms::template Atomic<T>;
  Atomic<uint32_t> writer{0};

 private:
  Entry<Atoms>& entry_of(uint64_t operation) noexcept { return entries_[operation % entries]; }
  void publish(bool inside) noexcept {
    rewrite();
    state_.store(2 * operations_ + (inside ? 1 : 0), std::memory_order_release);
  }

  Atomic<uint64_t> state_{0};  // 2 * operations begun, + 1 while inside the last
  // The writer's own.
  uint64_t operations_ = 0;
  uint64_t writings_ = 0;
  bool prepared_ = false;
  Note note_;
  alignas(64) Entry<Atoms> entries_[entry_count];
};

// The diaries of one process. Threads beyond these write none.
template <class Atoms = base::RealAtoms>
struct Desk {
  static constexpr int diaries_kept = 4;
  alignas(64) Diary<Atoms> diaries[diaries_kept];

  // A free diary for the calling thread, or null.
  Diary<Atoms>* claim(uint32_t thread) noexcept {
    for (Diary<Atoms>& diary : diaries) {
      uint32_t nobody = 0;
      // acquire: partner of the release with which the writer before gave it up; its plain fields are continued.
      if (diary.writer.compare_exchange_strong(nobody, thread, std::memory_order_acquire)) return &diary;
    }
    return nullptr;
  }
};

}  // namespace vif::trace
