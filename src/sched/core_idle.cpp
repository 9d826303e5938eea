// A core without work: it hands over what it holds, looks for a while, and sleeps. Context: core.
#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include "sched/core.hpp"
#include "sched/scheduler.hpp"
#include "sched/ticks.hpp"

namespace vif::sched {
namespace {

constexpr uint32_t longest_theft_pause = 32;  // in looks at the own inbox, 32 at a time: 20 us or so

}  // namespace

Core::~Core() {
  const int waited_on = wake_ends_[0].load(std::memory_order_relaxed);
  const int written = wake_ends_[1].load(std::memory_order_relaxed);
  if (waited_on >= 0) close(waited_on);
  if (written >= 0 && written != waited_on) close(written);
}

void Core::open_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(),
                            "Vif cannot make the pipe that wakes a core; raise the limit of open files (ulimit -n)");
  }
  wake_ends_[0].store(ends[0], std::memory_order_relaxed);
  wake_ends_[1].store(ends[1], std::memory_order_relaxed);
}

void Core::idle() {
  hand_over_all();
  place_.flush();
  const uint32_t arrivals = arrivals_.load(std::memory_order_relaxed);
  if (scheduler_.stopping()) {
    let_go_of_all();
  } else if (has_sources()) {
    poll_sources(0);
  }
  if (held_ != 0) hand_over_all();  // what destructors of watches have posted
  if (!nothing_to_run()) return;
  if (stealing_ && steal()) return;
  const int64_t began = ticks();
  const int64_t budget = waiting_.budget();
  const int64_t worked = began - resumed_at_;
  const bool came = budget > 0 && look_for(budget, began, arrivals);
  if (!came) sleep(worked, began);
  resumed_at_ = looked_at_ = ticks();
  if (came) waiting_.came(worked, resumed_at_ - began);
  events_since_look_ = 0;
}

// True: the core counts as idle, and must be woken when something comes.
bool Core::nothing_to_run() {
  if (locked_) return nothing_locked();
  if (stealing_) return nothing_stealing();
  take_in();
  if (something_to_run()) return false;
  count_as_idle();
  return true;
}

void Core::count_as_idle() noexcept {
  if (tally_.idle()) scheduler_.core_is_idle();
}

// True: something came, or the end.
bool Core::look_for(int64_t budget, int64_t began, uint32_t arrivals) {
  for (int64_t now = began;;) {
    for (int look = 0; look < 32; ++look) {
      if (!line_.door.untouched() || !tray_.empty()) return true;
      if (locked_ && arrivals_.load(std::memory_order_relaxed) != arrivals) return true;
      base::RealAtoms::pause();
    }
    if (scheduler_.ended() || line_.signal_news.load(std::memory_order_relaxed) != 0) return true;
    if (has_sources() && poll_sources(0)) return true;
    // A thief may have emptied the inbox meanwhile, and made this core count as busy by that.
    if (stealing_ && !nothing_to_run()) return true;
    // To look at the victims' lines slows them down: less and less often where there is nothing to be had.
    if (stealing_ && ++unstolen_ >= theft_pause_) {
      unstolen_ = 0;
      if (steal()) return true;
      theft_pause_ = std::min(2 * theft_pause_, longest_theft_pause);
    }
    const int64_t before = std::exchange(now, ticks());
    if (now - began >= budget) return false;
    if (now - before < contested_ticks_) continue;
    // The system has given the CPU to somebody else meanwhile: to look for work costs others theirs.
    waiting_.contested();
    if (budget != Waiting::for_ever) return false;
    sched_yield();
  }
}

// After having worked for `worked`, the core is idle since `idle_since`.
void Core::sleep(int64_t worked, int64_t idle_since) {
  const bool watches = descriptors_ && !descriptors_->empty();
  const bool by_pipe = scheduler_.settings().wake == WakeRule::pipe;
  line_.door.rest(watches || by_pipe ? bell::Posture::away : bell::Posture::sleeping);
  if (!nothing_to_run() || scheduler_.ended() || line_.signal_news.load(std::memory_order_relaxed) != 0) {
    line_.door.stand_up();
    return;
  }
  int64_t timeout_ns = until_next_timer();
  if (stealing_) {
    const int64_t nap_ns = until_next_theft();
    timeout_ns = timeout_ns < 0 ? nap_ns : std::min(timeout_ns, nap_ns);
  }
  const int64_t began = ticks();
  if (watches) {
    poll_sources(timeout_ns);
  } else if (by_pipe) {
    wait_on_pipe(timeout_ns);
  } else {
    line_.door.sleep(timeout_ns);
  }
  line_.door.stand_up();
  fire_timers();
  const int64_t now = ticks();
  const int64_t rung_at = line_.rung_at.load(std::memory_order_relaxed);
  const bool was_rung = rung_at >= began;
  if (was_rung) waiting_.woke(now - rung_at);
  waiting_.slept(worked, (was_rung ? rung_at : now) - idle_since, now - began);
}

void Core::wait_on_pipe(int64_t timeout_ns) noexcept {
  const int end = wake_ends_[0].load(std::memory_order_relaxed);
  pollfd waited{end, POLLIN, 0};
  const timespec limit{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
  ppoll(&waited, 1, timeout_ns < 0 ? nullptr : &limit, nullptr);
  char bytes[64];
  while (read(end, bytes, sizeof bytes) > 0) {
  }
}

void Core::wake_through_descriptor() noexcept {
  const uint64_t one = 1;  // eight bytes, as an event descriptor wants
  // A full pipe wakes the core too.
  [[maybe_unused]] const ssize_t written = write(wake_ends_[1].load(std::memory_order_acquire), &one, sizeof one);
}

}  // namespace vif::sched
