// The life of a window, its range checks, locks and attachments. Context: app.
#include "rma/window.hpp"

#include <algorithm>

#include <sched.h>

namespace vif::rma {

Window::Window(Setting setting)
    : engine_(*setting.engine),
      memory_(*setting.engine->remote_memory()),
      rank_(setting.rank),
      way_(setting.way),
      dynamic_(setting.dynamic),
      peers_(std::move(setting.peers)),
      function_of_(setting.function_of),
      held_(peers_.size()) {
  receiver_.window = this;
  receiver_.poll = [](net::Engine& engine, net::Poller& poller) noexcept {
    return static_cast<Receiver&>(poller).window->serve(engine);
  };
}

Window::~Window() {
  if (slots_offset_ != 0) engine_.shared_free(slots_offset_, uint64_t{slots} * slot_bytes);
  for (const auto& [offset, bytes] : old_tables_) engine_.shared_free(offset, bytes);
}

void Window::open() {
  if (way_ != Way::message) return;
  struct Opening : net::Task {
    Receiver* receiver;
    std::atomic<bool> ran{false};
  } opening;
  opening.receiver = &receiver_;
  opening.run = [](net::Engine& engine, net::Task& task) noexcept {
    engine.add_poller(*static_cast<Opening&>(task).receiver);
    static_cast<Opening&>(task).ran.store(true, std::memory_order_release);
  };
  closed_.store(false, std::memory_order_relaxed);
  engine_.submit(opening);
  engine_.wait_until([](void* o) { return static_cast<Opening*>(o)->ran.load(std::memory_order_acquire); }, &opening);
}

void Window::close() {
  if (way_ != Way::message) return;
  closing_.store(true, std::memory_order_release);
  engine_.wait_until([](void* w) { return static_cast<Window*>(w)->closed_.load(std::memory_order_acquire); }, this);
}

std::byte* Window::here(int rank, uint64_t address) const noexcept {
  const Peer& target = peer(rank);
  if (target.mapped != nullptr) return target.mapped + (address - target.base);
  return rank == rank_ ? reinterpret_cast<std::byte*>(address) : nullptr;
}

Outcome Window::check(int rank, uint64_t address, const data::View& view) noexcept {
  if (view.count == 0 || view.layout->size == 0) return Outcome::success;
  return check_range(rank, address + static_cast<uint64_t>(view.first()), address + static_cast<uint64_t>(view.end()));
}

Outcome Window::check_range(int rank, uint64_t begin, uint64_t end) noexcept {
  if (!dynamic_) {
    const Peer& target = peer(rank);
    const bool inside = begin >= target.base && end >= begin && end - target.base <= target.bytes;
    return inside ? Outcome::success : Outcome::out_of_range;
  }
  for (;;) {
    switch (find_attached(rank, begin, end)) {
      case Attachments<>::Answer::yes:
        return Outcome::success;
      case Attachments<>::Answer::no:
        return Outcome::not_attached;
      case Attachments<>::Answer::busy:
        sched_yield();
    }
  }
}

// Context: handler
Attachments<>::Answer Window::find_attached(int rank, uint64_t begin, uint64_t end) noexcept {
  return block(rank).attachments.find(begin, end, [this](uint64_t place, uint64_t) {
    return reinterpret_cast<const Attachments<>::Entry*>(engine_.shared_base() + place);
  });
}

Outcome Window::attach(uint64_t begin, uint64_t bytes) {
  auto& mine = block(rank_).attachments;
  const uint64_t count = mine.count();
  uint64_t place = mine.place();
  auto entries = [this](uint64_t at) { return reinterpret_cast<Attachments<>::Entry*>(engine_.shared_base() + at); };
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t first = entries(place)[i].begin.load(std::memory_order_relaxed);
    const uint64_t other = entries(place)[i].bytes.load(std::memory_order_relaxed);
    if (begin < first + other && first < begin + bytes) return Outcome::not_attached;
  }
  if (count == table_room_) {
    const uint64_t room = std::max<uint64_t>(16, 2 * table_room_);
    std::string error;
    const uint64_t larger = engine_.shared_allocate(room * sizeof(Attachments<>::Entry), error);
    if (larger == 0) return Outcome::no_memory;
    // Others may be reading the old one: it stays until the window ends.
    old_tables_.emplace_back(larger, room * sizeof(Attachments<>::Entry));
    for (uint64_t i = 0; i < count; ++i) {
      entries(larger)[i].begin.store(entries(place)[i].begin.load(std::memory_order_relaxed),
                                     std::memory_order_relaxed);
      entries(larger)[i].bytes.store(entries(place)[i].bytes.load(std::memory_order_relaxed),
                                     std::memory_order_relaxed);
    }
    place = larger;
    table_room_ = room;
  }
  mine.change(place, [&](uint64_t now) {
    entries(place)[now].begin.store(begin, std::memory_order_relaxed);
    entries(place)[now].bytes.store(bytes, std::memory_order_relaxed);
    return now + 1;
  });
  return Outcome::success;
}

bool Window::detach(uint64_t begin) {
  auto& mine = block(rank_).attachments;
  auto* entries = reinterpret_cast<Attachments<>::Entry*>(engine_.shared_base() + mine.place());
  for (uint64_t i = 0; i < mine.count(); ++i) {
    if (entries[i].begin.load(std::memory_order_relaxed) != begin) continue;
    mine.change(mine.place(), [&](uint64_t count) {
      const Attachments<>::Entry& last = entries[count - 1];
      entries[i].begin.store(last.begin.load(std::memory_order_relaxed), std::memory_order_relaxed);
      entries[i].bytes.store(last.bytes.load(std::memory_order_relaxed), std::memory_order_relaxed);
      return count - 1;
    });
    return true;
  }
  return false;
}

void Window::lock(int rank, bool exclusive) {
  TargetBlock& target = block(rank);
  const auto count = static_cast<uint32_t>(size());
  Held& held = held_[static_cast<std::size_t>(rank)];
  held.exclusive = exclusive;
  held.ticket = target.lock.take(target.places(), count, static_cast<uint32_t>(rank_) + 1);
  struct Wait {
    const TicketLock<>* lock;
    Held* held;
  } wait{&target.lock, &held};
  engine_.wait_until(
      [](void* argument) {
        const auto* w = static_cast<Wait*>(argument);
        return w->lock->may_enter(w->held->ticket, w->held->exclusive);
      },
      &wait);
  const uint32_t next = target.lock.entered(target.places(), count, held.ticket, exclusive);
  if (next != TicketLock<>::nobody) engine_.ring(peer(static_cast<int>(next) - 1).process);
}

void Window::unlock(int rank) {
  TargetBlock& target = block(rank);
  const Held held = held_[static_cast<std::size_t>(rank)];
  const uint32_t next = target.lock.leave(target.places(), static_cast<uint32_t>(size()), held.ticket, held.exclusive);
  if (next != TicketLock<>::nobody) engine_.ring(peer(static_cast<int>(next) - 1).process);
}

}  // namespace vif::rma
