// Context: core.
#include "sched/descriptors.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <system_error>

#include <sys/epoll.h>
#include <unistd.h>

namespace vif::sched {
namespace {

constexpr int at_once = 64;
// Of the core that waits. One array per thread is enough.
thread_local std::array<epoll_event, at_once> events;

uint32_t wanted(const std::vector<Watch*>& watches) noexcept {
  uint32_t mask = 0;
  for (const Watch* watch : watches) {
    mask |= watch->kind == WatchKind::readable ? static_cast<uint32_t>(EPOLLIN) : static_cast<uint32_t>(EPOLLOUT);
  }
  return mask;
}

bool set_interest(int epoll, int descriptor, uint32_t mask) noexcept {
  epoll_event event{};
  event.events = mask;
  event.data.fd = descriptor;
  if (epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) == 0) return true;
  return errno == ENOENT && epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

}  // namespace

Descriptors::Descriptors(int wake) : epoll_(epoll_create1(EPOLL_CLOEXEC)), wake_(wake) {
  if (epoll_ < 0 || !set_interest(epoll_, wake_, EPOLLIN)) {
    const int error = errno;
    if (epoll_ >= 0) close(epoll_);
    throw std::system_error(error, std::generic_category(),
                            "Vif cannot watch descriptors; raise the limit of open files (ulimit -n)");
  }
}

Descriptors::~Descriptors() { close(epoll_); }

bool Descriptors::update(int descriptor, const std::vector<Watch*>& watches) noexcept {
  if (!watches.empty()) return set_interest(epoll_, descriptor, wanted(watches));
  // It may have been closed meanwhile, and with that have left the set.
  epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr);
  return true;
}

bool Descriptors::add(Watch& watch) {
  std::vector<Watch*>& watches = watched_[watch.number];
  watches.push_back(&watch);
  if (update(watch.number, watches)) return true;
  watches.pop_back();
  if (watches.empty()) watched_.erase(watch.number);
  return false;
}

void Descriptors::remove(Watch& watch) noexcept {
  const auto found = watched_.find(watch.number);
  if (found == watched_.end()) return;
  std::vector<Watch*>& watches = found->second;
  watches.erase(std::remove(watches.begin(), watches.end(), &watch), watches.end());
  update(watch.number, watches);
  if (watches.empty()) watched_.erase(found);
}

int Descriptors::wait_for_events(int64_t timeout_ns) noexcept {
  if (timeout_ns > 0 && has_pwait2_) {
    const timespec limit{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
    const int count = epoll_pwait2(epoll_, events.data(), at_once, &limit, nullptr);
    if (count >= 0 || errno != ENOSYS) return count;
    has_pwait2_ = false;
  }
  // Rounded up: a timer that is a little late is better than a loop until it is due.
  const int64_t milliseconds =
      timeout_ns <= 0 ? timeout_ns : std::min<int64_t>((timeout_ns + 999'999) / 1'000'000, INT_MAX);
  return epoll_wait(epoll_, events.data(), at_once, static_cast<int>(std::max<int64_t>(milliseconds, -1)));
}

// Puts the watches of an event into due_. An error or the end of the connection concerns readers and writers: their
// next call says what it is.
bool Descriptors::report(std::size_t at) {
  const epoll_event& event = events[at];
  const int descriptor = event.data.fd;
  if (descriptor == wake_) {
    char bytes[64];
    while (read(wake_, bytes, sizeof bytes) > 0) {
    }
    return false;
  }
  const auto found = watched_.find(descriptor);
  if (found == watched_.end()) return false;
  due_.clear();
  for (Watch* watch : found->second) {
    const uint32_t mask = watch->kind == WatchKind::readable ? static_cast<uint32_t>(EPOLLIN | EPOLLHUP | EPOLLERR)
                                                             : static_cast<uint32_t>(EPOLLOUT | EPOLLHUP | EPOLLERR);
    if ((event.events & mask) != 0) due_.push_back(watch);
  }
  return true;
}

}  // namespace vif::sched
