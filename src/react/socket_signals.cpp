#include "react/socket_signals.hpp"

#include <cerrno>
#include <csignal>
#include <new>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bell/interrupt.hpp"

namespace vif::react {
namespace {

void do_nothing(int) {}

bool is(int signal, void (*disposition)(int)) noexcept {
  struct sigaction current;
  return sigaction(signal, nullptr, &current) == 0 && (current.sa_flags & SA_SIGINFO) == 0 &&
         current.sa_handler == disposition;
}

void set(int signal, void (*disposition)(int)) noexcept {
  struct sigaction action {};
  action.sa_handler = disposition;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigaction(signal, &action, nullptr);
}

}  // namespace

bool blocks_signal(int signal) noexcept {
  sigset_t now;
  return pthread_sigmask(SIG_BLOCK, nullptr, &now) == 0 && sigismember(&now, signal) == 1;
}

bool SocketSignals::open(int signal, int capacity) noexcept {
  close();
  descriptors_.reset(new (std::nothrow) int[static_cast<size_t>(capacity)]);
  if (descriptors_ == nullptr) return false;
  capacity_ = capacity;
  signal_ = signal;
  // A handler, not SIG_IGN: an ignored signal stays ignored in programs that this one executes.
  if (is(SIGIO, SIG_DFL)) {
    set(SIGIO, do_nothing);
    guards_ = true;
  }
  return true;
}

void SocketSignals::close() noexcept {
  disarm();
  if (guards_ && is(SIGIO, do_nothing)) set(SIGIO, SIG_DFL);
  guards_ = false;
  descriptors_.reset();
  capacity_ = count_ = left_out_ = 0;
}

bool SocketSignals::add(int descriptor) noexcept {
  if (count_ == capacity_) {
    ++left_out_;
    return false;
  }
  descriptors_[static_cast<size_t>(count_++)] = descriptor;
  if (armed_) report(descriptor, thread_);
  return true;
}

void SocketSignals::remove(int descriptor) noexcept {
  for (int i = 0; i < count_; ++i) {
    int& at = descriptors_[static_cast<size_t>(i)];
    if (at != descriptor) continue;
    if (armed_) hush(descriptor);
    at = descriptors_[static_cast<size_t>(--count_)];
    return;
  }
  if (left_out_ > 0) --left_out_;
}

bool SocketSignals::report(int descriptor, int32_t thread) noexcept {
  f_owner_ex owner{F_OWNER_TID, thread};
  const int flags = fcntl(descriptor, F_GETFL);
  return flags >= 0 && fcntl(descriptor, F_SETOWN_EX, &owner) == 0 && fcntl(descriptor, F_SETSIG, signal_) == 0 &&
         fcntl(descriptor, F_SETFL, flags | O_ASYNC) == 0;
}

void SocketSignals::hush(int descriptor) noexcept {
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags >= 0) fcntl(descriptor, F_SETFL, flags & ~O_ASYNC);
}

const char* SocketSignals::arm(int32_t thread) noexcept {
  if (capacity_ == 0 || signal_ == 0) return "the interrupt signal is not used";
  if (left_out_ != 0) return "there are more descriptors than signals are asked for";
  // Inside the handler it is blocked, and will not be when the handler returns.
  if (!bell::in_handler() && thread == static_cast<int32_t>(syscall(SYS_gettid)) && blocks_signal(signal_)) {
    return "the program blocks the interrupt signal";
  }
  if (armed_ && thread == thread_) return nullptr;
  thread_ = thread;
  armed_ = true;
  for (int i = 0; i < count_; ++i) {
    if (report(descriptors_[static_cast<size_t>(i)], thread)) continue;
    disarm();
    return "a descriptor does not support signals";
  }
  return nullptr;
}

void SocketSignals::disarm() noexcept {
  if (!armed_) return;
  const int saved = errno;
  for (int i = 0; i < count_; ++i) hush(descriptors_[static_cast<size_t>(i)]);
  armed_ = false;
  errno = saved;
}

}  // namespace vif::react
