// Receiving: packets from the rings, matching, unexpected messages. Context: handler (the owner's, in any context).
//
// What another process wrote is checked before it is used: a packet that makes no sense ends the job with a sentence.
#include <algorithm>

#include "net/core.hpp"
#include "net/packet.hpp"

namespace vif::net {

void move_bytes(const Request& send, const Request& receive, uint64_t bytes) noexcept {
  if (send.view.layout == nullptr) return put_bytes(receive, 0, send.buffer, bytes);
  if (receive.view.layout == nullptr) return take_bytes(send, 0, receive.buffer, bytes);
  std::byte piece[2048];
  for (uint64_t done = 0; done < bytes; done += sizeof piece) {
    const uint64_t now = std::min<uint64_t>(sizeof piece, bytes - done);
    take_bytes(send, done, piece, now);
    put_bytes(receive, done, piece, now);
  }
}

void Core::start_receive(Request& request) noexcept {
  note_site(request, 0);
  request.begin(false);
  while (Message* message = unexpected_.find(request.context, request.source, request.tag)) {
    unexpected_.remove(*message);
    if (message->kind == Message::Kind::offered &&
        transfer(message->transfer).load() == shm::Transfer<>::State::withdrawn) {
      drop_withdrawn(*message);
      continue;
    }
    if (give(request, message->process, *message)) return;
  }
  if (request.process >= 0 && channel(request.process).failed) {
    complete(request, Outcome::peer_dead);
    return;
  }
  interest(+1);
  posted_.add(request);
  consider_announcing(request);
}

void Core::begin_receive(Request& request, int32_t source, int32_t tag, uint64_t length) noexcept {
  request.status.source = source;
  request.status.tag = tag;
  request.status.bytes = std::min(length, request.length);
}

void Core::finish_eager(Request& request, uint64_t length) noexcept {
  complete(request, length > request.length ? Outcome::truncated : Outcome::success);
}

// A message out of the unexpected store for a receive. On return the message is freed, unless it is still arriving, and
// the request may be complete and gone. False: the message was withdrawn at this moment, and nothing else happened.
bool Core::give(Request& request, int process, Message& message) noexcept {
  begin_receive(request, message.source, message.tag, message.length);
  switch (message.kind) {
    case Message::Kind::buffered:
      if (message.arrived < message.length) {
        message.receiver = &request;  // accept_more() goes on
        interest(+1);
        return true;
      }
      put_bytes(request, 0, message.data, request.status.bytes);
      if (channel(process).far) {
        link_->delivered(process, message.length + message_cost);
      } else if (process != process_) {
        deliver_credit(process, message.length);
      }
      break;
    case Message::Kind::far: {
      const uint64_t id = message.remote;
      const uint64_t offered = message.length;
      free_message(message);
      link_->accept(process, request, id, offered);
      return true;
    }
    case Message::Kind::local: {
      Request& sender = *message.send;
      move_bytes(sender, request, request.status.bytes);
      interest(-1);
      complete(sender, Outcome::success);
      break;
    }
    case Message::Kind::offered: {
      const uint32_t id = message.transfer;
      free_message(message);
      if (!match_offer(request, process, id)) return false;
      begin_transfer(request, process, id);
      return true;
    }
  }
  const uint64_t length = message.length;
  free_message(message);
  finish_eager(request, length);
  return true;
}

void Core::drop_withdrawn(Message& message) noexcept {
  transfer(message.transfer).leave();
  free_message(message);
}

void Core::deliver_credit(int process, uint64_t length) noexcept {
  channel(process).in.delivered(length + message_cost);
}

void Core::notice_connections() noexcept {
  const uint32_t seen = me_->connections.load(std::memory_order_acquire);
  if (seen == connections_seen_) return;
  connections_seen_ = seen;
  for (int word = 0; word < segment_.connected_words(); ++word) {
    uint64_t bits = segment_.connected(process_, word).load(std::memory_order_acquire);
    for (; bits != 0; bits &= bits - 1) {
      const int process = word * 64 + __builtin_ctzll(bits);
      if (process >= processes_ || channel(process).receiving) continue;
      Channel& peer = channel(process);
      peer.in.open(segment_.pair(process, process_));
      peer.in.look_every(small_payload_limit);
      peer.receiving = true;
      incoming_list_[incoming_count_++] = process;
    }
  }
}

void Core::poll(int process) noexcept {
  Channel& peer = channel(process);
  for (int budget = 128; budget > 0; --budget) {
    const shm::ShmCell* cell = peer.in.peek();
    if (cell == nullptr) return;
    if (!accept(process, *cell)) return;
    if (peer.in.consume()) notify(process, false);
  }
  more_ = true;
}

// False: it cannot be taken now (no memory in a handler); it stays in the ring.
bool Core::accept(int process, const shm::ShmCell& cell) noexcept {
  switch (cell.kind) {
    case packet_eager:
      return accept_eager(process, cell);
    case packet_more:
      return accept_more(process, cell);
    case packet_offer:
      return accept_offer(process, cell);
    case packet_fragment:
      return accept_fragment(process, cell);
    default:
      protocol_error("of a kind that does not exist");
      return false;
  }
}

const std::byte* Core::payload_of(int process, const shm::ShmCell& cell) noexcept {
  if (cell.payload <= shm::cell_inline_bytes) return cell.bytes;
  if (cell.payload > large_payload_limit || cell.data_offset < shm::small_data_offset ||
      cell.data_offset > shm::pair_stride - cell.payload) {
    protocol_error("with a payload outside its ring");
    return nullptr;
  }
  return segment_.pair_data(process, process_) + cell.data_offset;
}

bool Core::accept_eager(int process, const shm::ShmCell& cell) noexcept {
  Channel& peer = channel(process);
  const std::byte* payload = payload_of(process, cell);
  if (payload == nullptr || cell.payload > cell.length || peer.receiver != nullptr || peer.message != nullptr) {
    protocol_error("with an impossible length");
    return false;
  }
  const bool whole = cell.payload == cell.length;
  if (Request* request = posted_.match(cell.context, cell.source, cell.tag); request != nullptr) {
    if (!take_back(*request)) {
      protocol_error("before one that was bound to its receive");
      return false;
    }
    begin_receive(*request, cell.source, cell.tag, cell.length);
    put_bytes(*request, 0, payload, std::min<uint64_t>(cell.payload, request->length));
    request->moved = cell.payload;
    if (!whole) {
      request->order = cell.length;  // the length of the whole, for accept_more()
      peer.receiver = request;
      return true;
    }
    interest(-1);
    deliver_credit(process, cell.length);
    finish_eager(*request, cell.length);
    return true;
  }
  Message* message = new_message(cell.length);
  if (message == nullptr) return false;
  message->describe(Message::Kind::buffered, cell, process);
  message->arrived = cell.payload;
  message->receiver = nullptr;
  copy_bytes(message->data, payload, cell.payload);
  if (!whole) peer.message = message;
  ++counters_.unexpected;
  unexpected_.add(*message);
  ++completions_;  // another thread may be waiting in a probe for it
  return true;
}

bool Core::accept_more(int process, const shm::ShmCell& cell) noexcept {
  Channel& peer = channel(process);
  const std::byte* payload = payload_of(process, cell);
  if (payload == nullptr) return false;
  if (Request* request = peer.receiver; request != nullptr) {
    const uint64_t length = request->order;
    if (cell.payload > length - request->moved) {
      protocol_error("longer than its message");
      return false;
    }
    if (request->moved < request->length) {
      put_bytes(*request, request->moved, payload, std::min<uint64_t>(cell.payload, request->length - request->moved));
    }
    request->moved += cell.payload;
    if (request->moved < length) return true;
    peer.receiver = nullptr;
    interest(-1);
    deliver_credit(process, length);
    finish_eager(*request, length);
    return true;
  }
  Message* message = peer.message;
  if (message == nullptr || cell.payload > message->length - message->arrived) {
    protocol_error("that continues no message");
    return false;
  }
  copy_bytes(message->data + message->arrived, payload, cell.payload);
  message->arrived += cell.payload;
  if (message->arrived < message->length) return true;
  peer.message = nullptr;
  if (Request* request = message->receiver; request != nullptr) {
    interest(-1);
    give(*request, process, *message);
  }
  return true;
}

bool Core::accept_offer(int process, const shm::ShmCell& cell) noexcept {
  if (!segment_.inside(static_cast<uint64_t>(cell.transfer) * 64, sizeof(shm::Transfer<>))) {
    protocol_error("with a transfer outside the shared memory");
    return false;
  }
  if (transfer(cell.transfer).load() == shm::Transfer<>::State::withdrawn) {
    transfer(cell.transfer).leave();
    return true;
  }
  if ((cell.flags & packet_bound) != 0) return accept_bound(process, cell);
  if (Request* request = posted_.find(cell.context, cell.source, cell.tag); request != nullptr) {
    if (!take_back(*request)) {
      protocol_error("before one that was bound to its receive");
      return false;
    }
    // Matched before it leaves its place: had the offer been withdrawn at this very moment, the receive keeps its turn.
    if (!match_offer(*request, process, cell.transfer)) return true;
    posted_.remove(*request);
    interest(-1);
    begin_receive(*request, cell.source, cell.tag, cell.length);
    begin_transfer(*request, process, cell.transfer);
    return true;
  }
  Message* message = new_message(0);
  if (message == nullptr) return false;
  message->describe(Message::Kind::offered, cell, process);
  message->transfer = cell.transfer;
  ++counters_.unexpected;
  unexpected_.add(*message);
  ++completions_;  // another thread may be waiting in a probe for it
  return true;
}

void Core::protocol_error(const char* what) noexcept { nonsense_ = what; }

}  // namespace vif::net
