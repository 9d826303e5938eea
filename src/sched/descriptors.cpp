// Context: core.
#include "sched/descriptors.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <sys/epoll.h>
#include <unistd.h>

namespace vif::sched {
namespace {

uint32_t wanted(const std::vector<Watch*>& watches) noexcept {
  uint32_t mask = 0;
  for (const Watch* watch : watches) {
    mask |= watch->kind == WatchKind::readable ? static_cast<uint32_t>(EPOLLIN) : static_cast<uint32_t>(EPOLLOUT);
  }
  return mask;
}

}  // namespace

Descriptors::Descriptors(int wake, PollRule rule) : poller_(Poller::make(rule)), wake_(wake) {
  if (!poller_->want(wake_, EPOLLIN)) {
    throw std::system_error(errno, std::generic_category(),
                            "Vif cannot watch descriptors; raise fs.epoll.max_user_watches");
  }
}

bool Descriptors::add(Watch& watch) {
  std::vector<Watch*>& watches = watched_[watch.number];
  watches.push_back(&watch);
  if (poller_->want(watch.number, wanted(watches))) return true;
  watches.pop_back();
  if (watches.empty()) watched_.erase(watch.number);
  return false;
}

void Descriptors::remove(Watch& watch) noexcept {
  const auto found = watched_.find(watch.number);
  if (found == watched_.end()) return;
  std::vector<Watch*>& watches = found->second;
  watches.erase(std::remove(watches.begin(), watches.end(), &watch), watches.end());
  poller_->want(watch.number, wanted(watches));
  if (watches.empty()) watched_.erase(found);
}

// Puts the watches of what is ready into due_. An error or the end of the connection concerns readers and writers:
// their next call says what it is.
bool Descriptors::report(const Poller::Ready& ready) {
  if (ready.descriptor == wake_) {
    char bytes[64];
    while (read(wake_, bytes, sizeof bytes) > 0) {
    }
    return false;
  }
  const auto found = watched_.find(ready.descriptor);
  if (found == watched_.end()) return false;
  due_.clear();
  for (Watch* watch : found->second) {
    const uint32_t mask = watch->kind == WatchKind::readable ? static_cast<uint32_t>(EPOLLIN | EPOLLHUP | EPOLLERR)
                                                             : static_cast<uint32_t>(EPOLLOUT | EPOLLHUP | EPOLLERR);
    if ((ready.events & mask) != 0) due_.push_back(watch);
  }
  return true;
}

}  // namespace vif::sched
