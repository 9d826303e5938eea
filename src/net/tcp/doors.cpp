// Making connections, and taking those of others. Context: handler.
#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "net/tcp/calls.hpp"
#include "net/tcp/tcp_link.hpp"

namespace vif::net::tcp {
namespace {

constexpr int64_t retry_ns = 100'000'000;
constexpr int64_t look_every_ns = 20'000'000;
constexpr int64_t one_address_ns = 5'000'000'000;  // before the next address is tried
constexpr int64_t guest_ns = 10'000'000'000;
constexpr uint32_t hopeless_rounds = 3;
constexpr int most_guests = 48;

void set(int socket, int level, int option, int value) noexcept {
  setsockopt(socket, level, option, &value, sizeof value);
}

}  // namespace

void TcpLink::begin(Peer& one) noexcept {
  if (one.state != Peer::State::none || closing_) return;
  const int64_t now = base::now_ns();
  one.state = Peer::State::connecting;
  one.deadline = now + setting_.timeout_ns;
  connecting_.push_back(index(one));
  tick(true);
  if (setting_.addresses[static_cast<size_t>(index(one))].empty()) {
    lose(one, "it has no address", 0);
    return;
  }
  attempt(one, now);
}

void TcpLink::attempt(Peer& one, int64_t now) noexcept {
  const Address& address = setting_.addresses[static_cast<size_t>(index(one))][one.next_address];
  one.again_at = 0;
  Visitor* visitor = new_visitor(true);
  const int socket =
      visitor == nullptr ? -1 : ::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket < 0) {
    one.last_error = visitor == nullptr ? 0 : errno;
    one.last_why = visitor == nullptr ? "too many connections are being made" : "no socket can be had";
    one.again_at = now + retry_ns;
    return;
  }
  visitor->state = Visitor::State::connecting;
  visitor->socket = socket;
  visitor->process = index(one);
  visitor->deadline = std::min(one.deadline, now + one_address_ns);
  ++visitor_count_;
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  if (::connect(socket, &address.value.any, address.length()) != 0 && errno != EINPROGRESS) {
    dismiss_failed(*visitor, "it cannot be reached", errno, errno == ECONNREFUSED);
    return;
  }
  watch_door(socket, EPOLLIN | EPOLLOUT, static_cast<uint64_t>(visitor - visitors_->data()));
}

// The thread is told of the doors at all times. Without it signals tell what they can.
void TcpLink::watch_door(int socket, uint32_t events, uint64_t tag) noexcept {
  epoll_event event{};
  event.events = events;
  event.data.u64 = tag;
  epoll_ctl(doors_, EPOLL_CTL_ADD, socket, &event);
  if (!has_thread()) watcher_.attend(socket);
}

// `hopeless`: an answer that will not change soon.
void TcpLink::attempt_failed(Peer& one, const char* why, int error, bool hopeless) noexcept {
  if (one.state != Peer::State::connecting) return;
  one.last_error = error;
  one.last_why = why;
  one.again_at = base::now_ns();
  if (++one.next_address < setting_.addresses[static_cast<size_t>(index(one))].size()) return;
  one.next_address = 0;
  one.again_at += retry_ns;
  if (hopeless && ++one.rounds >= hopeless_rounds) lose(one, why, error);
}

Visitor* TcpLink::new_visitor(bool mine) noexcept {
  Visitor* found = nullptr;
  Visitor* oldest = nullptr;
  int guests = 0;
  for (Visitor& visitor : *visitors_) {
    if (visitor.state == Visitor::State::free) {
      found = &visitor;
    } else if (!visitor.mine()) {
      ++guests;
      if (oldest == nullptr || visitor.deadline < oldest->deadline) oldest = &visitor;
    }
  }
  // Strangers that say nothing must not keep others out: the one that has waited longest goes.
  if (!mine && oldest != nullptr && (guests >= most_guests || found == nullptr)) {
    dismiss(*oldest);
    found = oldest;
  }
  if (found != nullptr) *found = {};
  return found;
}

void TcpLink::dismiss(Visitor& visitor) noexcept {
  if (visitor.socket >= 0) {
    if (!has_thread()) watcher_.neglect(visitor.socket);
    ::close(visitor.socket);
  }
  visitor.state = Visitor::State::free;
  visitor.socket = -1;
  --visitor_count_;
}

void TcpLink::dismiss_failed(Visitor& visitor, const char* why, int error, bool hopeless) noexcept {
  const bool mine = visitor.mine();
  const int process = visitor.process;
  dismiss(visitor);
  if (mine) attempt_failed(peer(process), why, error, hopeless);
}

void TcpLink::poll_doors() noexcept {
  doors_told_.store(false, std::memory_order_relaxed);
  epoll_event events[16];
  const int count = look_at(doors_, events, 16, 0);
  for (int i = 0; i < count; ++i) {
    const auto number = static_cast<size_t>(events[i].data.u64);
    if (number == visitors_->size() + listeners_->sockets().size()) {
      hear_timer();
    } else if (number >= visitors_->size()) {
      admit(listeners_->sockets()[number - visitors_->size()]);
    } else if ((*visitors_)[number].state != Visitor::State::free) {
      visit((*visitors_)[number]);
    }
  }
  if (connecting_.empty() && visitor_count_ == 0 && listen_again_ == 0) return tick(false);
  tick(true);
  const int64_t now = base::now_ns();
  if (now - looked_at_ < look_every_ns) return;
  looked_at_ = now;
  look_at_deadlines(now);
}

// While there are deadlines the doors have something now and then even when nobody knocks.
void TcpLink::tick(bool wanted) noexcept {
  if (ticking_ == wanted) return;
  ticking_ = wanted;
  itimerspec every{};
  every.it_value.tv_nsec = every.it_interval.tv_nsec = wanted ? look_every_ns : 0;
  timerfd_settime(timer_, 0, &every, nullptr);
}

void TcpLink::hear_timer() noexcept {
  uint64_t ticks;
  [[maybe_unused]] const ssize_t got = ::read(timer_, &ticks, sizeof ticks);
}

void TcpLink::admit(int listener) noexcept {
  for (int i = 0; i < 16; ++i) {
    const int socket = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
        // The kernel keeps those who knock; they are let in when there is a descriptor again.
        open_listeners(false);
        listen_again_ = base::now_ns() + retry_ns;
      }
      if (errno == EINTR || errno == ECONNABORTED) continue;
      return;
    }
    Visitor* visitor = new_visitor(false);
    if (visitor == nullptr) {
      ::close(socket);
      return;
    }
    visitor->state = Visitor::State::guest;
    visitor->socket = socket;
    visitor->deadline = base::now_ns() + guest_ns;
    ++visitor_count_;
    set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    watch_door(socket, EPOLLIN, static_cast<uint64_t>(visitor - visitors_->data()));
    visit(*visitor);
  }
}

void TcpLink::open_listeners(bool open) noexcept {
  for (size_t i = 0; i < listeners_->sockets().size(); ++i) {
    epoll_event event{};
    event.events = open ? uint32_t{EPOLLIN} : 0u;
    event.data.u64 = visitors_->size() + i;
    epoll_ctl(doors_, EPOLL_CTL_MOD, listeners_->sockets()[i], &event);
  }
}

void TcpLink::look_at_deadlines(int64_t now) noexcept {
  if (listen_again_ != 0 && now >= listen_again_) {
    listen_again_ = 0;
    open_listeners(true);
  }
  for (Visitor& visitor : *visitors_) {
    if (visitor.state == Visitor::State::free || now < visitor.deadline) continue;
    dismiss_failed(visitor, "it does not answer", ETIMEDOUT, false);
  }
  for (size_t i = connecting_.size(); i-- > 0;) {
    Peer& one = peer(connecting_[i]);
    if (now >= one.deadline) {
      for (Visitor& visitor : *visitors_) {
        if (visitor.state != Visitor::State::free && visitor.process == index(one)) dismiss(visitor);
      }
      lose(one, one.last_why != nullptr ? one.last_why : "it does not answer", one.last_error);
    } else if (one.state == Peer::State::connecting && one.again_at != 0 && now >= one.again_at) {
      attempt(one, now);
    }
  }
}

void TcpLink::forget_connecting(Peer& one) noexcept {
  const auto found = std::find(connecting_.begin(), connecting_.end(), index(one));
  if (found == connecting_.end()) return;
  *found = connecting_.back();
  connecting_.pop_back();
}

// The greetings are over: from now on frames.
void TcpLink::connected(Peer& one, Visitor& visitor) noexcept {
  const int socket = visitor.socket;
  epoll_ctl(doors_, EPOLL_CTL_DEL, socket, nullptr);
  if (!has_thread()) watcher_.neglect(socket);
  visitor.socket = -1;
  dismiss(visitor);
  forget_connecting(one);
  const auto seconds = static_cast<int>(std::clamp<int64_t>(setting_.timeout_ns / 1'000'000'000, 2, 3600));
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, std::max(seconds / 2, 1));
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, std::max(seconds / 6, 1));
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, seconds * 1000);
  one.state = Peer::State::connected;
  one.socket = socket;
  one.place = static_cast<int>(connected_.size());
  one.eager_limit = std::min(setting_.eager_limit, visitor.eager_limit);
  one.unexpected_limit = std::min(setting_.unexpected_limit, visitor.unexpected_limit);
  one.last_error = 0;
  connected_.push_back(index(one));
  ++counters_.connections;
  watcher_.add(socket, EPOLLIN, static_cast<uint64_t>(index(one)));
  mark(one);  // sends wait for it
}

}  // namespace vif::net::tcp
