// Descriptors by epoll. Context: core.
#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>

#include <sys/epoll.h>
#include <unistd.h>

#include "sched/poller.hpp"

namespace vif::sched {
namespace {

class Epoll final : public Poller {
 public:
  Epoll() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    if (epoll_ >= 0) return;
    throw std::system_error(errno, std::generic_category(),
                            "Vif cannot watch descriptors; raise the limit of open files (ulimit -n)");
  }
  ~Epoll() override { close(epoll_); }
  Epoll(const Epoll&) = delete;
  Epoll& operator=(const Epoll&) = delete;

  bool want(int descriptor, uint32_t mask) override {
    epoll_event event{};
    event.events = mask;
    event.data.fd = descriptor;
    if (mask == 0) {
      // It may have been closed meanwhile, and with that have left the set.
      epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr);
      return true;
    }
    if (epoll_ctl(epoll_, EPOLL_CTL_MOD, descriptor, &event) == 0) return true;
    return errno == ENOENT && epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0;
  }

  int wait(int64_t timeout_ns, Ready (&ready)[at_once]) noexcept override {
    epoll_event events[at_once];
    const int count = wait_for(timeout_ns, events);
    for (int i = 0; i < count; ++i) ready[i] = {events[i].data.fd, events[i].events};
    return count;
  }

 private:
  int wait_for(int64_t timeout_ns, epoll_event* events) noexcept {
    if (timeout_ns > 0 && has_pwait2_) {
      const timespec limit{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
      const int count = epoll_pwait2(epoll_, events, at_once, &limit, nullptr);
      if (count >= 0 || errno != ENOSYS) return count;
      has_pwait2_ = false;
    }
    // Rounded up: a timer that is a little late is better than a loop until it is due.
    const int64_t milliseconds =
        timeout_ns <= 0 ? timeout_ns : std::min<int64_t>((timeout_ns + 999'999) / 1'000'000, INT_MAX);
    return epoll_wait(epoll_, events, at_once, static_cast<int>(std::max<int64_t>(milliseconds, -1)));
  }

  int epoll_;
  bool has_pwait2_ = true;
};

}  // namespace

std::unique_ptr<Poller> make_epoll() { return std::make_unique<Epoll>(); }

}  // namespace vif::sched
