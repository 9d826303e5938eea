#include "react/watcher.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bell/interrupt.hpp"

namespace vif::react {
namespace {

constexpr uint64_t of_inner = 0;
constexpr uint64_t of_stop = 1;
constexpr uint64_t of_kept = 2;

bool set_interest(int epoll, int operation, int descriptor, uint32_t events, uint64_t tag) noexcept {
  epoll_event event{};
  event.events = events;
  event.data.u64 = tag;
  return epoll_ctl(epoll, operation, descriptor, &event) == 0;
}

// The kernel itself: the library exports an epoll_wait of its own in front of the C library's, for the program
// (bell/foreign_calls.hpp).
int wait_on(int epoll, epoll_event* events, int capacity, int timeout_ms) noexcept {
  return static_cast<int>(syscall(SYS_epoll_pwait, epoll, events, capacity, timeout_ms, nullptr, 0));
}

void close_if_open(int& descriptor) noexcept {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

}  // namespace

bool Watcher::open(const Duty& duty, const WatcherLimits& limits, std::string& error) {
  duty_ = duty;
  limits_ = limits;
  process_ = getpid();
  stopping_.store(false, std::memory_order_relaxed);
  inner_ = epoll_create1(EPOLL_CLOEXEC);
  if (inner_ >= 0) outer_ = epoll_create1(EPOLL_CLOEXEC);
  if (outer_ >= 0) stop_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  // Of the inner set nothing is wanted until it is armed.
  if (stop_ >= 0 && set_interest(outer_, EPOLL_CTL_ADD, stop_, EPOLLIN, of_stop) &&
      set_interest(outer_, EPOLL_CTL_ADD, inner_, 0, of_inner)) {
    if (limits.signal != 0) signals_.open(limits.signal, limits.signalled);  // without: arm() says so
    return true;
  }
  error = std::string("Descriptors cannot be watched (") + std::strerror(errno) +
          "): raise the limit of open files (ulimit -n).";
  close_if_open(inner_);
  close_if_open(outer_);
  close_if_open(stop_);
  return false;
}

void Watcher::close() noexcept {
  if (inner_ < 0) return;
  if (process_ != getpid()) {  // a forked child: it has no helper, and the descriptors' flags are its parent's
    if (helper_.joinable()) helper_.detach();
  } else {
    disarm();
    signals_.close();
    stopping_.store(true, std::memory_order_release);
    wake();
    const std::lock_guard guard(starting_);
    if (helper_.joinable()) helper_.join();
  }
  close_if_open(inner_);
  close_if_open(outer_);
  close_if_open(stop_);
  kept_ = -1;
  count_ = 0;
}

bool Watcher::add(int descriptor, uint32_t events, uint64_t tag) noexcept {
  if (!set_interest(inner_, EPOLL_CTL_ADD, descriptor, events, tag)) return false;
  ++count_;
  signals_.add(descriptor);
  return true;
}

bool Watcher::change(int descriptor, uint32_t events, uint64_t tag) noexcept {
  return set_interest(inner_, EPOLL_CTL_MOD, descriptor, events, tag);
}

void Watcher::remove(int descriptor) noexcept {
  if (epoll_ctl(inner_, EPOLL_CTL_DEL, descriptor, nullptr) != 0) return;
  --count_;
  signals_.remove(descriptor);
}

int Watcher::look(Ready* ready, int capacity) noexcept {
  std::array<epoll_event, 64> events;
  const int saved = errno;
  const int most = std::min(capacity, static_cast<int>(events.size()));
  const int found = wait_on(inner_, events.data(), most, 0);
  errno = saved;
  for (int i = 0; i < found; ++i) {
    const epoll_event& event = events[static_cast<size_t>(i)];
    ready[i] = {event.data.u64, event.events};
  }
  return std::max(found, 0);
}

bool Watcher::keep(int descriptor) noexcept {
  if (kept_ >= 0 || !set_interest(outer_, EPOLL_CTL_ADD, descriptor, EPOLLIN | EPOLLONESHOT, of_kept)) return false;
  kept_ = descriptor;
  return true;
}

bool Watcher::prepare() noexcept {
  if (!tenure_.is_present() && !start_helper()) return false;
  return kept_ < 0 || tenure_.want();
}

void Watcher::let_go() noexcept {
  if (kept_ < 0) tenure_.release();
}

Method Watcher::arm(Method wish, int32_t thread) noexcept {
  why_not_ = nullptr;
  if (wish == Method::interrupt) {
    why_not_ = signals_.arm(thread);
    if (why_not_ == nullptr) {
      if (armed_ == Method::exported) let_go();
      return armed_ = Method::interrupt;
    }
  }
  if (arm_export()) {
    signals_.disarm();
    if (why_not_ != nullptr) ++counters_.fell_back;
    return armed_ = Method::exported;
  }
  ++counters_.fell_back;
  if (wish != Method::interrupt && thread != 0) {
    const char* refused = signals_.arm(thread);
    if (refused == nullptr) return armed_ = Method::interrupt;
  }
  return armed_ = Method::look;
}

bool Watcher::arm_export() noexcept {
  if (!tenure_.want()) {
    if (bell::in_handler() || !start_helper() || !tenure_.want()) {
      why_not_ = "no helper thread can be had now";
      return false;
    }
  }
  const int saved = errno;
  const bool armed = set_interest(outer_, EPOLL_CTL_MOD, inner_, EPOLLIN | EPOLLONESHOT, of_inner);
  errno = saved;
  if (!armed) {
    let_go();
    why_not_ = "the epoll set of the helper thread cannot be changed";
  }
  return armed;
}

void Watcher::disarm() noexcept {
  if (armed_ == Method::exported) {
    const int saved = errno;
    set_interest(outer_, EPOLL_CTL_MOD, inner_, 0, of_inner);
    errno = saved;
    let_go();
  }
  if (armed_ == Method::interrupt) signals_.disarm();
  armed_ = Method::look;
}

void Watcher::wake() noexcept {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(stop_, &one, sizeof one);
}

// Context: app
bool Watcher::start_helper() noexcept {
  const std::lock_guard guard(starting_);
  if (stopping_.load(std::memory_order_relaxed)) return false;
  if (!tenure_.begin()) return true;
  if (helper_.joinable()) helper_.join();  // the last one: it has ended, or is about to
  // The helper takes no signal of the program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = true;
  try {
    helper_ = std::thread([this] { serve(); });
    ++counters_.helpers_started;
  } catch (const std::system_error&) {
    tenure_.abandon();
    ++counters_.helpers_refused;
    started = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

// Context: helper
void Watcher::serve() noexcept {
  pthread_setname_np(pthread_self(), "vif-watch");
  const int patience_ms = kept_ >= 0 ? -1 : static_cast<int>(std::max<int64_t>(limits_.idle_ns / 1'000'000, 1));
  while (!stopping_.load(std::memory_order_acquire)) {
    epoll_event events[3];
    const int found = wait_on(outer_, events, 3, patience_ms);
    if (found == 0 && tenure_.may_go()) return;
    bool ready = false, kept = false;
    for (int i = 0; i < found; ++i) {
      ready = ready || events[i].data.u64 != of_stop;
      kept = kept || events[i].data.u64 == of_kept;
    }
    if (ready && !stopping_.load(std::memory_order_acquire)) {
      counters_.exported_runs.fetch_add(1, std::memory_order_relaxed);
      duty_.run(duty_.self);
    }
    if (kept) set_interest(outer_, EPOLL_CTL_MOD, kept_, EPOLLIN | EPOLLONESHOT, of_kept);
  }
}

}  // namespace vif::react
