// Door: what others write of a core: its inbox, its posture, and counts. One cache line.
//
// The pair of rule 3, "arm, then look again", between a core that goes to sleep and whoever hands it an event:
//   core     posture := sleeping (or away); full fence; take from the inbox; nothing: sleep
//   poster   push into the inbox; full fence; posture sleeping or away: make it quiet, and wake
// Without either fence each side may read the other's old value: the core sleeps on an event and nobody wakes it.
// A push that is half done (its pusher was preempted) makes the core find nothing; its pusher rings after it is done.
//
// `sleeping`: the core sleeps on the posture word itself (futex). `away`: it sleeps in a call that watches descriptors
// (epoll_wait, io_uring_enter, poll), and is woken through the descriptor that the caller of ring() knows.
// Context: push(), push_chain() and ring() are safe in a handler; the rest is the core's.
#pragma once

#include <cstdint>

#include "base/inbox.hpp"
#include "bell/posture.hpp"

namespace vif::sched {

template <class Atoms = base::RealAtoms>
class Door {
 public:
  using Record = base::InboxRecord<Atoms>;
  using Tray = base::InboxTray<Atoms>;

  // Poster. What must be done after it: nothing, or `helper`: wake the core through its descriptor.
  bell::Call push(Record& record) noexcept { return push_chain(record, record); }
  bell::Call push_chain(Record& newest, Record& oldest) noexcept {
    box_.push_chain(newest, oldest);
    return posture_.ring(only_sleepers);
  }
  // The core itself, awake: nobody to wake.
  void put(Record& newest, Record& oldest) noexcept { box_.push_chain(newest, oldest); }
  // Poster, with news that are not in the inbox (a flag that it has set before).
  bell::Call ring() noexcept { return posture_.ring(only_sleepers); }

  // Core. Between rest() and sleep() it takes from the inbox once more.
  void rest(bell::Posture posture) noexcept { posture_.rest(posture); }
  void sleep(int64_t timeout_ns) noexcept { posture_.sleep(timeout_ns); }
  // True when somebody rang since rest().
  bool stand_up() noexcept { return posture_.stand_up(); }
  Record* take(Tray& tray) noexcept { return tray.take(box_); }
  bool untouched() const noexcept { return box_.untouched(); }
  // A hint for posters: the core sleeps.
  bool resting() const noexcept { return posture_.peek() != bell::Posture::quiet; }

 private:
  // A core that is away must be rung too; it is never armed.
  static constexpr bool only_sleepers = false;

  base::InboxDoor<Atoms> box_;
  bell::PostureWord<Atoms> posture_;
};

}  // namespace vif::sched
