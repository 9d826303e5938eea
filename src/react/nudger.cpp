#include "react/nudger.hpp"

#include <csignal>
#include <system_error>

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "react/levers.hpp"

namespace vif::react {
namespace {

// What the subject has used too much is made up for by standing back, whatever the period: half as long a period gives
// twice as many delays of half the length. Two milliseconds is the most that 1 in 1000 may take.
constexpr int64_t period_ns = 1'700'000;
constexpr int64_t after_a_wait_ns = 20'000'000;  // beyond, the subject has its share again
constexpr int64_t idle_ns = 500'000'000;
constexpr int64_t try_again_ns = 1'000'000'000;

}  // namespace

void Nudger::keep(int64_t now_ns, int cpu) noexcept {
  if (cpu_.load(std::memory_order_relaxed) != cpu) cpu_.store(cpu, std::memory_order_relaxed);
  wanted_until_ns_.store(now_ns + after_a_wait_ns, std::memory_order_relaxed);
  if (!tenure_.is_present()) {
    if (refused_ns_ == 0 || now_ns - refused_ns_ > try_again_ns) start();
    return;
  }
  // Partner: rest(), which announces its sleep before it looks at the time again. ring() has the fence.
  posture_.ring(true);
}

void Nudger::start() noexcept {
  const std::lock_guard guard(starting_);
  if (stopping_.load(std::memory_order_relaxed) || !tenure_.begin()) return;
  if (helper_.joinable()) helper_.join();  // the last one: it has ended, or is about to
  // It takes no signal of the program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    helper_ = std::thread([this] { work(); });
  } catch (const std::system_error&) {
    refused_ns_ = base::now_ns();
    tenure_.abandon();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Nudger::stop() noexcept {
  stopping_.store(true, std::memory_order_release);
  posture_.ring(true);
  const std::lock_guard guard(starting_);
  if (helper_.joinable()) helper_.join();
}

void Nudger::abandon() noexcept {
  if (helper_.joinable()) helper_.detach();
}

void Nudger::work() noexcept {
  pthread_setname_np(pthread_self(), "vif-nudge");
  Hand hand;
  hand.pull(Lever::slice);
  bound_ = -1;
  while (!stopping_.load(std::memory_order_acquire)) {
    follow();
    if (base::now_ns() > wanted_until_ns_.load(std::memory_order_relaxed)) {
      if (!rest()) return;
    } else {
      base::RealAtoms::wait(never_, 0, period_ns);  // to wake up is the nudge
      nudges_.fetch_add(1, std::memory_order_relaxed);
      if (subject_.is_stuck(subject_.self)) stuck_.fetch_add(1, std::memory_order_relaxed);
    }
  }
}

// False: nobody has wanted it for so long that it ends.
bool Nudger::rest() noexcept {
  posture_.rest(bell::Posture::sleeping);
  bool rung = true;
  if (base::now_ns() > wanted_until_ns_.load(std::memory_order_relaxed) && !stopping_.load(std::memory_order_relaxed)) {
    posture_.sleep(idle_ns);
    rung = posture_.peek() != bell::Posture::sleeping;
  }
  posture_.be_quiet();
  return rung || !tenure_.may_go();
}

void Nudger::follow() noexcept {
  const int cpu = cpu_.load(std::memory_order_relaxed);
  if (cpu == bound_ || cpu < 0 || cpu >= CPU_SETSIZE) return;
  cpu_set_t there;
  CPU_ZERO(&there);
  CPU_SET(cpu, &there);
  sched_setaffinity(0, sizeof there, &there);  // refused: it nudges where it is
  bound_ = cpu;
}

}  // namespace vif::react
