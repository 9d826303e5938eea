// Operations that the target does, as the origin sees them: filling slots, posting them, waiting. Context: app.
#include <algorithm>
#include <cstring>

#include "data/copy.hpp"
#include "data/visit.hpp"
#include "rma/runs.hpp"
#include "rma/window.hpp"

namespace vif::rma {
namespace {

// Lets a slot describe the next bytes of a view; returns how many.
uint64_t describe(Slot& slot, const data::View& view, uint64_t address, uint64_t from, uint64_t bytes) {
  slot.pieces = 0;
  slot.bytes = 0;
  data::visit(view, from, std::min<uint64_t>(bytes, Slot::most_bytes), [&](int64_t offset, uint64_t length) {
    slot.piece[slot.pieces++] = {address + static_cast<uint64_t>(offset), length};
    slot.bytes += length;
    return slot.pieces < Slot::most_pieces;
  });
  return slot.bytes;
}

}  // namespace

// The caller holds slots_lock_. A slot that nobody uses; waits for one, and collects what the others did.
Slot* Window::take_slot() {
  if (slots_offset_ == 0) {
    std::string error;
    slots_offset_ = engine_.shared_allocate(uint64_t{slots} * slot_bytes, error);
    if (slots_offset_ == 0) return nullptr;
    auto* first = reinterpret_cast<Slot*>(engine_.shared_base() + slots_offset_);
    for (int i = 0; i < slots; ++i) slots_[static_cast<std::size_t>(i)] = first + i;
  }
  auto any_usable = [](void* window) {
    const auto* self = static_cast<const Window*>(window);
    for (int i = 0; i < slots; ++i) {
      if (self->is_usable(i)) return true;
    }
    return false;
  };
  engine_.wait_until(any_usable, this);
  for (int i = 0; i < slots; ++i) {
    if (!is_usable(i)) continue;
    Slot& slot = *slots_[static_cast<std::size_t>(i)];
    if (!slot.state.is_free() && collect(slot) != Outcome::success) refused_ = Outcome::not_attached;
    slot.origin = peer(rank_).process;
    return &slot;
  }
  return nullptr;
}

bool Window::is_usable(int slot) const noexcept {
  const auto i = static_cast<std::size_t>(slot);
  return !slot_read_[i] && (slots_[i]->state.is_free() || slots_[i]->state.finished());
}

void Window::post(Slot& slot, int rank) {
  slot_rank_[static_cast<std::size_t>(&slot - slots_[0])] = rank;
  slot.state.post();
  const auto id = static_cast<uint32_t>((reinterpret_cast<std::byte*>(&slot) - engine_.shared_base()) / 64);
  block(rank).mailbox.push(id, slot.next);
  engine_.ring(peer(rank).process);
}

Outcome Window::collect(Slot& slot) noexcept {
  const bool refused = slot.state.was_refused();
  slot.state.give_back();
  return refused ? Outcome::not_attached : Outcome::success;
}

void Window::wait_finished(const Slot& slot) {
  engine_.wait_until([](void* s) { return static_cast<Slot*>(s)->state.finished(); }, const_cast<Slot*>(&slot));
}

Outcome Window::flush_slots(int rank) {
  const std::lock_guard guard(slots_lock_);
  if (slots_offset_ == 0) return Outcome::success;
  for (std::size_t i = 0; i < slots; ++i) {
    if (slots_[i]->state.is_free() || (rank >= 0 && slot_rank_[i] != rank)) continue;
    wait_finished(*slots_[i]);
    if (collect(*slots_[i]) != Outcome::success) refused_ = Outcome::not_attached;
  }
  const Outcome outcome = refused_;
  refused_ = Outcome::success;
  return outcome;
}

// What was stored in mapped memory is visible in order; the fence puts it before what the program does next.
Outcome Window::flush(int rank) {
  base::RealAtoms::fence();
  return way_ == Way::message ? flush_slots(rank) : Outcome::success;
}

Outcome Window::flush_all() {
  base::RealAtoms::fence();
  return way_ == Way::message ? flush_slots(-1) : Outcome::success;
}

Outcome Window::message_put(const data::View& origin, const std::byte* from, const Place& to) {
  const std::lock_guard guard(slots_lock_);
  const uint64_t bytes = std::min(origin.size(), to.view.size());
  for (uint64_t done = 0; done < bytes;) {
    Slot* slot = take_slot();
    if (slot == nullptr) return Outcome::no_memory;
    slot->kind = Slot::Kind::put;
    const uint64_t now = describe(*slot, to.view, to.address, done, bytes - done);
    data::gather(origin, from, done, slot->data, now);
    post(*slot, to.rank);
    done += now;
  }
  return Outcome::success;
}

// Several parts are on their way at once.
Outcome Window::message_get(const data::View& origin, std::byte* to, const Place& from) {
  const std::lock_guard guard(slots_lock_);
  const uint64_t bytes = std::min(origin.size(), from.view.size());
  struct Part {
    Slot* slot;
    uint64_t at;
  } parts[slots];
  int first = 0, count = 0;
  Outcome outcome = Outcome::success;
  for (uint64_t asked = 0; asked < bytes || count != 0;) {
    const bool room = count < slots - 1;  // take_slot() must find one that is not waiting to be read
    if (asked < bytes && room) {
      Slot* slot = take_slot();
      if (slot == nullptr) return Outcome::no_memory;
      slot->kind = Slot::Kind::get;
      parts[(first + count++) % slots] = {slot, asked};
      asked += describe(*slot, from.view, from.address, asked, bytes - asked);
      slot_read_[static_cast<std::size_t>(slot - slots_[0])] = true;
      post(*slot, from.rank);
      continue;
    }
    const Part part = parts[first];
    wait_finished(*part.slot);
    data::scatter(origin, to, part.at, part.slot->data, part.slot->bytes);
    slot_read_[static_cast<std::size_t>(part.slot - slots_[0])] = false;
    if (collect(*part.slot) != Outcome::success) outcome = Outcome::not_attached;
    first = (first + 1) % slots;
    --count;
  }
  return outcome;
}

Outcome Window::message_chunk(const Elements& target, int rank, const Combine& combine, uint64_t first, uint64_t count,
                              const std::byte* origin, std::byte* old) {
  const std::lock_guard guard(slots_lock_);
  const uint64_t element = combine.element;
  const uint64_t most = Slot::most_bytes / element;
  while (count != 0) {
    Slot* slot = take_slot();
    if (slot == nullptr) return Outcome::no_memory;
    slot->kind = old != nullptr ? Slot::Kind::fetch : Slot::Kind::accumulate;
    slot->combine = static_cast<uint32_t>(combine.kind);
    slot->code = combine.code;
    slot->element = combine.element;
    slot->alignment = combine.alignment;
    slot->pieces = 0;
    slot->bytes = 0;
    each_run(target, first, std::min(most, count), [&](int64_t offset, uint64_t elements) {
      const uint64_t address = reinterpret_cast<uint64_t>(target.address) + static_cast<uint64_t>(offset);
      slot->piece[slot->pieces++] = {address, elements * element};
      slot->bytes += elements * element;
      return slot->pieces < Slot::most_pieces;
    });
    const uint64_t now = slot->bytes;
    if (origin != nullptr) std::memcpy(slot->data, origin, now);
    post(*slot, rank);
    if (old != nullptr) {
      wait_finished(*slot);
      std::memcpy(old, slot->data, now);
      if (const Outcome outcome = collect(*slot); outcome != Outcome::success) return outcome;
      old += now;
    }
    if (origin != nullptr) origin += now;
    first += now / element;
    count -= now / element;
  }
  return Outcome::success;
}

Outcome Window::message_swap(const std::byte* value, const std::byte* compare, std::byte* old, uint32_t bytes, int rank,
                             uint64_t address) {
  const std::lock_guard guard(slots_lock_);
  Slot* slot = take_slot();
  if (slot == nullptr) return Outcome::no_memory;
  slot->kind = Slot::Kind::swap;
  slot->element = bytes;
  slot->pieces = 1;
  slot->piece[0] = {address, bytes};
  slot->bytes = 2 * uint64_t{bytes};
  std::memcpy(slot->data, value, bytes);
  std::memcpy(slot->data + bytes, compare, bytes);
  post(*slot, rank);
  wait_finished(*slot);
  std::memcpy(old, slot->data, bytes);
  return collect(*slot);
}

}  // namespace vif::rma
