// Operations that the target does, as the target sees them. Context: handler (the engine's, in any context).
//
// What an origin wrote is checked before it is used: ranges against the window, sizes against the slot.
#include <algorithm>
#include <cstring>

#include "rma/window.hpp"

namespace vif::rma {
namespace {

constexpr int slots_per_pass = 8;
constexpr uint64_t aside_bytes = 1024;

Slot& slot_of(std::byte* base, uint32_t id) noexcept { return *reinterpret_cast<Slot*>(base + uint64_t{id} * 64); }

// data = old, and target = data (op) target.
void fetch(const Combine& combine, std::byte* target, std::byte* data, uint64_t bytes) noexcept {
  alignas(64) std::byte old[aside_bytes];
  const uint64_t most = aside_bytes / combine.element * combine.element;
  for (uint64_t done = 0; done < bytes; done += most) {
    const uint64_t now = std::min(most, bytes - done);
    apply(combine, target + done, data + done, old, now);
    std::memcpy(data + done, old, now);
  }
}

void swap(std::byte* target, std::byte* data, uint64_t bytes) noexcept {
  std::byte old[16];
  std::memcpy(old, target, bytes);
  if (std::memcmp(old, data + bytes, bytes) == 0) std::memcpy(target, data, bytes);
  std::memcpy(data, old, bytes);
}

}  // namespace

// What came since the last look, in the order of each origin, behind what is still to be done.
void Window::take_mail() noexcept {
  uint32_t id = block(rank_).mailbox.take_all();
  uint32_t reversed = 0, last = id;
  while (id != 0) {
    if (!memory_.inside(uint64_t{id} * 64, sizeof(Slot))) break;
    Slot& slot = slot_of(engine_.shared_base(), id);
    const uint32_t next = slot.next;
    slot.next = reversed;
    reversed = id;
    id = next;
  }
  if (reversed == 0) return;
  if (backlog_ == 0) {
    backlog_ = reversed;
  } else {
    slot_of(engine_.shared_base(), backlog_end_).next = reversed;
  }
  backlog_end_ = last;
}

bool Window::serve(net::Engine& engine) noexcept {
  take_mail();
  for (int budget = slots_per_pass; backlog_ != 0; --budget) {
    Slot& slot = slot_of(engine.shared_base(), backlog_);
    if (budget == 0) {
      engine.come_again();
      return false;
    }
    const uint32_t next = slot.next;
    const int origin = slot.origin;
    const Served served = serve_slot(slot);
    if (served == Served::later) {
      engine.come_again();
      return false;
    }
    backlog_ = next;
    slot.state.finish(served == Served::refused);
    if (origin >= 0 && origin < engine.processes()) engine.ring(origin);
  }
  if (!closing_.load(std::memory_order_acquire)) return false;
  closed_.store(true, std::memory_order_release);
  return true;
}

Window::Served Window::check_slot(const Slot& slot) noexcept {
  uint64_t bytes = 0;
  const bool has_elements = slot.kind != Slot::Kind::put && slot.kind != Slot::Kind::get;
  if (has_elements && (slot.element == 0 || slot.element > aside_bytes)) return Served::refused;
  if (slot.pieces > Slot::most_pieces) return Served::refused;
  for (uint32_t i = 0; i < slot.pieces; ++i) {
    const Slot::Piece& piece = slot.piece[i];
    if (piece.bytes > Slot::most_bytes - bytes) return Served::refused;
    bytes += piece.bytes;
    const uint64_t end = piece.address + piece.bytes;
    if (dynamic_) {
      const Attachments<>::Answer answer = find_attached(rank_, piece.address, end);
      if (answer == Attachments<>::Answer::busy) return Served::later;
      if (answer == Attachments<>::Answer::no) return Served::refused;
    } else if (check_range(rank_, piece.address, end) != Outcome::success) {
      return Served::refused;
    }
  }
  const bool swaps = slot.kind == Slot::Kind::swap;
  return swaps && (slot.pieces != 1 || slot.element > 16 || bytes != slot.element) ? Served::refused : Served::done;
}

Window::Served Window::serve_slot(Slot& slot) noexcept {
  const Served checked = check_slot(slot);
  if (checked != Served::done) return checked;
  Combine combine;
  if (slot.kind == Slot::Kind::accumulate || slot.kind == Slot::Kind::fetch) {
    combine.kind = static_cast<Combine::Kind>(slot.combine);
    combine.element = slot.element;
    combine.alignment = std::max<uint32_t>(slot.alignment, 1);
    combine.function = combine.kind == Combine::Kind::function ? function_of_(slot.code) : nullptr;
    if (combine.kind == Combine::Kind::function && combine.function == nullptr) return Served::refused;
  }
  std::byte* data = slot.data;
  for (uint32_t i = 0; i < slot.pieces; ++i) {
    auto* target = reinterpret_cast<std::byte*>(slot.piece[i].address);
    const uint64_t bytes = slot.piece[i].bytes;
    switch (slot.kind) {
      case Slot::Kind::put:
        std::memcpy(target, data, bytes);
        break;
      case Slot::Kind::get:
        std::memcpy(data, target, bytes);
        break;
      case Slot::Kind::accumulate:
        apply(combine, target, data, nullptr, bytes);
        break;
      case Slot::Kind::fetch:
        fetch(combine, target, data, bytes);
        break;
      case Slot::Kind::swap:
        swap(target, data, bytes);
        break;
      default:
        return Served::refused;
    }
    data += bytes;
  }
  return Served::done;
}

}  // namespace vif::rma
