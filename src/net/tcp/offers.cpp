// Long messages taken by their receiver, and what happens when a peer is lost. Context: handler.
#include <sys/epoll.h>
#include <unistd.h>

#include "net/packet.hpp"
#include "net/tcp/tcp_link.hpp"

namespace vif::net::tcp {

void TcpLink::accept(int process, Request& request, uint64_t id, uint64_t offered) noexcept {
  Peer& one = peer(process);
  request.partner = process;
  request.is_send = false;
  port_.pending(+1);
  if (one.state != Peer::State::connected) {
    port_.pending(-1);
    return port_.complete(request, Outcome::peer_dead);
  }
  if (slots_.unused() == 0 && port_.may_allocate()) slots_.grow(64);
  if (slots_.unused() != 0) return begin_accept(one, request, id, offered);
  // No slot in a handler: the next look of another context goes on.
  request.moved = id;
  request.order = offered;
  request.queue_next = late_;
  late_ = &request;
  port_.come_again();
}

void TcpLink::begin_accept(Peer& one, Request& request, uint64_t id, uint64_t offered) noexcept {
  const uint32_t place = slots_.take(request, index(one), Slot::State::accepting);
  Slot& slot = slots_.at(place);
  slot.other = id;
  slot.offered = offered;
  slot.length = request.status.bytes;
  request.transfer = place + 1;
  slots_.push(one.accepts, place);
  mark(one);
  if (one.sink == Peer::Sink::none) pump(one);
}

void TcpLink::accept_late() noexcept {
  if (!port_.may_allocate()) return;
  Request* list = late_;
  late_ = nullptr;
  while (list != nullptr) {
    Request& request = *list;
    list = request.queue_next;
    port_.pending(-1);
    accept(request.partner, request, request.moved, request.order);
  }
}

void TcpLink::end_slot(uint32_t place, Outcome outcome) noexcept {
  Request& request = *slots_.at(place).request;
  slots_.give_back(place);
  port_.pending(-1);
  port_.complete(request, outcome);
}

// Everything that needs the peer fails. First the state, then the requests: their completion may call back.
void TcpLink::lose(Peer& one, const char* why, int error) noexcept {
  const int process = index(one);
  forget_connecting(one);
  if (one.state == Peer::State::connected) {
    watcher_.remove(one.socket);
    ::close(one.socket);
    connected_[static_cast<size_t>(one.place)] = connected_.back();
    peer(connected_.back()).place = one.place;
    connected_.pop_back();
  }
  one.state = Peer::State::lost;
  one.why = why;
  one.last_error = error;
  if (!one.left && !closing_ && setting_.speaks && lost_count_ < lost_.size()) lost_[lost_count_++] = process;
  one.accepts = one.sending = one.withdrawing = {};
  Request* sending = one.current_is_slot ? nullptr : one.current;
  Request* receiving = one.sink == Peer::Sink::receive ? one.sink_request : nullptr;
  Message* message = one.sink == Peer::Sink::message ? one.sink_message : nullptr;
  one.current = nullptr;
  one.sink = Peer::Sink::none;
  while (one.withdrawn != nullptr) {
    Message& gone = *one.withdrawn;
    one.withdrawn = gone.next;
    port_.free_message(gone);
  }
  port_.lose(process);
  if (message != nullptr) port_.lost(*message);
  for (Request* request : {sending, receiving}) {
    if (request == nullptr) continue;
    port_.pending(-1);
    port_.complete(*request, Outcome::peer_dead);
  }
  fail_slots(process);
}

void TcpLink::fail_slots(int process) noexcept {
  for (uint32_t place = 0; place < slots_.places(); ++place) {
    Slot& slot = slots_.at(place);
    if (slot.state != Slot::State::free && slot.process == process) end_slot(place, Outcome::peer_dead);
  }
}

}  // namespace vif::net::tcp
