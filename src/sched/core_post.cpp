// Towards other cores: batches, and what other threads do to this core. Context: core, except receive() and ring().
#include "sched/core.hpp"
#include "sched/scheduler.hpp"
#include "sched/ticks.hpp"

namespace vif::sched {
namespace {

// Small batches are measured once in so many, since reading the clock costs as much as a hand-over.
constexpr uint32_t batches_unseen = 8;
constexpr uint32_t small_batch = 4;

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
  if (batch.count < limit_.limit() && event.kind != Kind::urgent) return;
  const uint32_t count = batch.count;
  batch_events_ += count;
  if (count < small_batch && ++batches_unseen_ < batches_unseen) return hand_over(to);
  batches_unseen_ = 0;
  const int64_t before = ticks();
  hand_over(to);
  const int64_t after = ticks();
  limit_.full(batch_events_, before - batches_at_, after - before);
  batch_events_ = 0;
  batches_at_ = after;
}

void Core::hand_over(uint16_t to) noexcept {
  Batch batch = batches_[to];
  batches_[to] = {};
  held_ -= batch.count;
  scheduler_.core(to).receive(*batch.newest, *batch.oldest);
}

void Core::hand_over_all() noexcept {
  for (uint16_t to = 0; held_ != 0; ++to) {
    if (batches_[to].count != 0) hand_over(to);
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
