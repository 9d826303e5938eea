// Long messages: one copy, made by whoever has time (see shm/transfer.hpp). Context: handler (the owner's, in any
// context).
//
// Who copies a matched transfer, this process being one of its two sides:
//   waiting in the library   it copies. When the other side waits too, either both take slices, or the sender sends
//                            them
//                            through the ring: what is cheaper (route.hpp)
//   elsewhere                it copies only when the other side does not wait (a waiting side has a core to spare),
//                            when that is
//                            worth the interruption, and within the budget of a pass
// A side that wants the other to know rings it: the receiver when it matched, the finisher when all is done.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/clock.hpp"
#include "net/core.hpp"
#include "net/packet.hpp"
#include "net/shm/cross_memory.hpp"

namespace vif::net {
namespace {

using State = shm::Transfer<>::State;

constexpr uint64_t smallest_slice = 32 * 1024;
constexpr uint64_t largest_slice = 64 * 1024;
constexpr int64_t moment_ns = 2000;
constexpr size_t transfers_per_chunk = 64;
constexpr uint64_t transfer_stride = sizeof(shm::Transfer<>);
static_assert(transfer_stride % 64 == 0);

// Small enough that two idle sides share the work, large enough that the system call does not show.
uint64_t slice_of(uint64_t length) {
  return std::clamp((length / 8 + 4095) / 4096 * 4096, smallest_slice, largest_slice);
}

// Several in flight, so that the copies of the two sides overlap.
uint32_t fragment_of(uint64_t length) {
  const uint64_t sixteenth = length / 16 / 4096 * 4096;
  return static_cast<uint32_t>(std::clamp<uint64_t>(sixteenth, eager_piece, large_payload_limit));
}

}  // namespace

void RequestList::push(Request& request) noexcept {
  request.queue_next = nullptr;
  request.queue_link = tail_;
  *tail_ = &request;
  tail_ = &request.queue_next;
}

void RequestList::remove(Request& request) noexcept {
  *request.queue_link = request.queue_next;
  if (request.queue_next != nullptr) {
    request.queue_next->queue_link = request.queue_link;
  } else {
    tail_ = request.queue_link;
  }
  request.queue_link = nullptr;
}

// A descriptor from the pool, as its offset in units of 64 bytes; 0 when a handler finds none.
uint32_t Core::new_transfer() noexcept {
  if (free_transfers_.empty()) {
    for (size_t i = 0; i < returning_transfers_.size();) {
      if (transfer(returning_transfers_[i]).reclaim()) {
        free_transfers_.push_back(returning_transfers_[i]);
        returning_transfers_[i] = returning_transfers_.back();
        returning_transfers_.pop_back();
      } else {
        ++i;
      }
    }
  }
  if (free_transfers_.empty() && owner_ != Owner::handler) grow_transfers();
  if (free_transfers_.empty()) return 0;
  const uint32_t id = free_transfers_.back();
  free_transfers_.pop_back();
  return id;
}

// App context. More descriptors; the vectors get room for all of them, so that no handler ever makes them grow.
void Core::grow_transfers() noexcept {
  std::string error;
  const uint64_t offset = segment_.allocate(transfers_per_chunk * transfer_stride, error);
  if (offset == 0) {
    if (transfer_users_.empty()) broken_ = "There is no shared memory left for long messages: memory is exhausted.";
    return;
  }
  const size_t first = transfer_users_.size();
  transfer_users_.resize(first + transfers_per_chunk, nullptr);
  free_transfers_.reserve(transfer_users_.size());
  returning_transfers_.reserve(transfer_users_.size());
  for (size_t i = 0; i < transfers_per_chunk; ++i) {
    const auto id = static_cast<uint32_t>((offset + i * transfer_stride) / 64);
    transfer(id).index = static_cast<uint32_t>(first + i);
    free_transfers_.push_back(id);
  }
}

// Whether the peer's memory may be read or written directly: tried once on a word made for it.
bool Core::may_access(int process, bool reading) noexcept {
  Channel& peer = channel(process);
  Channel::Access& access = reading ? peer.read : peer.write;
  if (access == Channel::Access::unknown) {
    const shm::ProcessRecord& record = segment_.record(process);
    uint64_t word = shm::probe_value(process);
    int result = EPERM;
    if (settings_.cross_memory && record.address.pid_space == me_->address.pid_space) {
      result = reading ? shm::read_memory(record.address.process, record.probe_address, &word, sizeof word)
                       : shm::write_memory(record.address.process, record.probe_address, &word, sizeof word);
    }
    access = result == 0 && word == shm::probe_value(process) ? Channel::Access::allowed : Channel::Access::forbidden;
  }
  return access == Channel::Access::allowed;
}

// Receiver: the request takes the offered message. False: its sender has withdrawn it.
bool Core::match_offer(Request& request, int process, uint32_t id) noexcept {
  auto& moving = transfer(id);
  // What does not lie side by side on both sides travels through the ring, packed and unpacked piece by piece.
  const uint64_t length = std::min(moving.length(), request.length);
  const bool direct = moving.contiguous() && request.view.layout == nullptr &&
                      (mapped(moving.sender_place(), length) != nullptr || may_access(process, true));
  const shm::Route route = direct ? shm::Route::cross_memory : shm::Route::through_ring;
  if (moving.match(reinterpret_cast<uint64_t>(request.buffer), length, route, request.on_complete != nullptr,
                   direct ? place_of(request) : shm::Place{}))
    return true;
  moving.leave();
  return false;
}

void Core::join_transfer(Request& request, int process, uint32_t id) noexcept {
  request.partner = process;
  request.transfer = id;
  request.status.bytes = transfer(id).taken();
  request.order = static_cast<uint64_t>(base::now_ns());  // of the match, from now on
  interest(+1);
  incoming_.push(request);
  ++matches_;
}

// Receiver: the matched message moves from now on.
void Core::begin_transfer(Request& request, int process, uint32_t id) noexcept {
  join_transfer(request, process, id);
  auto& moving = transfer(id);
  segment_.record(process).matched.push(id, moving.next_matched);
  const bool sender_must_work = moving.route() == shm::Route::through_ring ||
                                (peer_waits(process) && (owner_ != Owner::waiting || moving.ring_first()));
  if (moving.taken() == 0 || sender_must_work) notify(process, false);
}

void Core::copy_slices(Request& request, int peer, bool reading) noexcept {
  auto& moving = transfer(request.transfer);
  const uint64_t slice = slice_of(moving.taken());
  const bool other_way = moving.ring_first() && owner_ == Owner::waiting;
  uint64_t from = 0, bytes = 0;
  auto* buffer = static_cast<std::byte*>(request.buffer);
  std::byte* const there = mapped(reading ? moving.sender_place() : moving.receiver_place(), moving.taken());
  const int pid = segment_.record(peer).address.process;
  trace::Span span(trace::What::copy);
  span.event().started = peer;
  while (copy_budget_ > 0 && moving.claim(!reading, slice, from, bytes)) {
    copy_budget_ -= std::min(copy_budget_, bytes);
    if (there == nullptr) {
      const int result = reading ? shm::read_memory(pid, moving.sender_address() + from, buffer + from, bytes)
                                 : shm::write_memory(pid, moving.receiver_address() + from, buffer + from, bytes);
      if (result != 0) moving.fail(static_cast<uint32_t>(result));
    } else {
      std::memcpy(reading ? buffer + from : there + from, reading ? there + from : buffer + from, bytes);
    }
    (owner_ == Owner::waiting   ? counters_.copied_waiting
     : owner_ == Owner::handler ? counters_.copied_handler
                                : counters_.copied_app) += bytes;
    span.event().bytes += bytes;
    if (moving.finish(bytes)) {
      notify(peer, reading ? !moving.sender_attentive() : !moving.receiver_attentive());
      return;
    }
    // The other side has come to wait: together they are faster. In another pass, which must come: this may be the last
    // look before a sleep, and the other side takes for granted that this one moves.
    if (other_way && peer_waits(peer)) break;
  }
  if (!moving.all_claimed()) more_ = true;
}

// Sender: pieces through the ring, as far as there is room.
void Core::push_fragments(Request& request) noexcept {
  auto& moving = transfer(request.transfer);
  const int process = request.process;
  Channel& peer = channel(process);
  if (peer.queue_head != nullptr && peer.queue_head->moved != 0) return;  // a message is half in the ring
  enlarge_data(process, peer, moving.taken());
  const uint32_t piece = peer.large_data ? fragment_of(moving.taken()) : small_payload_limit;
  bool sent_any = false;
  while (!moving.all_claimed()) {
    shm::ShmCell* cell = reserve(peer, piece);
    uint64_t from = 0, bytes = 0;
    if (cell == nullptr || !moving.claim(true, piece, from, bytes)) break;
    cell->kind = packet_fragment;
    cell->flags = packet_attentive;
    cell->payload = static_cast<uint32_t>(bytes);
    cell->transfer = request.transfer;
    cell->length = from;
    std::byte* to =
        bytes <= shm::cell_inline_bytes ? cell->bytes : segment_.pair_data(process_, process) + cell->data_offset;
    take_bytes(request, from, to, bytes);
    peer.out.publish(*cell);
    ++counters_.fragments;
    moved_ += bytes;
    sent_any = true;
  }
  if (sent_any) notify(process, false);
}

bool Core::accept_fragment(int process, const shm::ShmCell& cell) noexcept {
  Request* request = incoming_.front();
  while (request != nullptr && (request->partner != process || request->transfer != cell.transfer)) {
    request = request->queue_next;
  }
  const std::byte* payload = payload_of(process, cell);
  if (request == nullptr || payload == nullptr || cell.length > request->length ||
      cell.payload > request->length - cell.length) {
    protocol_error("that belongs to no transfer");
    return false;
  }
  put_bytes(*request, cell.length, payload, cell.payload);
  moved_ += cell.payload;
  auto& moving = transfer(cell.transfer);
  if (moving.finish(cell.payload)) notify(process, !moving.sender_attentive());
  return true;
}

// Sender: how the next slices of a matched transfer travel, if this side is to move them.
void Core::send_slices(Request& request) noexcept {
  auto& moving = transfer(request.transfer);
  const bool receiver_waits = peer_waits(request.process);
  const bool waiting = owner_ == Owner::waiting;
  if (moving.route() == shm::Route::through_ring || (waiting && receiver_waits && moving.ring_first())) {
    push_fragments(request);
  } else if (may_come_to_wait(request)) {
    return;
  } else if (!can_move(request, request.process, false)) {
    if (moving.cannot_move(true)) notify(request.process, false);
  } else if (waiting || !moving.moves(false) || (!receiver_waits && worth_interrupting(moving))) {
    copy_slices(request, request.process, false);
  } else if (!moving.all_claimed()) {
    notify(request.process, true);  // it may have slept while this side was to do it
  }
}

// Whether this side may read or write the memory of the other. Of two that matched, one may.
bool Core::can_move(const Request& request, int peer, bool reading) noexcept {
  auto& moving = transfer(request.transfer);
  const shm::Place& place = reading ? moving.sender_place() : moving.receiver_place();
  return mapped(place, moving.taken()) != nullptr || may_access(peer, reading);
}

// A blocking call begins to wait a moment after its offer has left, or its receive was matched. While this side waits
// anyway, it gives the other that moment before it takes the slower way.
bool Core::may_come_to_wait(const Request& request) noexcept {
  return looking_ && owner_ == Owner::waiting && transfer(request.transfer).ring_first() &&
         base::now_ns() - static_cast<int64_t>(request.order) < moment_ns;
}

// Whether a computing side should copy while the other computes too. Yes when a collective depends on it, or when
// copying alone costs no more than copying together; else the same bytes cost less CPU when one of the two comes to
// wait. Yes, too, in MPI_Test and the like: two sides that only test never come to wait; and where somebody sleeps
// until it is done. Not when this side is expected to wait in a moment.
bool Core::worth_interrupting(const shm::Transfer<>& moving) const noexcept {
  if (demanded_ > 0) return true;
  if (owner_ == Owner::app && !asked_ && !multiple_ && gaps_.expects_short(site_.number())) return false;
  const bool as_cheap_later = moving.ring_first() || moving.direct();
  return asked_ || !as_cheap_later || moving.sender_attentive() || moving.receiver_attentive();
}

// Sends that receivers have matched since the last look: they move from now on.
void Core::notice_matches() noexcept {
  if (me_->matched.empty()) return;
  for (uint32_t id = me_->matched.take_all(); id != 0;) {
    if (!segment_.inside(static_cast<uint64_t>(id) * 64, transfer_stride)) {
      protocol_error("with a matched transfer outside the shared memory");
      return;
    }
    auto& moving = transfer(id);
    const uint32_t index = moving.index;
    id = moving.next_matched;
    Request* request = index < transfer_users_.size() ? transfer_users_[index] : nullptr;
    if (request == nullptr || request->transfer == 0 || &transfer(request->transfer) != &moving) continue;
    offered_.remove(*request);
    outgoing_.push(*request);
    request->order = static_cast<uint64_t>(base::now_ns());
  }
}

// The descriptor of a send that was never offered to its receiver.
void Core::give_back_transfer(Request& request) noexcept {
  transfer(request.transfer).abandon();
  free_transfers_.push_back(request.transfer);
  request.transfer = 0;
}

// A send is given up, unless its receiver was faster.
void Core::withdraw(Request& request) noexcept {
  if (!transfer(request.transfer).withdraw()) return;
  offered_.remove(request);
  returning_transfers_.push_back(request.transfer);
  transfer_users_[transfer(request.transfer).index] = nullptr;
  interest(-1);
  complete(request, Outcome::cancelled);
}

// Sends that were matched: copy, complete.
void Core::advance_outgoing() noexcept {
  for (Request* at = outgoing_.front(); at != nullptr;) {
    Request& request = *at;
    at = request.queue_next;
    auto& moving = transfer(request.transfer);
    if (!moving.complete()) send_slices(request);
    if (!moving.complete()) continue;
    outgoing_.remove(request);
    returning_transfers_.push_back(request.transfer);
    transfer_users_[moving.index] = nullptr;
    interest(-1);
    complete(request, moving.failure() != 0 ? Outcome::link_error : Outcome::success);
  }
}

// Receives that were matched with an offer: copy, complete.
void Core::advance_incoming() noexcept {
  for (Request* at = incoming_.front(); at != nullptr;) {
    Request& request = *at;
    at = request.queue_next;
    auto& moving = transfer(request.transfer);
    if (!moving.complete()) {
      const bool sender_waits = peer_waits(request.partner) || may_come_to_wait(request);
      const bool mine = !moving.moves(true) || (owner_ == Owner::waiting ? !sender_waits || !moving.ring_first()
                                                                         : !sender_waits && worth_interrupting(moving));
      if (moving.route() == shm::Route::cross_memory && mine && can_move(request, request.partner, true)) {
        copy_slices(request, request.partner, true);
      } else if (moving.route() == shm::Route::cross_memory && mine) {
        if (moving.cannot_move(false)) notify(request.partner, false);
      } else if (owner_ != Owner::waiting && !moving.all_claimed()) {
        notify(request.partner, true);  // it may have slept while this side was to do it
      }
      if (!moving.complete()) continue;
    }
    const Outcome outcome = moving.failure() != 0              ? Outcome::link_error
                            : moving.length() > request.length ? Outcome::truncated
                                                               : Outcome::success;
    incoming_.remove(request);
    moving.leave();
    interest(-1);
    complete(request, outcome);
  }
}

}  // namespace vif::net
