// A core without work: it hands over what it holds, looks for a while, and sleeps. Context: core.
#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "sched/core.hpp"
#include "sched/scheduler.hpp"
#include "sched/ticks.hpp"

namespace vif::sched {

Core::~Core() {
  for (int end : pipe_) {
    if (end >= 0) close(end);
  }
}

void Core::open_descriptors() {
  if (scheduler_.settings().wake != WakeRule::pipe) return;
  if (pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(),
                            "Vif cannot make the pipe that wakes a core; raise the limit of open files (ulimit -n)");
  }
}

void Core::idle() {
  hand_over_all();
  memory_.hand_back();
  const uint32_t arrivals = arrivals_.load(std::memory_order_relaxed);
  if (!nothing_to_run()) return;
  const int64_t began = ticks();
  const int64_t budget = waiting_.budget();
  int64_t now = began;
  if (budget > 0 && look_for(budget, began, arrivals)) {
    now = ticks();
    waiting_.came(now - began);
  } else {
    if (budget > 0) now = ticks();
    sleep(now - began);
    now = ticks();
  }
  looked_at_ = now;
  events_since_look_ = 0;
}

// True: the core counts as idle, and must be woken when something comes.
bool Core::nothing_to_run() {
  if (locked_) return nothing_locked();
  take_in();
  if (something_to_run()) return false;
  tally_.idle();
  return true;
}

// True: something came, or the end.
bool Core::look_for(int64_t budget, int64_t began, uint32_t arrivals) {
  do {
    for (int look = 0; look < 32; ++look) {
      if (!line_.door.untouched() || !tray_.empty()) return true;
      if (locked_ && arrivals_.load(std::memory_order_relaxed) != arrivals) return true;
      base::RealAtoms::pause();
    }
    base::RealAtoms::fence();
    scheduler_.watchers().core_is_idle();
    if (scheduler_.ended()) return true;
  } while (ticks() - began < budget);
  return false;
}

void Core::sleep(int64_t looked) {
  const bool by_descriptor = pipe_[0] >= 0;
  line_.door.rest(by_descriptor ? bell::Posture::away : bell::Posture::sleeping);
  if (!nothing_to_run() || scheduler_.ended()) {
    line_.door.stand_up();
    return;
  }
  base::RealAtoms::fence();
  scheduler_.watchers().core_is_idle();
  const int64_t began = ticks();
  if (by_descriptor) {
    pollfd end{pipe_[0], POLLIN, 0};
    poll(&end, 1, -1);
    char byte;
    while (read(pipe_[0], &byte, 1) == 1) {
    }
  } else {
    line_.door.sleep(-1);
  }
  line_.door.stand_up();
  const int64_t now = ticks();
  const int64_t rung_at = line_.rung_at.load(std::memory_order_relaxed);
  if (rung_at >= began) waiting_.woke(now - rung_at);
  waiting_.slept(looked, now - began);
}

void Core::wake_through_descriptor() noexcept {
  const char byte = 1;
  // A full pipe wakes the core too.
  [[maybe_unused]] const ssize_t written = write(pipe_[1], &byte, 1);
}

}  // namespace vif::sched
