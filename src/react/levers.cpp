#include "react/levers.hpp"

#include <cerrno>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace vif::react {
namespace {

constexpr uint64_t short_slice_ns = 100'000;  // the least that the kernel takes
constexpr uint32_t lowest_realtime = 1;
constexpr uint64_t reset_on_fork = 1;  // SCHED_FLAG_RESET_ON_FORK

// The kernel's struct sched_attr; the C library has none.
struct Attributes {
  uint32_t size = sizeof(Attributes);
  uint32_t policy = SCHED_OTHER;
  uint64_t flags = 0;
  int32_t nice = 0;
  uint32_t priority = 0;
  uint64_t runtime = 0;  // of an ordinary thread: the slice, since Linux 6.12; 0: the system's own
  uint64_t deadline = 0;
  uint64_t period = 0;
};

bool get(Attributes& now) noexcept { return syscall(SYS_sched_getattr, 0, &now, sizeof now, 0) == 0; }

bool set(uint32_t policy, int32_t nice, uint32_t priority, uint64_t slice_ns, uint64_t flags) noexcept {
  Attributes wanted;
  wanted.policy = policy;
  wanted.nice = nice;
  wanted.priority = priority;
  wanted.runtime = slice_ns;
  wanted.flags = flags;
  return syscall(SYS_sched_setattr, 0, &wanted, 0) == 0;
}

}  // namespace

const char* name_of(Lever lever) noexcept {
  switch (lever) {
    case Lever::none:
      return "none";
    case Lever::slice:
      return "slice";
    case Lever::nudge:
      return "nudge";
    default:
      return "realtime";
  }
}

bool Hand::pull(Lever lever) noexcept {
  if (lever == held_ || lever == Lever::none || refused_) return lever == held_;
  const int saved = errno;
  Attributes now;
  if (get(now) && now.policy == SCHED_OTHER) {
    nice_ = now.nice;
    const bool done = lever == Lever::realtime ? set(SCHED_FIFO, 0, lowest_realtime, 0, reset_on_fork)
                                               : set(SCHED_OTHER, nice_, 0, short_slice_ns, reset_on_fork);
    if (done) held_ = lever;
  }
  refused_ = held_ != lever;
  errno = saved;
  return !refused_;
}

void Hand::let_go() noexcept {
  if (held_ == Lever::none) return;
  const int saved = errno;
  if (!set(SCHED_OTHER, nice_, 0, 0, 0)) set(SCHED_OTHER, nice_, 0, 0, reset_on_fork);
  held_ = Lever::none;
  errno = saved;
}

Lever probe_lever(Lever wish) noexcept {
  Hand hand;
  Lever found = Lever::none;
  if (wish == Lever::realtime && hand.pull(Lever::realtime)) found = Lever::realtime;
  if (found == Lever::none && wish > Lever::slice) found = Lever::nudge;
  if (wish == Lever::slice) {
    Attributes now;
    // Older kernels take the call and ignore the slice.
    if (hand.pull(Lever::slice) && get(now) && now.runtime == short_slice_ns) found = Lever::slice;
  }
  hand.let_go();
  return found;
}

std::string describe_levers() {
  std::string text = probe_lever(Lever::slice) == Lever::slice
                         ? "slices of 0.1 ms can be asked for"
                         : "slices of 0.1 ms cannot be asked for (Linux 6.12 and later give them)";
  text += probe_lever(Lever::realtime) == Lever::realtime
              ? "; real-time priority can be had"
              : "; real-time priority is refused (it needs CAP_SYS_NICE, or ulimit -r of 1 or more)";
  return text;
}

}  // namespace vif::react
