// The link's beginning, one look at everything, and its end.
#include "net/tcp/tcp_link.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <linux/sockios.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "net/tcp/calls.hpp"

namespace vif::net::tcp {
namespace {

// With so few connections reading them all costs less than asking the kernel which of them has something.
constexpr size_t few = 2;
constexpr uint32_t look_at_doors_every = 16;  // polls: a call of the kernel each
constexpr int64_t drain_limit_ns = 5'000'000'000;

std::string cause() { return std::strerror(errno); }

}  // namespace

Listeners::~Listeners() {
  for (const int socket : sockets_) ::close(socket);
}

bool Listeners::open(std::vector<Address>& addresses, std::string& error) {
  std::vector<Address> good;
  for (Address& address : addresses) {
    address.set_port(0);
    const int socket = ::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    socklen_t length = address.length();
    if (socket >= 0 && ::bind(socket, &address.value.any, length) == 0 && ::listen(socket, 1024) == 0 &&
        ::getsockname(socket, &address.value.any, &length) == 0) {
      sockets_.push_back(socket);
      good.push_back(address);
      continue;
    }
    error = "Connections of other processes cannot be awaited: " + cause() + ".";
    if (socket >= 0) ::close(socket);
  }
  addresses = std::move(good);
  return !addresses.empty();
}

TcpLink::TcpLink(LinkPort& port, Setting setting, std::unique_ptr<Listeners> listeners)
    : port_(port), setting_(std::move(setting)), listeners_(std::move(listeners)) {}

std::unique_ptr<TcpLink> TcpLink::open(LinkPort& port, Setting setting, std::unique_ptr<Listeners> listeners,
                                       std::string& error) {
  std::unique_ptr<TcpLink> link(new TcpLink(port, std::move(setting), std::move(listeners)));
  if (!link->open_sets(error)) return nullptr;
  return link;
}

bool TcpLink::open_sets(std::string& error) {
  const auto count = static_cast<size_t>(setting_.processes);
  void* pages =
      mmap(nullptr, count * sizeof(Peer), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) {
    error = "The table of network peers cannot be had: memory is exhausted.";
    return false;
  }
  peers_ = static_cast<Peer*>(pages);
  visitors_ = std::make_unique<std::array<Visitor, 128>>();
  // So that no handler ever makes them grow.
  for (std::vector<int32_t>* list : {&connected_, &marked_, &pumped_, &connecting_}) list->reserve(count);
  slots_.grow(64);
  doors_ = epoll_create1(EPOLL_CLOEXEC);
  timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  bell_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (doors_ < 0 || timer_ < 0 || bell_ < 0) {
    error = "The network cannot be watched: " + cause() + ". Check the limit on open descriptors (ulimit -n).";
    return false;
  }
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = visitors_->size() + listeners_->sockets().size();  // behind the listeners
  epoll_ctl(doors_, EPOLL_CTL_ADD, timer_, &event);
  if (!open_watcher(error)) return false;
  for (size_t i = 0; i < listeners_->sockets().size(); ++i) {
    watch_door(listeners_->sockets()[i], EPOLLIN, visitors_->size() + i);
  }
  return true;
}

TcpLink::~TcpLink() {
  watcher_.close();
  for (const int process : connected_) ::close(peer(process).socket);
  if (visitors_ != nullptr) {
    for (const Visitor& visitor : *visitors_) {
      if (visitor.state != Visitor::State::free) ::close(visitor.socket);
    }
  }
  for (const int descriptor : {doors_, timer_, bell_}) {
    if (descriptor >= 0) ::close(descriptor);
  }
  if (peers_ != nullptr) munmap(peers_, static_cast<size_t>(setting_.processes) * sizeof(Peer));
}

bool TcpLink::sleep(int64_t timeout_ns) noexcept {
  pollfd sources[3] = {{watcher_.descriptor(), POLLIN, 0}, {doors_, POLLIN, 0}, {bell_, POLLIN, 0}};
  const int ready = look_at(sources, 3, static_cast<int>(timeout_ns / 1'000'000));
  if ((sources[2].revents & POLLIN) != 0) {
    eventfd_t rung;
    eventfd_read(bell_, &rung);
  }
  return ready != 0;
}

void TcpLink::rouse() noexcept { eventfd_write(bell_, 1); }

LinkAbilities TcpLink::abilities() const noexcept {
  LinkAbilities abilities;
  abilities.name = "tcp";
  abilities.eager_limit = setting_.eager_limit;
  abilities.wakes = true;
  return abilities;
}

void TcpLink::poll() noexcept {
  const uint64_t moved = moved_;
  if (port_.may_allocate()) {
    slots_.grow(64);
    if (reported_ != lost_count_) report();
  }
  if (late_ != nullptr) accept_late();
  poll_connections();
  if (!marked_.empty()) pump_marked();
  const bool told = doors_told_.load(std::memory_order_relaxed) || (port_.in_handler() && !has_thread());
  if (++polls_ % look_at_doors_every == 0 || ticking_ || told) poll_doors();
  if (port_.in_handler() || told_.load(std::memory_order_relaxed)) learn_treatment(moved_ - moved);
  settle();
}

void TcpLink::poll_connections() noexcept {
  if (connected_.size() <= few) {
    for (size_t i = connected_.size(); i-- > 0;) {  // from the end: one that is lost gives its place to the last
      if (i < connected_.size()) serve(peer(connected_[i]));
    }
    return;
  }
  react::Watcher::Ready ready[32];
  const int count = watcher_.look(ready, 32);
  for (int i = 0; i < count; ++i) {
    Peer& one = peer(static_cast<int>(ready[i].tag));
    if (one.state == Peer::State::connected) serve(one);
  }
  if (count == 32) port_.come_again();
}

void TcpLink::serve(Peer& one) noexcept {
  if (one.blocked) {
    one.blocked = false;
    pump(one);
  }
  read(one);
}

void TcpLink::mark(Peer& one) noexcept {
  if (one.busy) return;
  one.busy = true;
  unfinished_.store(true, std::memory_order_relaxed);
  marked_.push_back(index(one));
}

void TcpLink::pump_marked() noexcept {
  unfinished_.store(false, std::memory_order_relaxed);
  pumped_.swap(marked_);
  for (const int process : pumped_) {
    peer(process).busy = false;
    pump(peer(process));
  }
  pumped_.clear();
}

// Tells the kernel whether room for more bytes is awaited.
void TcpLink::watch(Peer& one) noexcept {
  if (one.state != Peer::State::connected) return;
  if (one.blocked && watcher_.armed() == react::Method::interrupt) ask_for_room(one);
  if (one.watched == one.blocked) return;
  one.watched = one.blocked;
  const uint32_t events = EPOLLIN | (one.watched ? uint32_t{EPOLLOUT} : 0u);
  watcher_.change(one.socket, events, static_cast<uint64_t>(index(one)));
}

// The kernel gives a signal for room once for each time that somebody has looked and found none.
void TcpLink::ask_for_room(Peer& one) noexcept {
  pollfd source{one.socket, POLLOUT, 0};
  if (look_at(&source, 1, 0) == 1) port_.come_again();
}

// App context. Says it of the first few only: the others will have ended for the same reason.
void TcpLink::report() noexcept {
  for (; reported_ < lost_count_; ++reported_) {
    const Peer& one = peer(lost_[reported_]);
    std::fprintf(stderr, "vif: rank %d has lost its network link to rank %d: %s%s%s.\n", setting_.process,
                 lost_[reported_], one.why, one.last_error != 0 ? ": " : "",
                 one.last_error != 0 ? std::strerror(one.last_error) : "");
  }
}

// What was handed over is sent before this returns, unless a peer is gone or takes nothing for seconds.
void TcpLink::close() noexcept {
  watcher_.close();
  closing_ = true;
  for (const int process : connected_) {
    peer(process).say_bye = true;
    mark(peer(process));
  }
  pump_marked();
  drain();
  if (reported_ != lost_count_) report();
}

void TcpLink::drain() noexcept {
  const int64_t end = base::now_ns() + drain_limit_ns;
  for (;;) {
    std::vector<pollfd> waiting;
    for (size_t i = connected_.size(); i-- > 0;) {
      Peer& one = peer(connected_[i]);
      serve(one);
      int unsent = 0;
      if (one.state != Peer::State::connected || one.left) continue;
      // Bytes in the kernel that the other side has not confirmed would be lost with a socket that has unread ones.
      const bool delivered = one.current == nullptr && one.out_begin == one.out_end && !one.say_bye &&
                             ioctl(one.socket, SIOCOUTQ, &unsent) == 0 && unsent == 0;
      if (!delivered) waiting.push_back({one.socket, POLLIN, 0});
    }
    if (waiting.empty() || base::now_ns() > end) return;
    look_at(waiting.data(), waiting.size(), 1);
  }
}

}  // namespace vif::net::tcp
