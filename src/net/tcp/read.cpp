// Receiving. Context: handler.
//
// The bytes behind a frame go to its sink: as soon as the frame has been read, the kernel copies them straight into the
// receiver's buffer, and what follows them into the peer's own.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/socket.h>
#include <sys/uio.h>

#include "net/packet.hpp"
#include "net/tcp/tcp_link.hpp"

namespace vif::net::tcp {
namespace {

constexpr uint64_t handler_budget = 1024 * 1024;  // of one look; an interrupted program waits that long
constexpr uint64_t budget = 16 * 1024 * 1024;
constexpr uint64_t worth_waiting = 16 * 1024;  // bytes of a payload for which the kernel is asked to wait
constexpr int part_of_buffer = 4;              // what the kernel counts against its buffer is more than the bytes
constexpr uint64_t most_expected = 256 * 1024;
constexpr uint64_t worth_two_pieces = 2048;  // below, one copy costs less than a second piece in the call

}  // namespace

// Of a long payload nobody is told until its end is there, or a piece of it that is worth being told: else whoever is
// blocked for it is woken for every packet. The end itself wakes at once, for no more than what is missing is asked.
// Whoever looks again at once asks for nothing, and only takes back what would be too much now. More than fits into the
// kernel's buffer would never come (seen: Linux 6.18 does not enlarge it for this, and tells nobody that it is full).
void TcpLink::expect(Peer& one) noexcept {
  const uint64_t missing = one.sink == Peer::Sink::none ? 0 : one.in_use();
  uint32_t wanted = missing < worth_waiting ? 0 : static_cast<uint32_t>(std::min(missing, most_expected));
  if (port_.looks()) wanted = std::min(wanted, one.expected);
  if (wanted > one.expected) {
    int room = 0;
    socklen_t length = sizeof room;
    if (getsockopt(one.socket, SOL_SOCKET, SO_RCVBUF, &room, &length) != 0) return;
    wanted = std::min(wanted, static_cast<uint32_t>(room / part_of_buffer));
  }
  if (wanted == one.expected || one.state != Peer::State::connected) return;
  const int bytes = std::max(static_cast<int>(wanted), 1);
  if (setsockopt(one.socket, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes) == 0) one.expected = wanted;
}

void TcpLink::read(Peer& one) noexcept {
  uint64_t left = port_.in_handler() ? handler_budget : budget;
  while (one.state == Peer::State::connected) {
    if (!parse(one)) return;
    if (one.in_begin == one.in_end) {
      one.in_begin = one.in_end = 0;
    } else {  // part of a frame
      std::memmove(one.in, one.in + one.in_begin, one.in_end - one.in_begin);
      one.in_end -= one.in_begin;
      one.in_begin = 0;
    }
    uint64_t direct = 0;
    std::byte* sink = one.sink == Peer::Sink::none ? nullptr : sink_address(one, direct);
    if (sink == nullptr || direct < worth_two_pieces) direct = 0;
    iovec pieces[2] = {{sink, direct}, {one.in + one.in_end, in_room - one.in_end}};
    const ssize_t got = direct != 0 ? readv(one.socket, pieces, 2)
                                    : recv(one.socket, pieces[1].iov_base, pieces[1].iov_len, MSG_DONTWAIT);
    if (got <= 0) {
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return expect(one);
      return lose(one, got == 0 ? "it closed the connection" : "the connection broke", got < 0 ? errno : one.broken);
    }
    const auto bytes = static_cast<uint64_t>(got);
    const uint64_t poured = std::min(bytes, direct);
    one.in_end += static_cast<uint32_t>(bytes - poured);
    if (poured != 0) moved(one, poured);
    if (bytes < direct + pieces[1].iov_len) {  // there was no more
      if (parse(one)) expect(one);
      return;
    }
    if (bytes >= left) return port_.come_again();
    left -= bytes;
  }
}

// Everything that has been read. False: the peer is lost, or a frame cannot be taken now.
bool TcpLink::parse(Peer& one) noexcept {
  for (;;) {
    const uint32_t there = one.in_end - one.in_begin;
    if (one.sink != Peer::Sink::none) {
      if (there == 0) return true;
      const auto bytes = static_cast<uint32_t>(std::min<uint64_t>(there, one.in_use()));
      const std::byte* from = one.in + one.in_begin;
      one.in_begin += bytes;
      pour(one, from, bytes);
      continue;
    }
    if (there < frame_bytes) return true;
    Frame frame;
    if (const char* why = read_frame(one.in + one.in_begin, one.eager_limit, frame)) {
      lose(one, why, 0);
      return false;
    }
    if (!take(one, frame)) {
      if (one.state == Peer::State::connected) port_.come_again();
      return false;
    }
    if (one.state != Peer::State::connected) return false;
    one.in_begin += frame_bytes;
    if (one.sink != Peer::Sink::none && one.in_use() == 0) finish_sink(one);
  }
}

// False: not now, and nothing has happened.
bool TcpLink::take(Peer& one, const Frame& frame) noexcept {
  if (frame.credit < one.credited || frame.credit > one.sent) {
    lose(one, "a frame with an impossible credit", 0);
    return true;
  }
  one.credited = frame.credit;
  if (one.left) {
    lose(one, "a frame after the last one", 0);
    return true;
  }
  switch (frame.kind) {
    case FrameKind::eager:
      return take_eager(one, frame);
    case FrameKind::offer:
      return take_offer(one, frame);
    case FrameKind::accept:
      take_accept(one, frame);
      break;
    case FrameKind::data:
      take_data(one, frame);
      break;
    case FrameKind::withdraw:
      take_withdraw(one, frame);
      break;
    case FrameKind::withdrawn:
      take_withdrawn(one, frame);
      break;
    case FrameKind::credit:
      break;
    case FrameKind::bye:
      one.left = true;
  }
  return true;
}

bool TcpLink::take_eager(Peer& one, const Frame& frame) noexcept {
  const uint64_t cost = frame.length + message_cost;
  if (one.came - one.delivered + cost > one.unexpected_limit) {
    lose(one, "it sent more than it may before it is received", 0);
    return true;
  }
  const int process = index(one);
  if (Request* request = port_.take_posted(frame.context, frame.source, frame.tag, process)) {
    port_.begin_receive(*request, frame.source, frame.tag, frame.length);
    port_.pending(+1);
    request->partner = process;
    one.sink = Peer::Sink::receive;
    one.sink_request = request;
  } else {
    Message* message = port_.new_message(frame.length);
    if (message == nullptr) return false;
    message->describe(Message::Kind::buffered, frame, process);
    message->arrived = 0;
    one.sink = Peer::Sink::message;
    one.sink_message = message;
    if (frame.length != 0) port_.keep(*message);  // an empty one is kept when it is finished, at once
  }
  one.came += cost;
  one.sink_at = 0;
  one.sink_end = frame.length;
  return true;
}

bool TcpLink::take_offer(Peer& one, const Frame& frame) noexcept {
  const int process = index(one);
  if (Request* request = port_.take_posted(frame.context, frame.source, frame.tag, process)) {
    port_.begin_receive(*request, frame.source, frame.tag, frame.length);
    accept(process, *request, frame.id, frame.length);
    return true;
  }
  Message* message = port_.new_message(0);
  if (message == nullptr) return false;
  message->describe(Message::Kind::far, frame, process);
  message->remote = frame.id;
  port_.keep(*message);
  return true;
}

// The receiver takes an offer of this side.
void TcpLink::take_accept(Peer& one, const Frame& frame) noexcept {
  uint32_t place = 0;
  const bool known = slots_.find(frame.id, index(one), place);
  Slot* slot = known ? &slots_.at(place) : nullptr;
  if (!known || (slot->state != Slot::State::offered && slot->state != Slot::State::withdrawing) || slot->accepted ||
      frame.length > slot->length) {
    return lose(one, "it took a message that was not offered", 0);
  }
  slot->length = frame.length;
  slot->other = frame.other;
  if (slot->listed) {  // it was about to be withdrawn: too late
    slot->accepted = true;
    return;
  }
  if (slot->length == 0) return end_slot(place, Outcome::success);
  slot->state = Slot::State::sending;
  slots_.push(one.sending, place);
  mark(one);
}

void TcpLink::take_data(Peer& one, const Frame& frame) noexcept {
  uint32_t place = 0;
  if (!slots_.find(frame.id, index(one), place) || slots_.at(place).state != Slot::State::receiving ||
      frame.other != slots_.at(place).at || frame.length == 0 ||
      frame.length > slots_.at(place).length - slots_.at(place).at) {
    return lose(one, "it sent bytes that nobody asked for", 0);
  }
  one.sink = Peer::Sink::transfer;
  one.sink_slot = place;
  one.sink_request = slots_.at(place).request;
  one.sink_at = frame.other;
  one.sink_end = frame.other + frame.length;
}

// What was matched meanwhile is not found: its acceptance is on its way.
void TcpLink::take_withdraw(Peer& one, const Frame& frame) noexcept {
  Message* message = port_.take_offer(frame.context, frame.source, frame.tag, index(one), frame.id);
  if (message == nullptr) return;
  message->next = one.withdrawn;
  one.withdrawn = message;
  mark(one);
}

void TcpLink::take_withdrawn(Peer& one, const Frame& frame) noexcept {
  uint32_t place = 0;
  if (!slots_.find(frame.id, index(one), place) || slots_.at(place).state != Slot::State::withdrawing ||
      slots_.at(place).listed) {
    return lose(one, "it gave back a message that was not asked for", 0);
  }
  end_slot(place, Outcome::cancelled);
}

// Where the next bytes of the sink lie in memory, if they lie side by side; `room`: how many.
std::byte* TcpLink::sink_address(Peer& one, uint64_t& room) noexcept {
  if (one.sink == Peer::Sink::message) {
    room = one.in_use();
    return one.sink_message->data + one.sink_at;
  }
  const Request& request = *one.sink_request;
  const uint64_t end = std::min(one.sink_end, request.length);  // a longer message is cut
  if (request.view.layout != nullptr || one.sink_at >= end) return nullptr;
  room = end - one.sink_at;
  return static_cast<std::byte*>(request.buffer) + one.sink_at;
}

void TcpLink::pour(Peer& one, const std::byte* from, uint64_t bytes) noexcept {
  if (one.sink == Peer::Sink::message) {
    copy_bytes(one.sink_message->data + one.sink_at, from, bytes);
  } else if (one.sink_at < one.sink_request->length) {
    put_bytes(*one.sink_request, one.sink_at, from, std::min(bytes, one.sink_request->length - one.sink_at));
  }
  moved(one, bytes);
}

void TcpLink::moved(Peer& one, uint64_t bytes) noexcept {
  one.sink_at += bytes;
  moved_ += bytes;
  if (one.sink == Peer::Sink::message) one.sink_message->arrived = one.sink_at;
  if (one.sink_at == one.sink_end) finish_sink(one);
}

// The last thing done with the sink: what completes may call back.
void TcpLink::finish_sink(Peer& one) noexcept {
  const Peer::Sink sink = one.sink;
  Request* request = one.sink_request;
  one.sink = Peer::Sink::none;
  one.sink_request = nullptr;
  switch (sink) {
    case Peer::Sink::none:
      return;
    case Peer::Sink::receive:
      port_.pending(-1);
      delivered(index(one), one.sink_end + message_cost);
      return port_.complete(*request, one.sink_end > request->length ? Outcome::truncated : Outcome::success);
    case Peer::Sink::message: {
      Message& message = *one.sink_message;
      one.sink_message = nullptr;
      if (message.length == 0) return port_.keep(message);
      return port_.arrived(message);
    }
    case Peer::Sink::transfer: {
      Slot& slot = slots_.at(one.sink_slot);
      slot.at = one.sink_end;
      if (slot.at == slot.length) {
        end_slot(one.sink_slot, slot.offered > request->length ? Outcome::truncated : Outcome::success);
      }
    }
  }
}

}  // namespace vif::net::tcp
