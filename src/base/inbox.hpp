// Inbox: the queue by which anyone hands work to the owner of something (an engine, a core).
//
// push() is wait-free in every context, even in a handler that interrupted a push half-way on the same thread: it is
// one exchange and one store. The owner, one at a time, takes records in the order of the exchanges. No allocation:
// records are intrusive.
//
// States of a record's `next` field:
//   unlinked   the pusher has exchanged the head but not yet stored the link (it was preempted or interrupted there)
//   a record   the record pushed just before this one;  nullptr: this one was the oldest
// A taker that meets `unlinked` cannot go further and does not wait: it keeps the newer records aside and reports that
// nothing (more) can be taken now. Nothing is lost: the pusher, once its store is done, follows the rule of every
// pusher ("push, then try to become the owner"), and finding the owner busy leaves the mark that makes the owner look
// once more (base/ownership.hpp). "While the inbox is not empty" is no condition for a loop: a handler would wait in it
// for ever for the push that it interrupted.
//
// Orderings, each with its partner:
//   push: exchange(head, acq_rel)      with take: exchange(head, acquire): the contents of the record are visible.
//   push: store(next, release)         with take: load(next, acquire): the older record's contents are visible.
//   empty(): relaxed; callers that must not miss a push put a full fence before it (see bell/pair.hpp).
//
// Parts: InboxDoor is what pushers write, InboxTray what the owner keeps. Inbox is both, each on its own cache line;
// who lays its data out otherwise (sched) uses the parts.
#pragma once

#include "base/atoms.hpp"

namespace vif::base {

template <class Atoms = RealAtoms>
struct InboxRecord {
  typename Atoms::template Atomic<InboxRecord*> next{nullptr};
};

template <class Atoms>
class InboxTray;

// Any context.
template <class Atoms = RealAtoms>
class InboxDoor {
 public:
  using Record = InboxRecord<Atoms>;

  void push(Record& record) noexcept { push_chain(record, record); }

  // Several records by one exchange. `newest` leads by `next` to the one before it, and so on to `oldest`.
  void push_chain(Record& newest, Record& oldest) noexcept {
    oldest.next.store(unlinked(), std::memory_order_relaxed);
    Record* older = head_.exchange(&newest, std::memory_order_acq_rel);
    oldest.next.store(older, std::memory_order_release);
  }

  // A hint: true when nobody has pushed since the owner last took.
  bool untouched() const noexcept { return head_.load(std::memory_order_relaxed) == nullptr; }

 private:
  friend class InboxTray<Atoms>;

  static Record* unlinked() noexcept { return reinterpret_cast<Record*>(uintptr_t{1}); }

  // Written by pushers and by the taker.
  typename Atoms::template Atomic<Record*> head_{nullptr};
};

// The owner's part.
template <class Atoms = RealAtoms>
class InboxTray {
 public:
  using Record = InboxRecord<Atoms>;

  // The oldest record that can be taken now, or nullptr.
  Record* take(InboxDoor<Atoms>& door) noexcept {
    if (ready_ != nullptr) return pop_ready();
    if (stack_ == nullptr) {
      if (door.untouched()) return nullptr;
      stack_ = door.head_.exchange(nullptr, std::memory_order_acquire);
    }
    reverse();
    return ready_ != nullptr ? pop_ready() : nullptr;
  }

  // Anyone, as a hint. True when nothing of it waits to be given out (a half-done push counts as waiting).
  bool empty() const noexcept { return !kept_.load(std::memory_order_relaxed); }

 private:
  Record* pop_ready() noexcept {
    Record* record = ready_;
    ready_ = record->next.load(std::memory_order_relaxed);
    note_kept();
    return record;
  }

  // Turns the newest-first stack that was taken into the oldest-first list `ready_`. Stops, keeping its place, at a
  // record whose link is not stored yet: older ones, behind it, must come out first.
  void reverse() noexcept {
    while (stack_ != nullptr) {
      Record* older = stack_->next.load(std::memory_order_acquire);
      if (older == InboxDoor<Atoms>::unlinked()) break;
      stack_->next.store(reversed_, std::memory_order_relaxed);
      reversed_ = stack_;
      stack_ = older;
    }
    if (stack_ == nullptr) {
      ready_ = reversed_;
      reversed_ = nullptr;
    }
    note_kept();
  }

  void note_kept() noexcept {
    kept_.store(ready_ != nullptr || stack_ != nullptr || reversed_ != nullptr, std::memory_order_relaxed);
  }

  // Written by the owner alone.
  using Private = typename Atoms::template Plain<Record*>;
  Private ready_{nullptr};     // oldest first
  Private stack_{nullptr};     // taken, newest first, not yet reversed
  Private reversed_{nullptr};  // reversed so far
  typename Atoms::template Atomic<bool> kept_{false};
};

template <class Atoms = RealAtoms>
class Inbox {
 public:
  using Record = InboxRecord<Atoms>;

  // Any context.
  void push(Record& record) noexcept { door_.push(record); }

  // Owner only. The oldest record that can be taken now, or nullptr.
  Record* take() noexcept { return tray_.take(door_); }

  // Owner, or anyone as a hint. True when nothing waits to be taken (a half-done push counts as waiting).
  bool empty() const noexcept { return door_.untouched() && tray_.empty(); }

 private:
  alignas(64) InboxDoor<Atoms> door_;
  alignas(64) InboxTray<Atoms> tray_;
};

}  // namespace vif::base
