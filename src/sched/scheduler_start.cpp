// The memory of the cores, their threads, and fork. Context: app.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <new>
#include <system_error>

#include <sched.h>

#include "sched/scheduler.hpp"
#include "sched/victims.hpp"

namespace vif::sched {
namespace {

// Two lines: processors fetch them in pairs.
constexpr std::size_t padded = 128;

constexpr std::size_t up_to(std::size_t size, std::size_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

// All schedulers of the process, for the child of a fork.
std::mutex all_lock;
std::vector<Scheduler*> all;  // under all_lock

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

// A core blocks signals, so that handlers of events are not interrupted, but for those that a thread causes itself, the
// profilers', and real-time ones (interrupts of the bell).
sigset_t blocked_in_cores() {
  sigset_t set;
  sigfillset(&set);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF, SIGVTALRM}) {
    sigdelset(&set, signal);
  }
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) sigdelset(&set, signal);
  return set;
}

}  // namespace

Scheduler::Scheduler(const Settings& settings, OnException on_exception, void* user,
                     std::function<void(const Stall&)> on_stall)
    : settings_(settings), on_exception_(std::move(on_exception)), user_(user) {
  try {
    make_cores();
    start_threads();
    if (settings_.stall_ns > 0) watch_for_stalls(std::move(on_stall));
  } catch (...) {
    release_cores();
    throw;
  }
}

Scheduler::~Scheduler() {
  stop();
  join();
  {
    const std::lock_guard guard(all_lock);
    all.erase(std::remove(all.begin(), all.end(), this), all.end());
  }
  release_cores();
}

void Scheduler::watch_for_stalls(std::function<void(const Stall&)> on_stall) {
  std::vector<StallDetector::Watched> watched;
  for (std::size_t i = 0; i < cores_.size(); ++i) watched.push_back({&cores_[i]->work(), threads_[i]});
  const auto all_sleep = [this] {
    return std::all_of(lines_.begin(), lines_.end(), [](const CoreLine* line) { return line->door.resting(); });
  };
  try {
    stalls_ = std::make_unique<StallDetector>(std::chrono::nanoseconds(settings_.stall_ns), std::move(watched),
                                              all_sleep, std::move(on_stall));
  } catch (...) {
    stop_now();
    join();
    throw;
  }
}

void Scheduler::release_cores() noexcept {
  for (Core* core : cores_) core->~Core();
  for (CoreLine* line : lines_) line->~CoreLine();
  ::operator delete (memory_, std::align_val_t{padded});
}

// With padding, each core and each line begins on a line of its own and nothing follows on its last one. Without, all
// lines follow each other and so do all cores, as objects in a plain array do.
void Scheduler::make_cores() {
  const auto count = static_cast<std::size_t>(settings_.cores);
  const std::size_t line_step = settings_.padding ? up_to(sizeof(CoreLine), padded) : sizeof(CoreLine);
  const std::size_t core_step = settings_.padding ? up_to(sizeof(Core), padded) : sizeof(Core);
  const std::size_t lines = up_to(line_step * count, padded);
  memory_ = static_cast<std::byte*>(::operator new (lines + core_step * count, std::align_val_t{padded}));
  for (std::size_t i = 0; i < count; ++i) {
    lines_.push_back(new (memory_ + line_step * i) CoreLine);
  }
  for (std::size_t i = 0; i < count; ++i) {
    cores_.push_back(new (memory_ + lines + core_step * i) Core(*this, static_cast<uint16_t>(i), *lines_[i]));
    tallies_.push_back(&cores_.back()->tally());
    places_.push_back(cores_.back()->place());
  }
  outside_.idle();
  tallies_.push_back(&outside_);
}

void Scheduler::start_threads() {
  static const int registered = pthread_atfork([] { all_lock.lock(); }, [] { all_lock.unlock(); }, in_forked_child);
  (void)registered;
  const std::vector<int> cpus = allowed_cpus();
  const bool bind = settings_.bind && cpus.size() == cores_.size();
  if (settings_.steal) {
    std::vector<int> bound(cores_.size(), -1);
    if (bind) bound = cpus;
    for (std::size_t i = 0; i < cores_.size(); ++i) cores_[i]->set_victims(victims(bound, static_cast<int>(i)));
  }
  const sigset_t blocked = blocked_in_cores();
  const std::lock_guard guard(all_lock);
  all.push_back(this);
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    pthread_t thread;
    const auto body = [](void* core) -> void* {
      static_cast<Core*>(core)->run();
      return nullptr;
    };
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, &blocked, &mask);
    const int error = pthread_create(&thread, nullptr, body, cores_[i]);
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    if (error != 0) {
      advance(ended_state);
      for (pthread_t started : threads_) pthread_join(started, nullptr);
      all.pop_back();
      throw std::system_error(
          error, std::generic_category(),
          "Vif cannot start the thread of a core; ask for fewer cores or raise the limit of threads");
    }
    threads_.push_back(thread);
    if (!bind) continue;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(cpus[i]), &set);
    pthread_setaffinity_np(thread, sizeof set, &set);  // refused: the core runs where the system puts it
  }
}

// The threads of the cores are not in the child: nothing may be posted and nobody waited for.
void Scheduler::in_forked_child() noexcept {
  Core::forget_current();
  for (Scheduler* scheduler : all) {
    scheduler->forked_ = true;
    static_cast<void>(scheduler->stalls_.release());  // its thread is not here either
    scheduler->state_.store(ended_state, std::memory_order_relaxed);
  }
  all_lock.unlock();
}

}  // namespace vif::sched
