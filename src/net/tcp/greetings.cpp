// The greetings (net/tcp/wire.hpp), and which of two crossing connections stays. Context: handler.
//
// Two processes may connect to each other at the same time. One whose own attempt has come as far as greeting refuses
// the other's, if its index is the lower; the other then waits. In all other cases it drops its own attempt. So at
// least one of the two stays: the higher one never refuses. And at most one: the lower, having let the other in, has
// dropped its own, and never sends the proof that would let it in there.
#include <cerrno>

#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/tcp/tcp_link.hpp"

namespace vif::net::tcp {

void TcpLink::visit(Visitor& visitor) noexcept {
  if (visitor.state == Visitor::State::connecting) {
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(visitor.socket, SOL_SOCKET, SO_ERROR, &error, &length);
    if (error != 0) return dismiss_failed(visitor, "it cannot be reached", error, error == ECONNREFUSED);
    if (!say(visitor, Step::hello, Refusal::none)) return;
    visitor.state = Visitor::State::greeted;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = static_cast<uint64_t>(&visitor - visitors_->data());
    epoll_ctl(doors_, EPOLL_CTL_MOD, visitor.socket, &event);
  }
  while (visitor.state != Visitor::State::free) {
    const ssize_t got = recv(visitor.socket, visitor.in + visitor.have, greeting_bytes - visitor.have, 0);
    if (got > 0) {
      visitor.have += static_cast<uint32_t>(got);
      if (visitor.have == greeting_bytes) read_greeting(visitor);
    } else if (got == 0) {
      dismiss_failed(visitor, "it closed the connection", 0, false);
    } else if (errno != EINTR) {
      if (errno != EAGAIN) dismiss_failed(visitor, "it broke the connection", errno, false);
      return;
    }
  }
}

void TcpLink::read_greeting(Visitor& visitor) noexcept {
  visitor.have = 0;
  switch (visitor.state) {
    case Visitor::State::guest:
      return hear_hello(visitor);
    case Visitor::State::greeted:
      return hear_challenge(visitor);
    case Visitor::State::challenged:
      return hear_proof(visitor);
    case Visitor::State::proved:
      return hear_ready(visitor);
    default:
      return dismiss(visitor);
  }
}

// Null, or what is wrong: after the first greeting both sides must stay who they said they were.
const char* TcpLink::hear(Visitor& visitor, Greeting& greeting) noexcept {
  if (const char* why = visitor.transcript.read(visitor.in, setting_.secret, greeting)) return why;
  if (greeting.to != static_cast<uint32_t>(setting_.process)) return "it takes this process for another";
  if (visitor.process >= 0 && greeting.from != static_cast<uint32_t>(visitor.process)) {
    return "another process answers at its address";
  }
  visitor.eager_limit = greeting.eager_limit;
  visitor.unexpected_limit = greeting.unexpected_limit;
  return nullptr;
}

// False: the connection is gone.
bool TcpLink::say(Visitor& visitor, Step step, Refusal refusal) noexcept {
  Greeting greeting;
  greeting.step = step;
  greeting.from = static_cast<uint32_t>(setting_.process);
  greeting.to = static_cast<uint32_t>(visitor.process);
  greeting.refusal = refusal;
  greeting.eager_limit = setting_.eager_limit;
  greeting.unexpected_limit = setting_.unexpected_limit;
  if (getrandom(greeting.nonce.data(), greeting.nonce.size(), GRND_NONBLOCK) !=
      static_cast<ssize_t>(greeting.nonce.size())) {
    dismiss_failed(visitor, "there are no random numbers for a greeting", errno, false);
    return false;
  }
  std::byte bytes[greeting_bytes];
  visitor.transcript.write(greeting, setting_.secret, bytes);
  // A new connection has room for so little.
  const ssize_t sent = send(visitor.socket, bytes, sizeof bytes, MSG_NOSIGNAL);
  if (sent == static_cast<ssize_t>(sizeof bytes)) return true;
  dismiss_failed(visitor, "it broke the connection", sent < 0 ? errno : 0, false);
  return false;
}

void TcpLink::hear_hello(Visitor& visitor) noexcept {
  Greeting greeting;
  const char* why = hear(visitor, greeting);
  const bool known = why == nullptr && greeting.from < static_cast<uint32_t>(setting_.processes) &&
                     greeting.from != greeting.to && greeting.from < setting_.addresses.size() &&
                     !setting_.addresses[greeting.from].empty();
  if (!known) {  // there is nothing to tell it
    ++counters_.strangers;
    return dismiss(visitor);
  }
  visitor.process = static_cast<int>(greeting.from);
  if (say(visitor, Step::challenge, Refusal::none)) visitor.state = Visitor::State::challenged;
}

void TcpLink::hear_challenge(Visitor& visitor) noexcept {
  Greeting greeting;
  if (const char* why = hear(visitor, greeting)) return dismiss_failed(visitor, why, 0, true);
  if (say(visitor, Step::proof, Refusal::none)) visitor.state = Visitor::State::proved;
}

Refusal TcpLink::refusal_for(Peer& one) noexcept {
  switch (one.state) {
    case Peer::State::none:
    case Peer::State::awaiting:
      return closing_ ? Refusal::failed : Refusal::none;
    case Peer::State::connecting:
      for (Visitor& own : *visitors_) {
        if (!own.mine() || own.process != index(one)) continue;
        if (own.state != Visitor::State::connecting && setting_.process < index(one)) return Refusal::crossed;
        dismiss(own);
      }
      return Refusal::none;
    case Peer::State::connected:
      return Refusal::known;
    case Peer::State::lost:
      return Refusal::failed;
  }
  return Refusal::failed;
}

void TcpLink::hear_proof(Visitor& visitor) noexcept {
  Greeting greeting;
  if (hear(visitor, greeting) != nullptr) {
    ++counters_.strangers;
    return dismiss(visitor);
  }
  Peer& one = peer(visitor.process);
  const Refusal refusal = refusal_for(one);
  if (!say(visitor, Step::ready, refusal)) {
    // The attempt of this side that made place for it may be gone: try again.
    if (one.state == Peer::State::connecting && one.again_at == 0 && refusal == Refusal::none) one.again_at = 1;
    return;
  }
  if (refusal == Refusal::none) return connected(one, visitor);
  dismiss(visitor);
}

void TcpLink::hear_ready(Visitor& visitor) noexcept {
  Greeting greeting;
  if (const char* why = hear(visitor, greeting)) return dismiss_failed(visitor, why, 0, true);
  Peer& one = peer(visitor.process);
  if (one.state != Peer::State::connecting) return dismiss(visitor);
  switch (greeting.refusal) {
    case Refusal::none:
      return connected(one, visitor);
    case Refusal::crossed:
      dismiss(visitor);
      one.state = Peer::State::awaiting;
      return;
    default:
      dismiss(visitor);
      lose(one, "it has given this process up, or has ended", 0);
  }
}

}  // namespace vif::net::tcp
