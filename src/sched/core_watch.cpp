// Timers, descriptors and signals of a core: keeping them, and posting events when they fire. Context: core, except
// signal_news(): handler.
#include <cerrno>
#include <ctime>
#include <new>
#include <system_error>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "sched/core.hpp"
#include "sched/scheduler.hpp"
#include "sched/signals.hpp"

namespace vif::sched {
namespace {

// After which a timer is tried again.
constexpr int64_t without_memory_ns = 1'000'000;

int64_t monotonic_ns() noexcept {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

// The event of a watch that has fired.
void run_watch(void* payload, bool run) {
  struct Ended {
    Watch& watch;
    bool began;
    ~Ended() {
      if (began) watch.state.end(watch.repeats() && !watch.homeless.load(std::memory_order_relaxed));
      // Release, with the load by the home: it may then post the next event of this watch.
      watch.pending.store(false, std::memory_order_release);
      watch.drop_use();
    }
  };
  Watch& watch = **static_cast<Watch**>(payload);
  if (!run) watch.state.cancel();  // the runtime has ended
  const Ended ended{watch, run && watch.state.begin()};
  if (ended.began) watch.notify(watch.callable(), &watch);
}

}  // namespace

void Core::keep(Watch& watch) {
  if (!watch.state.may_run() || scheduler_.stopping()) {
    if (watch.kind == WatchKind::signal) unsubscribe(watch);
    watch.lose_home();
    return watch.drop_use();
  }
  if (watch.kind == WatchKind::timer) {
    timers_.add(watch);
  } else if (watch.kind == WatchKind::signal) {
    signals_.push_back(&watch);
  } else {
    if (!descriptors_) open_descriptors();
    if (!descriptors_->add(watch)) {
      watch.lose_home();
      watch.drop_use();
      throw std::system_error(errno, std::generic_category(),
                              "Vif cannot watch a descriptor; raise fs.epoll.max_user_watches or watch fewer");
    }
  }
  watch.kept = true;
}

void Core::let_go(Watch& watch) noexcept {
  if (!watch.kept) return;
  watch.kept = false;
  if (watch.kind == WatchKind::timer) {
    timers_.remove(watch);
  } else if (watch.kind == WatchKind::signal) {
    unsubscribe(watch);
    std::erase(signals_, &watch);
  } else {
    descriptors_->remove(watch);
  }
  watch.drop_use();
}

// For ever. What has fired already may still run.
void Core::let_go_of_all() noexcept {
  const auto end = [this](Watch& watch) {
    watch.lose_home();
    let_go(watch);
  };
  while (Watch* timer = timers_.first()) end(*timer);
  while (!signals_.empty()) end(*signals_.back());
  while (Watch* watch = descriptors_ ? descriptors_->any() : nullptr) end(*watch);
}

// False: there is no memory.
bool Core::fire(Watch& watch) noexcept {
  if (scheduler_.stopping() || watch.pending.load(std::memory_order_acquire)) return true;
  Event* event = nullptr;
  try {
    event = scheduler_.allocate(sizeof(void*), watch.colour);
  } catch (const std::bad_alloc&) {
    return false;
  }
  event->invoke = run_watch;
  event->kind = Kind::ordinary;
  new (event->payload()) Watch*(&watch);
  watch.pending.store(true, std::memory_order_relaxed);
  watch.add_use();
  tally_.busy();
  post(*event, index_);
  fired_ = true;
  return true;
}

void Core::fire_timers() {
  if (timers_.empty()) return;
  const int64_t now = monotonic_ns();
  while (Watch* timer = timers_.first()) {
    if (timer->at_ns > now) return;
    timers_.remove(*timer);
    if (!fire(*timer)) {
      timer->at_ns = now + without_memory_ns;
      timers_.add(*timer);
    } else if (timer->period_ns != 0) {
      // The moments that have been missed are left out, and the rhythm is kept.
      timer->at_ns += timer->period_ns * ((now - timer->at_ns) / timer->period_ns + 1);
      timers_.add(*timer);
    } else {
      timer->kept = false;
      if (scheduler_.stopping()) timer->lose_home();  // perhaps it did not fire
      timer->drop_use();
    }
  }
}

void Core::fire_signals() {
  if (line_.signal_news.load(std::memory_order_relaxed) == 0) return;
  // Acquire, with the release of the handler: its count is seen.
  line_.signal_news.exchange(0, std::memory_order_acquire);
  collect_signals(*this, [](Core& core, Watch& watch) { core.fire(watch); });
}

bool Core::poll_sources(int64_t timeout_ns) {
  fired_ = false;
  fire_signals();
  fire_timers();
  if (descriptors_ && !descriptors_->empty()) {
    descriptors_->wait(fired_ ? 0 : timeout_ns, [this](Watch& watch) { fire(watch); });
    if (timeout_ns != 0) fire_timers();
  }
  return fired_;
}

int64_t Core::until_next_timer() const noexcept {
  const Watch* timer = timers_.first();
  if (timer == nullptr) return -1;
  const int64_t left = timer->at_ns - monotonic_ns();
  return left > 0 ? left : 0;
}

void Core::open_descriptors() {
  if (wake_ends_[0].load(std::memory_order_relaxed) < 0) {
    const int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake < 0) {
      throw std::system_error(
          errno, std::generic_category(),
          "Vif cannot make the descriptor that wakes a core; raise the limit of open files (ulimit -n)");
    }
    wake_ends_[0].store(wake, std::memory_order_relaxed);
    // Release, with the acquire of who wakes the core: the descriptor exists before it is written to.
    wake_ends_[1].store(wake, std::memory_order_release);
  }
  descriptors_ =
      std::make_unique<Descriptors>(wake_ends_[0].load(std::memory_order_relaxed), scheduler_.settings().poll);
}

void Core::signal_news() noexcept {
  line_.signal_news.store(1, std::memory_order_release);
  ring();
}

}  // namespace vif::sched
