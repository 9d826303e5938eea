// Sending. Context: handler.
//
// Frames, and the bytes of short messages, are gathered in the peer's `out`; a long payload follows them straight from
// the user's memory (`current`). While the kernel takes nothing, short messages gather: they go together when it does.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/socket.h>
#include <sys/uio.h>

#include "net/packet.hpp"
#include "net/tcp/tcp_link.hpp"

namespace vif::net::tcp {
namespace {

constexpr uint64_t worth_a_copy = 2048;  // bytes of a message that are gathered with their frame
constexpr uint64_t piece = 256 * 1024;   // of a long message, between which other frames go
constexpr uint64_t handler_budget = 1024 * 1024;
constexpr uint32_t control_room = 2 * frame_bytes;

}  // namespace

bool TcpLink::post(int process, Request& request) noexcept {
  Peer& one = peer(process);
  if (one.state != Peer::State::connected) {
    if (one.state == Peer::State::none) begin(one);
    return false;
  }
  if (one.current != nullptr || one.broken != 0 || !has_room(one, frame_bytes + worth_a_copy)) return false;
  const uint64_t cost = request.length + message_cost;
  const bool eager = request.mode == SendMode::standard && request.length <= one.eager_limit &&
                     one.sent + cost - one.credited <= one.unexpected_limit;
  return eager ? post_eager(one, request) : post_offer(one, request);
}

bool TcpLink::post_eager(Peer& one, Request& request) noexcept {
  Frame frame;
  frame.kind = FrameKind::eager;
  frame.context = request.context;
  frame.source = request.source;
  frame.tag = request.tag;
  frame.length = request.length;
  stage(one, frame);
  port_.count_send(false);
  one.sent += request.length + message_cost;
  const bool copied = request.length <= worth_a_copy;
  if (copied) {
    take_bytes(request, 0, one.out + one.out_end, request.length);
    one.out_end += static_cast<uint32_t>(request.length);
  } else {
    one.current = &request;
    one.current_is_slot = false;
    one.current_at = 0;
    one.current_end = request.length;
    port_.pending(+1);
  }
  if (!one.pumping) {
    if (!one.blocked) write(one);
    watch(one);
  }
  if (copied) port_.complete(request, Outcome::success);
  return true;
}

bool TcpLink::post_offer(Peer& one, Request& request) noexcept {
  if (slots_.unused() < (port_.may_allocate() ? 1u : 16u)) {
    if (!port_.may_allocate()) return false;
    slots_.grow(64);
  }
  const uint32_t place = slots_.take(request, index(one), Slot::State::offered);
  slots_.at(place).length = request.length;
  request.transfer = place + 1;
  port_.pending(+1);
  Frame frame;
  frame.kind = FrameKind::offer;
  frame.context = request.context;
  frame.source = request.source;
  frame.tag = request.tag;
  frame.length = request.length;
  frame.id = slots_.id(place);
  stage(one, frame);
  port_.count_send(true);
  if (!one.pumping) {
    if (!one.blocked) write(one);
    watch(one);
  }
  return true;
}

void TcpLink::withdraw(Request& request) noexcept {
  if (request.transfer == 0) return;
  const uint32_t place = request.transfer - 1;
  Slot& slot = slots_.at(place);
  if (slot.request != &request || slot.state != Slot::State::offered) return;
  Peer& one = peer(slot.process);
  slot.state = Slot::State::withdrawing;
  slots_.push(one.withdrawing, place);
  pump(one);
}

void TcpLink::delivered(int process, uint64_t cost) noexcept {
  Peer& one = peer(process);
  one.delivered += cost;
  if (one.state == Peer::State::connected && one.delivered - one.told >= one.unexpected_limit / 4) mark(one);
}

bool TcpLink::has_room(Peer& one, uint32_t bytes) noexcept {
  if (one.out_begin == one.out_end) one.out_begin = one.out_end = 0;
  if (out_room - one.out_end >= bytes) return true;
  if (out_room - (one.out_end - one.out_begin) < bytes) return false;
  std::memmove(one.out, one.out + one.out_begin, one.out_end - one.out_begin);
  one.out_end -= one.out_begin;
  one.out_begin = 0;
  return true;
}

// There is room. Every frame carries what has left the store of unexpected messages so far.
bool TcpLink::stage(Peer& one, Frame frame) noexcept {
  frame.credit = one.told = one.delivered;
  write_frame(frame, one.out + one.out_end);
  one.out_end += frame_bytes;
  return true;
}

// What was decided about long messages, before anything else: it is short, and others wait for it.
bool TcpLink::stage_controls(Peer& one) noexcept {
  bool any = false;
  while (!one.accepts.empty() && has_room(one, control_room)) {
    const uint32_t place = slots_.pop(one.accepts);
    Slot& slot = slots_.at(place);
    Frame frame;
    frame.kind = FrameKind::accept;
    frame.length = slot.length;
    frame.id = slot.other;
    frame.other = slots_.id(place);
    any = stage(one, frame);
    slot.state = Slot::State::receiving;
    if (slot.length == 0) end_slot(place, slot.offered > 0 ? Outcome::truncated : Outcome::success);
  }
  while (!one.withdrawing.empty() && has_room(one, control_room)) {
    const uint32_t place = slots_.pop(one.withdrawing);
    Slot& slot = slots_.at(place);
    if (slot.accepted) {
      if (slot.length == 0) {
        end_slot(place, Outcome::success);
        continue;
      }
      slot.state = Slot::State::sending;
      slots_.push(one.sending, place);
      continue;
    }
    Frame frame;
    frame.kind = FrameKind::withdraw;
    frame.context = slot.request->context;
    frame.source = slot.request->source;
    frame.tag = slot.request->tag;
    frame.id = slots_.id(place);
    any = stage(one, frame);
  }
  while (one.withdrawn != nullptr && has_room(one, control_room)) {
    Message& message = *one.withdrawn;
    one.withdrawn = message.next;
    Frame frame;
    frame.kind = FrameKind::withdrawn;
    frame.id = message.remote;
    any = stage(one, frame);
    port_.free_message(message);
  }
  if (one.delivered - one.told >= one.unexpected_limit / 4 && has_room(one, control_room)) any = stage(one, Frame{});
  return any;
}

bool TcpLink::stage_data(Peer& one) noexcept {
  if (one.sending.empty() || !has_room(one, control_room)) return false;
  const uint32_t place = slots_.pop(one.sending);
  Slot& slot = slots_.at(place);
  Frame frame;
  frame.kind = FrameKind::data;
  frame.length = std::min(piece, slot.length - slot.at);
  frame.id = slot.other;
  frame.other = slot.at;
  stage(one, frame);
  one.current = slot.request;
  one.current_is_slot = true;
  one.current_slot = place;
  one.current_at = slot.at;
  one.current_end = slot.at + frame.length;
  return true;
}

// Writes whatever there is, as long as the kernel takes it.
void TcpLink::pump(Peer& one) noexcept {
  if (one.pumping || one.state != Peer::State::connected || one.broken != 0) return;
  one.pumping = true;
  uint64_t left = port_.in_handler() ? handler_budget : UINT64_MAX;
  for (;;) {
    bool any = false;
    if (one.current == nullptr) {
      any = stage_controls(one);
      port_.flush(index(one));  // sends that wait
      if (one.current == nullptr) any = stage_data(one) || any;
      if (one.say_bye && one.current == nullptr && one.sending.empty() && has_room(one, control_room)) {
        Frame frame;
        frame.kind = FrameKind::bye;
        any = stage(one, frame);
        one.say_bye = false;
      }
    }
    any = any || one.current != nullptr || one.out_begin != one.out_end;
    if (!any || one.blocked || !write(one)) break;
    if (left <= piece) {
      mark(one);
      port_.come_again();
      break;
    }
    left -= piece;
  }
  one.pumping = false;
  watch(one);
}

// True: all is written.
bool TcpLink::write(Peer& one) noexcept {
  for (;;) {
    iovec pieces[2];
    size_t count = 0;
    if (one.current != nullptr && one.current->view.layout != nullptr && one.out_begin == one.out_end) {
      one.out_begin = 0;
      one.out_end = static_cast<uint32_t>(std::min<uint64_t>(out_room, one.current_end - one.current_at));
      take_bytes(*one.current, one.current_at, one.out, one.out_end);
      one.current_at += one.out_end;
      if (one.current_at == one.current_end) finish_current(one);
    }
    if (one.out_begin != one.out_end) pieces[count++] = {one.out + one.out_begin, one.out_end - one.out_begin};
    if (one.current != nullptr && one.current->view.layout == nullptr) {
      pieces[count++] = {static_cast<std::byte*>(one.current->buffer) + one.current_at,
                         one.current_end - one.current_at};
    }
    if (count == 0) return true;
    msghdr header{};
    header.msg_iov = pieces;
    header.msg_iovlen = count;
    const ssize_t sent = count == 1
                             ? send(one.socket, pieces[0].iov_base, pieces[0].iov_len, MSG_NOSIGNAL | MSG_DONTWAIT)
                             : sendmsg(one.socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      wrote(one, static_cast<uint64_t>(sent));
    } else if (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM) {
      one.blocked = true;
      return false;
    } else if (errno != EINTR) {
      one.broken = errno;  // what it sent before is still to be read: that finds the end, too
      return false;
    }
  }
}

void TcpLink::wrote(Peer& one, uint64_t bytes) noexcept {
  counters_.written += bytes;
  moved_ += bytes;
  const uint64_t gathered = std::min<uint64_t>(bytes, one.out_end - one.out_begin);
  one.out_begin += static_cast<uint32_t>(gathered);
  if (bytes == gathered) return;
  one.current_at += bytes - gathered;
  if (one.current_at == one.current_end) finish_current(one);
}

// The last thing done with it: what completes may call back.
void TcpLink::finish_current(Peer& one) noexcept {
  Request& request = *one.current;
  one.current = nullptr;
  if (!one.current_is_slot) {
    port_.pending(-1);
    return port_.complete(request, Outcome::success);
  }
  Slot& slot = slots_.at(one.current_slot);
  slot.at = one.current_end;
  if (slot.at == slot.length) return end_slot(one.current_slot, Outcome::success);
  slots_.push(one.sending, one.current_slot);
}

}  // namespace vif::net::tcp
