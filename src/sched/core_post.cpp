// Towards other cores: batches, and what other threads do to this core. Context: core, except receive() and ring().
#include <algorithm>
#include <utility>

#include "sched/core.hpp"
#include "sched/scheduler.hpp"
#include "sched/ticks.hpp"

namespace vif::sched {
namespace {

// Reading the clock costs as much as a hand-over.
constexpr uint32_t batches_unmeasured = 4;

}  // namespace

void Core::post(Event& event, uint16_t to) noexcept {
  if (to == index_) {
    if (locked_) {
      tally_.hands(1);
      receive_locked(event, event);
    } else if (stealing_) {
      post_stealing(event);
    } else {
      enqueue(event);
    }
    return;
  }
  Batch& batch = batches_[to];
  if (batch.count == 0 && limit_.limit() > 1) batch.since = ticks();
  tally_.hands(1);
  batch.append(event);
  ++held_;
  if (event.kind == Kind::urgent) return hand_over(to);
  if (batch.count >= limit_.limit()) return hand_over_full(to);
  // A handler that posts several at once makes a burst of its own.
  if (std::exchange(batch.handler, events_run()) == events_run() && !std::exchange(batch.due, true)) due_.push_back(to);
}

void Core::hand_over(uint16_t to) noexcept {
  Batch& batch = batches_[to];
  Event& newest = *std::exchange(batch.newest, nullptr);
  Event& oldest = *std::exchange(batch.oldest, nullptr);
  const uint32_t count = std::exchange(batch.count, 0);
  held_ -= count;
  if (batch.kept != 0) {
    if (std::exchange(batch.kept, 0) == count) {
      limit_.kept_for_nothing(count);
    } else {
      limit_.kept_with_gain();
    }
  }
  if (to == index_) return line_.door.put(newest, oldest);
  scheduler_.core(to).receive(newest, oldest);
}

// Full, or worth it. Now and then with a look at the clock, for what is learnt.
void Core::hand_over_full(uint16_t to) noexcept {
  Batch& batch = batches_[to];
  if (++unmeasured_ < batches_unmeasured) {
    hand_over(to);
    if (unmeasured_ == batches_unmeasured - 1) handed_at_ = ticks_done();
    return;
  }
  unmeasured_ = 0;
  const uint32_t count = batch.count;
  const int64_t before = ticks();
  const int64_t first = count > 1 ? batch.since : handed_at_;
  hand_over(to);
  limit_.full(std::max(1U, count - 1), before - first, ticks_done() - before);
}

void Core::hand_over_due() noexcept {
  for (const uint16_t to : due_) {
    Batch& batch = batches_[to];
    batch.due = false;
    if (batch.count == 0) continue;
    if (limit_.burst_over(batch.count)) {
      hand_over_full(to);
    } else {
      if (batch.kept != 0) limit_.kept_with_gain();
      batch.kept = batch.count;
    }
  }
  due_.clear();
}

void Core::hand_over_all() noexcept {
  for (uint16_t to = 0; held_ != 0; ++to) {
    if (batches_[to].count != 0) hand_over(to);
  }
}

void Core::hand_over_others(uint16_t core) noexcept {
  if (held_ == batches_[core].count) return;
  for (uint16_t to = 0; to < batches_.size(); ++to) {
    if (to != core && batches_[to].count != 0) hand_over(to);
  }
}

void Core::hand_over_old(int64_t now) noexcept {
  const int64_t patience = limit_.patience();
  for (uint16_t to = 0; to < batches_.size(); ++to) {
    if (batches_[to].count != 0 && now - batches_[to].since > patience) hand_over(to);
  }
}

// Since when somebody waits for this core to wake.
void Core::note_ring() noexcept {
  if (line_.door.resting()) line_.rung_at.store(ticks(), std::memory_order_relaxed);
}

void Core::receive(Event& newest, Event& oldest) noexcept {
  if (locked_) {
    receive_locked(newest, oldest);
  } else {
    note_ring();
    if (line_.door.push_chain(newest, oldest) == bell::Call::helper) wake_through_descriptor();
  }
}

void Core::ring() noexcept {
  note_ring();
  if (line_.door.ring() == bell::Call::helper) wake_through_descriptor();
}

}  // namespace vif::sched
