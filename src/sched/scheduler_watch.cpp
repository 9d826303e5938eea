// Starting and cancelling watches from anywhere. Context: app and core.
#include <cerrno>
#include <new>
#include <string>
#include <system_error>

#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/scheduler.hpp"
#include "sched/signals.hpp"

namespace vif::sched {
namespace {

[[noreturn]] void refuse(int error, const std::string& sentence) {
  throw std::system_error(error, std::generic_category(), sentence);
}

bool can_be_watched(int descriptor, const struct stat& status) {
  if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) return false;
  if (!S_ISCHR(status.st_mode) && !S_ISBLK(status.st_mode)) return true;
  // Devices differ.
  const int trial = epoll_create1(EPOLL_CLOEXEC);
  if (trial < 0) return true;
  epoll_event event{};
  const bool refused = epoll_ctl(trial, EPOLL_CTL_ADD, descriptor, &event) != 0 && errno == EPERM;
  close(trial);
  return !refused;
}

// What the core could not tell the caller any more.
void check_descriptor(const Watch& watch) {
  struct stat status;
  if (fstat(watch.number, &status) != 0) {
    refuse(errno, "Vif cannot watch descriptor " + std::to_string(watch.number) + ": give one that is open");
  }
  if (!can_be_watched(watch.number, status)) {
    refuse(EPERM, "Vif cannot watch descriptor " + std::to_string(watch.number) +
                      ", a file or the like: those are always ready, so read or write it directly");
  }
}

// Carries a use or a reference of the watch with it, which `treat` takes over, or `drop` gives back.
template <void (*treat)(Core&, Watch&), void (*drop)(Watch&)>
void invoke_message(void* payload, bool run) {
  Watch& watch = **static_cast<Watch**>(payload);
  if (run) {
    treat(*Core::current(), watch);
  } else {
    drop(watch);
  }
}

void keep(Core& core, Watch& watch) { core.keep(watch); }
void drop_unkept(Watch& watch) {
  watch.lose_home();
  if (watch.kind == WatchKind::signal) unsubscribe(watch);
  watch.drop_use();
}
void let_go(Core& core, Watch& watch) {
  core.let_go(watch);
  watch.drop_reference();
}
void drop_reference(Watch& watch) { watch.drop_reference(); }

}  // namespace

bool Scheduler::start(Watch& watch) {
  const uint16_t home = core_of(watch.colour);
  Event* event = nullptr;
  try {
    if (watch.kind == WatchKind::readable || watch.kind == WatchKind::writable) check_descriptor(watch);
    event = allocate(sizeof(void*), watch.colour);
    if (watch.kind == WatchKind::signal && !subscribe(watch, core(home))) {
      refuse(errno, "Vif cannot watch signal " + std::to_string(watch.number) +
                        ": give one that can be caught, and at most 16 watches in a process");
    }
  } catch (...) {
    if (event != nullptr) abandon(event);
    watch.drop_use();
    throw;
  }
  if (Core::current() == &core(home)) {
    abandon(event);
    core(home).keep(watch);
    return !stopping();
  }
  event->kind = Kind::urgent;
  event->invoke = invoke_message<keep, drop_unkept>;
  new (event->payload()) Watch*(&watch);
  return post_to(home, event);
}

WatchState<>::Cancel Scheduler::cancel(Watch& watch) noexcept {
  const auto result = watch.state.cancel();
  // Acquire, with let_go_of_all(): an end that has come is seen, and nothing of the scheduler is touched.
  if (result == WatchState<>::Cancel::too_late || watch.homeless.load(std::memory_order_acquire)) return result;
  Scheduler& scheduler = *watch.scheduler;
  Core& home = scheduler.core(scheduler.core_of(watch.colour));
  if (Core::current() == &home) {
    home.let_go(watch);
    return result;
  }
  try {
    Event* event = scheduler.allocate(sizeof(void*), watch.colour);
    event->kind = Kind::urgent;
    event->invoke = invoke_message<let_go, drop_reference>;
    new (event->payload()) Watch*(&watch);
    watch.add_reference();
    scheduler.post_to(home.index(), event);
  } catch (const std::bad_alloc&) {
    // It will not run; only its memory is kept until the runtime ends.
  }
  return result;
}

}  // namespace vif::sched
