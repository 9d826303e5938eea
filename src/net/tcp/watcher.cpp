#include "net/tcp/watcher.hpp"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <system_error>

#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "net/tcp/calls.hpp"

namespace vif::net::tcp {
namespace {

constexpr int tick_ms = 50;

}  // namespace

bool Watcher::start(int doors, int traffic, void (*wake)(void*), void* argument, std::string& error) {
  doors_ = doors;
  traffic_ = traffic;
  wake_ = wake;
  argument_ = argument;
  set_ = epoll_create1(EPOLL_CLOEXEC);
  bell_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  bool made = set_ >= 0 && bell_ >= 0;
  for (const int set : {doors_, traffic_, bell_}) {
    epoll_event event{};
    event.events = set == doors_ ? EPOLLIN | EPOLLONESHOT : set == bell_ ? uint32_t{EPOLLIN} : uint32_t{EPOLLONESHOT};
    event.data.fd = set;
    made = made && epoll_ctl(set_, EPOLL_CTL_ADD, set, &event) == 0;
  }
  if (!made) {
    error = std::string("The network cannot be watched: ") + std::strerror(errno) +
            ". Check the limit on open descriptors (ulimit -n).";
    return false;
  }
  // The thread takes no signal of the program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this] { loop(); });
  } catch (const std::system_error& refused) {
    error = std::string("No thread can be had that watches the network: ") + refused.what() +
            ". Check the limit on processes (ulimit -u).";
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread_.joinable();
}

void Watcher::stop() noexcept {
  if (thread_.joinable()) {
    stopping_.store(true, std::memory_order_release);
    eventfd_write(bell_, 1);
    thread_.join();
  }
  for (int* descriptor : {&set_, &bell_}) {
    if (*descriptor >= 0) close(*descriptor);
    *descriptor = -1;
  }
}

void Watcher::abandon() noexcept {
  if (thread_.joinable()) thread_.detach();
}

// Owner of mutex_, or the thread itself for the doors.
void Watcher::watch(int set, bool on) noexcept {
  epoll_event event{};
  event.events = EPOLLONESHOT | (on ? uint32_t{EPOLLIN} : 0u);
  event.data.fd = set;
  epoll_ctl(set_, EPOLL_CTL_MOD, set, &event);
}

void Watcher::arm() noexcept { want_traffic(true); }
void Watcher::disarm() noexcept { want_traffic(false); }

void Watcher::want_traffic(bool wanted) noexcept {
  const std::lock_guard guard(mutex_);
  wanted_ = wanted;
  if (armed_ == wanted) return;
  armed_ = wanted;
  watch(traffic_, wanted);
}

void Watcher::tick(bool wanted) noexcept {
  if (ticking_.load(std::memory_order_relaxed) == wanted) return;
  ticking_.store(wanted, std::memory_order_release);
  if (wanted) eventfd_write(bell_, 1);  // it may be blocked without a time-out
}

void Watcher::loop() noexcept {
  pthread_setname_np(pthread_self(), "vif-network");
  while (!stopping_.load(std::memory_order_acquire)) {
    epoll_event events[3];
    const int count = look_at(set_, events, 3, ticking_.load(std::memory_order_acquire) ? tick_ms : -1);
    if (count < 0 && errno != EINTR) return;  // cannot happen: the descriptors are ours
    bool doors = false;
    for (int i = 0; i < count; ++i) {
      if (events[i].data.fd == bell_) {
        eventfd_t rung;
        eventfd_read(bell_, &rung);
      } else if (events[i].data.fd == traffic_) {
        const std::lock_guard guard(mutex_);
        armed_ = false;
      } else {
        doors = true;
      }
    }
    if (stopping_.load(std::memory_order_acquire)) return;
    wake_(argument_);
    if (doors) watch(doors_, true);
    const std::lock_guard guard(mutex_);
    if (wanted_ && !armed_) {
      armed_ = true;
      watch(traffic_, true);
    }
  }
}

}  // namespace vif::net::tcp
