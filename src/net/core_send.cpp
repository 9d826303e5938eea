// Sending: protocols, rings with room and without, bells. Context: handler (the owner's, in any context).
#include <algorithm>

#include "base/clock.hpp"
#include "net/core.hpp"
#include "net/packet.hpp"

namespace vif::net {
namespace {

// How long a ring is put off for a peer that is expected back: half of what the interrupt would take.
constexpr int64_t patience_ns = 6'000;

}  // namespace

void Core::start_send(Request& request) noexcept {
  note_site(request, 1);
  request.begin(true);
  if (request.process == process_) {
    if (channel(process_).queue_head != nullptr || !send_to_self(request)) enqueue(process_, request);
    return;
  }
  Channel& peer = channel(request.process);
  if (post_at_once(peer, request)) return;
  if (peer.unusual) return start_unusual(request);
  if (peer.queue_head == nullptr && post(request.process, request)) return;
  enqueue(request.process, request);
}

// The short way of a small message when nothing is in its way: one cell, and the bell. False: the long way.
bool Core::post_at_once(Channel& peer, Request& request) noexcept {
  const uint64_t length = request.length;
  if (length > shm::cell_inline_bytes || !peer.sending || peer.failed || peer.queue_head != nullptr ||
      request.mode != SendMode::standard || request.view.layout != nullptr || length > settings_.eager_limit ||
      !fits_credit(peer, length + message_cost)) {
    return false;
  }
  shm::ShmCell* cell = peer.out.reserve(0);
  if (cell == nullptr) return false;
  const bool attentive = request.on_complete != nullptr;
  cell->kind = packet_eager;
  cell->flags = attentive ? packet_attentive : 0;
  cell->payload = static_cast<uint32_t>(length);
  cell->context = request.context;
  cell->source = request.source;
  cell->tag = request.tag;
  cell->length = length;
  copy_short(cell->bytes, static_cast<const std::byte*>(request.buffer), length);
  peer.out.publish(*cell);
  peer.eager_sent += length + message_cost;
  ++counters_.eager_sent;
  notify(request.process, !attentive);
  complete(request, Outcome::success);
  return true;
}

// Reserves the ring to a peer and tells it that there is one.
bool Core::connect(int process) noexcept {
  Channel& peer = channel(process);
  if (peer.sending) return true;
  if (!segment_.reserve_pair(process_, process)) {
    broken_ =
        "The shared memory for messages to another rank cannot be had: memory is exhausted. Run fewer ranks, or give "
        "the job more memory.";
    return false;
  }
  peer.out.open(segment_.pair(process_, process), shm::small_data_offset, shm::small_data_bytes);
  peer.sending = true;
  segment_.connected(process, process_ / 64).fetch_or(1ull << (process_ % 64), std::memory_order_release);
  segment_.record(process).connections.fetch_add(1, std::memory_order_release);
  return true;
}

// Hands the request to the link: wholly (true), or as far as there is room (false: keep it at the head of the queue).
bool Core::post(int process, Request& request) noexcept {
  if (!connect(process)) return false;
  if (request.transfer != 0) return post_offer(process, request);
  const bool eager =
      request.moved != 0 || (request.mode == SendMode::standard && request.length <= settings_.eager_limit &&
                             fits_credit(channel(process), request.length + message_cost));
  return eager ? post_eager(process, request) : post_offer(process, request);
}

// Eager messages that the peer has not consumed are bounded: beyond, a message waits at its sender.
bool Core::fits_credit(Channel& peer, uint64_t cost) noexcept {
  if (peer.eager_sent + cost - peer.eager_delivered <= settings_.unexpected_limit) return true;
  peer.eager_delivered = peer.out.delivered();
  return peer.eager_sent + cost - peer.eager_delivered <= settings_.unexpected_limit;
}

// A pair that sends long messages gets a larger data area, once: for the first that is really long, or after some.
void Core::enlarge_data(int process, Channel& peer, uint64_t length) noexcept {
  if (peer.large_data) return;
  if (length <= small_payload_limit * 4 && ++peer.long_messages < many_long_messages) return;
  if (!segment_.reserve_pair_data(process_, process)) return;
  peer.large_data = true;
  peer.out.use_data(shm::large_data_offset, shm::large_data_bytes, shm::large_data_again);
}

// Room in a ring. Where there is none the wish for it is announced, and looked after once more; so whoever rests after
// this has asked, and the consumer that made room since either finds the posture, or was seen by the look that follows
// the posture.
shm::ShmCell* Core::reserve(Channel& peer, uint32_t outside) noexcept {
  shm::ShmCell* cell = peer.out.reserve(outside);
  if (cell != nullptr) return cell;
  peer.out.want_room();
  return peer.out.reserve(outside);
}

bool Core::post_eager(int process, Request& request) noexcept {
  Channel& peer = channel(process);
  const bool first_part = request.moved == 0;
  if (request.length > small_payload_limit && first_part) enlarge_data(process, peer, request.length);
  const uint64_t piece = peer.large_data ? eager_piece : small_payload_limit;
  bool sent_any = false;
  for (;;) {
    const auto payload = static_cast<uint32_t>(std::min(request.length - request.moved, piece));
    const bool inside = payload <= shm::cell_inline_bytes;
    shm::ShmCell* cell = reserve(peer, inside ? 0 : payload);
    if (cell == nullptr) break;
    cell->kind = request.moved == 0 ? packet_eager : packet_more;
    cell->flags = request.on_complete != nullptr ? packet_attentive : 0;
    cell->payload = payload;
    cell->context = request.context;
    cell->source = request.source;
    cell->tag = request.tag;
    cell->length = request.length;
    std::byte* to = inside ? cell->bytes : segment_.pair_data(process_, process) + cell->data_offset;
    take_bytes(request, request.moved, to, payload);
    peer.out.publish(*cell);
    request.moved += payload;
    sent_any = true;
    if (request.moved == request.length) break;
  }
  if (first_part && sent_any) peer.eager_sent += request.length + message_cost;
  const bool finished = sent_any && request.moved == request.length;
  // A full ring needs its consumer, computing or not.
  if (sent_any) notify(process, finished && request.on_complete == nullptr);
  if (!finished) return false;
  ++counters_.eager_sent;
  complete(request, Outcome::success);
  return true;
}

bool Core::post_offer(int process, Request& request) noexcept {
  Channel& peer = channel(process);
  if (request.transfer == 0) {
    request.transfer = new_transfer();
    if (request.transfer == 0) return false;  // the next app context makes more
    transfer(request.transfer)
        .offer(reinterpret_cast<uint64_t>(request.buffer), request.length, request.on_complete != nullptr, ring_first_,
               request.view.layout == nullptr, place_of(request));
  }
  shm::ShmCell* cell = reserve(peer, 0);
  if (cell == nullptr) return false;
  transfer_users_[transfer(request.transfer).index] = &request;
  cell->kind = packet_offer;
  const bool bound = bind_to_announced(process, request);
  cell->flags = bound ? packet_attentive | packet_bound : packet_attentive;
  cell->payload = 0;
  cell->context = request.context;
  cell->source = request.source;
  cell->tag = request.tag;
  cell->length = request.length;
  cell->transfer = request.transfer;
  peer.out.publish(*cell);  // its match is noticed by this engine's owner only: later
  ++counters_.offers_sent;
  interest(+1);
  // A receive that was announced needs no interrupt to be matched, nor one to be copied into. Where nothing would be
  // copied before one of the two waits, an interrupt is for when this side does.
  const bool later =
      !bound && ring_first_ && owner_ == Owner::app && !asked_ && !multiple_ && request.on_complete == nullptr;
  request.rung = !later;
  if (later) unrung_ = true;
  (bound ? outgoing_ : offered_).push(request);
  notify(process, bound || later);
  return true;
}

// This side waits now: who has not matched its offers yet, computing, is interrupted for them; not at once, because two
// sides that compute alike end at about the same time.
void Core::ring_for_offers() noexcept {
  unrung_ = false;
  for (Request* at = offered_.front(); at != nullptr; at = at->queue_next) {
    if (at->rung) continue;
    at->rung = true;
    if (multiple_) {
      notify(at->process, false);
    } else {
      put_off(at->process);
    }
  }
}

void Core::enqueue(int process, Request& request) noexcept {
  Channel& peer = channel(process);
  request.queue_next = nullptr;
  if (peer.queue_head == nullptr) {
    peer.queue_head = &request;
    // The ring may be full of what a computing peer has no reason to look at.
    if (peer.sending) notify(process, false);
  } else {
    peer.queue_tail->queue_next = &request;
  }
  peer.queue_tail = &request;
  if (!peer.queued) {
    peer.queued = true;
    queued_list_[queued_count_++] = process;
  }
  interest(+1);
}

// Sends what waits for room, in order. The completion of a request may add to the queue.
void Core::flush(int process) noexcept {
  Channel& peer = channel(process);
  while (peer.queue_head != nullptr) {
    Request& request = *peer.queue_head;
    peer.queue_head = request.queue_next;
    interest(-1);
    if (request.cancel_wanted && request.moved == 0 && request.transfer == 0) {
      complete(request, Outcome::cancelled);
      continue;
    }
    const bool taken = process == process_ ? send_to_self(request)
                       : peer.far          ? link_->post(process, request)
                                           : post(process, request);
    if (taken) continue;
    if (peer.failed) {  // found out just now
      complete(request, Outcome::peer_dead);
      continue;
    }
    request.queue_next = peer.queue_head;
    if (peer.queue_head == nullptr) peer.queue_tail = &request;
    peer.queue_head = &request;
    interest(+1);
    return;
  }
}

// Takes a send that has not begun out of the queue of its peer. False: it is not there, or has begun.
bool Core::unqueue(Request& request) noexcept {
  Channel& peer = channel(request.process);
  if (request.moved != 0) return false;
  Request* before = nullptr;
  for (Request* at = peer.queue_head; at != nullptr; before = at, at = at->queue_next) {
    if (at != &request) continue;
    (before == nullptr ? peer.queue_head : before->queue_next) = request.queue_next;
    if (peer.queue_tail == &request) peer.queue_tail = before;
    interest(-1);
    return true;
  }
  return false;
}

void Core::flush_all() noexcept {
  for (int i = 0; i < queued_count_;) {
    const int process = queued_list_[i];
    if (process != process_ || owner_ != Owner::handler) flush(process);
    if (channel(process).queue_head == nullptr) {
      channel(process).queued = false;
      queued_list_[i] = queued_list_[--queued_count_];
    } else {
      ++i;
    }
  }
}

// Tells a peer that something was published for it. `only_sleepers`: a computing peer need not be interrupted for it.
void Core::notify(int process, bool only_sleepers) noexcept {
  shm::ProcessRecord& record = segment_.record(process);
  if (only_sleepers) {
    base::RealAtoms::fence();  // partners: the fences of rest() and of demand()
    const bool demanding = record.demanding.load(std::memory_order_relaxed) != 0;
    if (record.bell.peek() == bell::Posture::quiet && !demanding) return;
    answer(process, record.bell.ring_after_fence(!demanding));
    return;
  }
  const bool patient = !multiple_ && (owner_ == Owner::app || owner_ == Owner::waiting);
  if (patient && record.back_soon.load(std::memory_order_relaxed) != 0) {
    put_off(process);
  } else {
    answer(process, record.bell.ring(false));
  }
}

void Core::put_off(int process) noexcept {
  shm::ProcessRecord& record = segment_.record(process);
  base::RealAtoms::fence();
  if (bell::is_armed(record.bell.peek()) && debt_count_ < debts_.size()) {
    debts_[debt_count_++] = {process, base::now_ns() + patience_ns};
  } else {
    answer(process, record.bell.ring_after_fence(false));
  }
}

// Rings that were put off because the peer seemed to be on its way back into the library. One that is back has looked,
// or will look, at what was published. `all`: this process is about to turn to something else.
void Core::pay_debts(bool all) noexcept {
  const int64_t now = base::now_ns();
  size_t kept = 0;
  for (size_t i = 0; i < debt_count_; ++i) {
    const Debt debt = debts_[i];
    bell::PostureWord<>& bell = segment_.record(debt.process).bell;
    if (bell.peek() == bell::Posture::quiet) continue;
    if (!all && now < debt.due && bell::is_armed(bell.peek())) {
      debts_[kept++] = debt;
    } else {
      answer(debt.process, bell.ring(false));
    }
  }
  debt_count_ = kept;
}

void Core::answer(int process, bell::Call call) noexcept {
  switch (call) {
    case bell::Call::nothing:
      return;
    case bell::Call::wake:
      ++counters_.wakes;
      if (process == process_ && link_ != nullptr) link_->rouse();
      return;
    case bell::Call::helper:
      wake_helper(process);
      return;
    case bell::Call::interrupt:
    case bell::Call::user_interrupt:
      break;
  }
  if (process == process_) {
    bell::interrupt_self(signal_);
    return;
  }
  ++counters_.interrupts_raised;
  const bell::Ringer* ringer = ringer_of(process);
  if (ringer == nullptr) return;  // who opens it rings it, after this
  if (call == bell::Call::user_interrupt && ringer->ring_user()) {
    ++counters_.user_interrupts_raised;
    return;
  }
  // Where it cannot be interrupted now (no descriptors left, say): if it has a helper, that one comes.
  if (!ringer->is_open() || !ringer->ring()) wake_helper(process);
}

// The ringer of a peer, opened if that can be; nullptr while another context opens it. One at a time does: rings come
// from conditions of waits, too, which own nothing.
const bell::Ringer* Core::ringer_of(int process) noexcept {
  Channel& peer = channel(process);
  bell::Ringer& ringer = ringers_[static_cast<size_t>(process)];
  if (!peer.ringer_ready.load(std::memory_order_acquire)) {
    if (peer.ringer_opening.exchange(true, std::memory_order_acquire)) return nullptr;
    ringer.open(segment_.record(process).address);
    peer.ringer_ready.store(ringer.is_open(), std::memory_order_release);
    peer.ringer_opening.store(false, std::memory_order_release);
  }
  return &ringer;
}

void Core::wake_helper(int process) noexcept {
  auto& word = segment_.record(process).helper;
  word.fetch_add(1, std::memory_order_release);
  base::RealAtoms::wake(word, 1);
}

void Core::ring(int process) noexcept {
  if (process == process_) {
    base::RealAtoms::fence();
    if (me_->bell.peek() != bell::Posture::quiet) answer(process, me_->bell.ring_after_fence(false));
    return;
  }
  if (!channel(process).far) notify(process, false);
}

// A message to oneself is matched at once, or stays with its sender; a short standard one is copied aside so that a
// blocking send to oneself does not wait for the receive that follows it.
bool Core::send_to_self(Request& request) noexcept {
  if (Request* receiver = posted_.match(request.context, request.source, request.tag); receiver != nullptr) {
    interest(-1);
    begin_receive(*receiver, request.source, request.tag, request.length);
    move_bytes(request, *receiver, receiver->status.bytes);
    finish_eager(*receiver, request.length);
    complete(request, Outcome::success);
    return true;
  }
  const bool copied = request.mode == SendMode::standard && request.length <= settings_.eager_limit;
  Message* message = new_message(copied ? request.length : 0);
  if (message == nullptr) return false;  // no memory, or none in a handler: a later pass tries again
  message->describe(copied ? Message::Kind::buffered : Message::Kind::local, request, process_);
  ++counters_.unexpected;
  if (copied) {
    message->arrived = request.length;
    take_bytes(request, 0, message->data, request.length);
  } else {
    message->send = &request;
    interest(+1);
  }
  unexpected_.add(*message);
  ++completions_;  // another thread may be waiting in a probe for it
  if (copied) complete(request, Outcome::success);
  return true;
}

}  // namespace vif::net
