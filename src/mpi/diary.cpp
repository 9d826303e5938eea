#include "mpi/diary.hpp"

#include <unistd.h>

#include "mpi/request.hpp"

namespace vif::mpi {

constinit thread_local trace::Diary<>* diary_of_thread = nullptr;

namespace {

// For threads without a diary of their own in shared memory.
thread_local trace::Diary<> private_diary;

// Gives the diary of a thread that ends to others.
struct Returner {
  trace::Diary<>* claimed = nullptr;
  ~Returner() {
    diary_of_thread = &private_diary;
    // release: partner of the acquire in Desk::claim(). Not after MPI_Finalize, which takes the memory away.
    if (claimed != nullptr && process() != nullptr) claimed->writer.store(0, std::memory_order_release);
  }
};
thread_local Returner returner;

}  // namespace

trace::Diary<>* claim_diary() noexcept {
  trace::Desk<>* desk = process() == nullptr ? nullptr : engine().desk();
  if (desk == nullptr) return &private_diary;
  returner.claimed = desk->claim(static_cast<uint32_t>(gettid()));
  return returner.claimed != nullptr ? returner.claimed : &private_diary;
}

void leave_diary() noexcept {
  diary().end();
  returner.claimed = nullptr;
  diary_of_thread = &private_diary;
}

void note_wait(const RequestObject& request) noexcept {
  trace::Diary<>& mine = diary();
  trace::Note& note = mine.note();
  note.origin = request.function;
  note.context = request.net.context;
  switch (request.kind) {
    case RequestKind::send:
    case RequestKind::receive:
    case RequestKind::exchange:
      note.act = request.kind == RequestKind::send ? trace::Act::send : trace::Act::receive;
      note.peer = request.net.process;
      note.tag = request.net.tag;
      note.bytes = request.net.length;
      break;
    case RequestKind::work:
      note.act = request.is_collective ? trace::Act::collective : trace::Act::none;
      note.context = request.comm->context;
      note.number = request.number;
      note.members = request.comm->member_bits;
      note.peer = -1;
      break;
    case RequestKind::empty:
      note.act = trace::Act::none;
      break;
  }
  mine.rewrite();
}

}  // namespace vif::mpi
