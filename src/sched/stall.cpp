// Context: app, except capture().
#include "sched/stall.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <system_error>

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>

#include "base/atoms.hpp"

namespace vif::sched {
namespace {

using Clock = std::chrono::steady_clock;

// One stack at a time, in the whole process.
std::mutex one_at_a_time;
std::array<void*, 64> frames;  // written by the handler, between `asked` and `taken`
int frame_count = 0;           // the same
enum : uint32_t { nothing, asked, taken };
std::atomic<uint32_t> capture_state{nothing};

std::mutex changes;  // of what follows
int users = 0;
bool unanswered = false;  // a signal was sent and may come yet
std::atomic<int> chosen{0};

// Context: handler.
void capture(int) {
  const int error = errno;
  if (capture_state.load(std::memory_order_acquire) == asked) {
    frame_count = backtrace(frames.data(), static_cast<int>(frames.size()));
    capture_state.store(taken, std::memory_order_release);
    base::RealAtoms::wake(capture_state, 1);
  }
  errno = error;
}

void take_signal() {
  const std::lock_guard guard(changes);
  if (users++ != 0) return;
  void* first[1];
  backtrace(first, 1);  // loads what it needs, which a handler must not
  const int signal = StallDetector::free_signal();
  struct sigaction action {};
  action.sa_handler = capture;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  if (signal != 0 && sigaction(signal, &action, nullptr) == 0) chosen.store(signal, std::memory_order_relaxed);
}

void give_signal_back() {
  const std::lock_guard guard(changes);
  if (--users != 0) return;
  const int signal = chosen.exchange(0, std::memory_order_relaxed);
  // One that comes late must not end the program.
  if (signal != 0) std::signal(signal, unanswered ? SIG_IGN : SIG_DFL);
}

std::string name_of(void* address) {
  Dl_info info;
  char text[512];
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) {
    std::snprintf(text, sizeof text, "%p", address);
    return text;
  }
  std::string name;
  if (info.dli_sname != nullptr) {
    int status = 0;
    char* readable = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
    name = std::string(status == 0 ? readable : info.dli_sname) + " in ";
    std::free(readable);
  }
  std::snprintf(text, sizeof text, "%s(+0x%lx)", info.dli_fname,
                static_cast<unsigned long>(static_cast<char*>(address) - static_cast<char*>(info.dli_fbase)));
  return name + text;
}

// The stack of the thread, without the frames of the signal; empty when the thread does not answer in time.
std::vector<std::string> stack_of(pthread_t thread) {
  const std::lock_guard guard(one_at_a_time);
  const int signal = chosen.load(std::memory_order_relaxed);
  std::vector<std::string> stack;
  if (signal == 0) return stack;
  capture_state.store(asked, std::memory_order_release);
  if (pthread_kill(thread, signal) != 0) return stack;
  const auto until = Clock::now() + std::chrono::milliseconds(200);
  while (capture_state.load(std::memory_order_acquire) == asked && Clock::now() < until) {
    base::RealAtoms::wait(capture_state, asked, 10'000'000);
  }
  uint32_t seen = asked;
  if (capture_state.compare_exchange_strong(seen, nothing, std::memory_order_acquire)) {
    const std::lock_guard changing(changes);
    unanswered = true;
    return stack;
  }
  constexpr int own_frames = 2;  // capture(), and the return from the signal
  for (int i = own_frames; i < frame_count; ++i) stack.push_back(name_of(frames[static_cast<std::size_t>(i)]));
  return stack;
}

}  // namespace

std::string describe(const Stall& stall) {
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(stall.lasts).count();
  std::string text = "Vif: core " + std::to_string(stall.core) + " has been in one handler, of colour " +
                     std::to_string(stall.colour) + ", for " + std::to_string(milliseconds) +
                     " ms; its other events wait. The handler is " + stall.handler +
                     ". Let it do less at once, or give what blocks to a thread of its own.\n";
  for (const std::string& frame : stall.stack) text += "  at " + frame + "\n";
  return text;
}

StallDetector::StallDetector(std::chrono::nanoseconds limit, std::vector<Watched> cores,
                             std::function<bool()> all_sleep, std::function<void(const Stall&)> report)
    : limit_(limit),
      cores_(std::move(cores)),
      all_sleep_(std::move(all_sleep)),
      report_(std::move(report)),
      seen_(cores_.size()) {
  take_signal();
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const auto body = [](void* self) -> void* {
    static_cast<StallDetector*>(self)->run();
    return nullptr;
  };
  const int error = pthread_create(&thread_, nullptr, body, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error == 0) return;
  give_signal_back();
  throw std::system_error(error, std::generic_category(),
                          "Vif cannot start the thread that looks for stalls; unset VIF_STALL_MS to do without");
}

StallDetector::~StallDetector() {
  ends_.store(1, std::memory_order_relaxed);
  base::RealAtoms::wake(ends_, 1);
  pthread_join(thread_, nullptr);
  give_signal_back();
}

int StallDetector::free_signal() noexcept {
  for (int signal = SIGRTMAX; signal >= SIGRTMIN; --signal) {
    struct sigaction present {};
    if (sigaction(signal, nullptr, &present) != 0 || (present.sa_flags & SA_SIGINFO) != 0) continue;
    if (present.sa_handler == SIG_DFL) return signal;
  }
  return 0;
}

int StallDetector::signal() noexcept { return chosen.load(std::memory_order_relaxed); }

void StallDetector::run() {
  const int64_t period = std::max<int64_t>(limit_.count() / 2, 1'000'000);
  while (ends_.load(std::memory_order_relaxed) == 0) {
    base::RealAtoms::wait(ends_, 0, all_sleep_() ? std::max<int64_t>(period, 1'000'000'000) : period);
    for (std::size_t core = 0; core < cores_.size() && ends_.load(std::memory_order_relaxed) == 0; ++core) look(core);
  }
}

void StallDetector::look(std::size_t core) {
  const CoreWork& work = *cores_[core].work;
  Seen& seen = seen_[core];
  const Invoke handler = work.handler.load(std::memory_order_acquire);
  const uint64_t events = work.events.load(std::memory_order_relaxed);
  const auto now = Clock::now();
  if (handler == nullptr || events != seen.events) {
    seen = {events, now, false};
    return;
  }
  if (seen.told || now - seen.since < limit_) return;
  seen.told = true;
  Stall stall{static_cast<int>(core), work.colour.load(std::memory_order_relaxed), now - seen.since,
              name_of(reinterpret_cast<void*>(handler)), stack_of(cores_[core].thread)};
  // It may have ended while its stack was taken: then the stack is of something else.
  if (work.events.load(std::memory_order_relaxed) == events) report_(stall);
}

}  // namespace vif::sched
