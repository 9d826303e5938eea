// What this thread notes about the calls of the program, for `vif hang` (src/trace/diary.hpp). A few stores a call.
// Context: app.
#pragma once

#include "mpi/comm.hpp"
#include "mpi/entry.hpp"
#include "trace/diary.hpp"

namespace vif::mpi {

struct RequestObject;

// The diary of this thread. A thread that found no free one, and all before MPI_Init and after MPI_Finalize, write into
// a private one that nobody reads.
extern constinit thread_local trace::Diary<>* diary_of_thread;
[[gnu::cold]] trace::Diary<>* claim_diary() noexcept;
// MPI_Finalize: the shared memory goes.
void leave_diary() noexcept;

inline trace::Diary<>& diary() noexcept {
  if (diary_of_thread == nullptr) [[unlikely]]
    diary_of_thread = claim_diary();
  return *diary_of_thread;
}

// The stay in a function that may wait for others.
class Visit {
 public:
  Visit(const char* name, uint16_t function) {
    enter(name);
    diary().begin(function);
  }
  ~Visit() { diary().end(); }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;
};

// The same for one that sends or receives a message and waits for it: it notes its message itself, a send when it is on
// its way, so that the peer does not wait for our notes.
class Conversation {
 public:
  Conversation(const char* name, uint16_t function) {
    enter(name);
    diary().prepare(function);
  }
  ~Conversation() { diary().end(); }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;
};

// The same for one that is called over and over until something has happened.
class Question {
 public:
  Question(const char* name, uint16_t function) {
    enter(name);
    diary().begin_question(function);
  }
  ~Question() { diary().end(); }
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;
};

inline void note_message(trace::Act act, uint32_t context, int process, int tag, int64_t bytes) noexcept {
  trace::Diary<>& mine = diary();
  trace::Note& note = mine.note();
  note.act = act;
  note.context = context;
  note.peer = process;
  note.tag = tag;
  note.bytes = static_cast<uint64_t>(bytes);
  mine.write();
}

// A collective call. `root`: its index in the job, or -1.
inline void note_collective(Comm& comm, int root) noexcept {
  trace::Diary<>& mine = diary();
  trace::Note& note = mine.note();
  note.act = trace::Act::collective;
  note.context = comm.context;
  note.number = comm.collective_calls++;
  note.peer = root;
  note.members = comm.member_bits;
  mine.rewrite();
}

// The bytes of one block of a collective.
inline void note_bytes(int64_t bytes) noexcept {
  trace::Diary<>& mine = diary();
  mine.note().bytes = static_cast<uint64_t>(bytes);
  mine.rewrite();
}

// The call waits for this request.
void note_wait(const RequestObject& request) noexcept;

}  // namespace vif::mpi
