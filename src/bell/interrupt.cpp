#include "bell/interrupt.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/options.hpp"
#include "bell/user_interrupt.hpp"

#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL  // Linux 6.9
#endif

namespace vif::bell {
namespace {

// The handler may be taken away while any thread is about to call it. on_signal() counts itself first and reads the
// pointer then, remove_handler() clears the pointer first and reads the count then; both are sequentially consistent,
// so that one of the two sees the other.
std::atomic<void (*)(Interrupt) noexcept> the_handler{nullptr};
std::atomic<uint32_t> under_way{0};
int the_signal = 0;
thread_local volatile bool inside __attribute__((tls_model("initial-exec"))) = false;

// Context: handler
void on_signal(int) { run_handler(Interrupt::signal); }

// A forked child has the memory of the job, but is no rank of it: an interrupt there does nothing. The disposition
// stays, because an ignored signal would stay ignored in a program that the child executes; a handled one is the
// default again.
void forget_handler_in_child() {
  the_handler.store(nullptr, std::memory_order_relaxed);
  under_way.store(0, std::memory_order_relaxed);
  inside = false;
}

bool is_default(int signal) {
  struct sigaction current;
  return sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_DFL;
}

int choose_signal(std::string& error) {
  const std::string wish = base::option("VIF_SIGNAL");
  if (wish != "auto") {
    const int signal = std::atoi(wish.c_str());
    if (signal < SIGRTMIN || signal > SIGRTMAX) {
      error = "VIF_SIGNAL=" + wish + " is not a real-time signal: give a number from " + std::to_string(SIGRTMIN) +
              " to " + std::to_string(SIGRTMAX) + ", or auto.";
      return 0;
    }
    if (!is_default(signal)) {
      error = "VIF_SIGNAL=" + wish + " is already handled or ignored in this process: choose another signal, or auto.";
      return 0;
    }
    return signal;
  }
  for (int signal = SIGRTMAX - 2; signal >= SIGRTMIN; --signal) {
    if (is_default(signal)) return signal;
  }
  error = "Every real-time signal is already used by this program: set VIF_REACTION=sleep to run without interrupts.";
  return 0;
}

// The start time of a process: field 22 of its stat line. 0 when it cannot be read, whether the process is there or
// not. Any context.
uint64_t start_time_of(int process) {
  char path[48], text[1024];
  std::snprintf(path, sizeof path, "/proc/%d/stat", process);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t got = read(fd, text, sizeof text - 1);
  close(fd);
  if (got <= 0) return 0;
  text[got] = '\0';
  const char* at = std::strrchr(text, ')');  // the name may contain anything, even ") "
  if (at == nullptr) return 0;
  ++at;
  for (int field = 3; field <= 22; ++field) {
    at = std::strchr(at, ' ');
    if (at == nullptr) return 0;
    ++at;
    if (field == 22) return std::strtoull(at, nullptr, 10);
  }
  return 0;
}

uint32_t own_pid_space() {
  struct stat space;
  return stat("/proc/self/ns/pid", &space) == 0 ? static_cast<uint32_t>(space.st_ino) : 0;
}

}  // namespace

// Context: handler
void run_handler(Interrupt kind) noexcept {
  const int saved = errno;
  const bool nested = inside;  // a user interrupt may land in the handler of a signal, and the other way round
  inside = true;
  under_way.fetch_add(1, std::memory_order_seq_cst);
  const auto handler = the_handler.load(std::memory_order_seq_cst);
  if (handler != nullptr) handler(kind);
  under_way.fetch_sub(1, std::memory_order_release);
  inside = nested;
  errno = saved;
}

int install_handler(void (*handler)(Interrupt) noexcept, std::string& error) {
  const int signal = choose_signal(error);
  if (signal == 0) return 0;
  static const int registered = pthread_atfork(nullptr, nullptr, forget_handler_in_child);
  if (registered != 0) {
    error = "The children that this program may fork cannot be kept from the interrupt signal: memory is exhausted.";
    return 0;
  }
  the_handler.store(handler, std::memory_order_seq_cst);
  struct sigaction action {};
  action.sa_handler = on_signal;
  // SA_RESTART: system calls that can be restarted are. The others: see foreign_calls.cpp.
  // SA_ONSTACK: a program whose threads have small stacks of their own gives us its alternate stack.
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  if (sigaction(signal, &action, nullptr) != 0) {
    error = std::string("The interrupt signal cannot be handled: ") + std::strerror(errno) + ".";
    return 0;
  }
  sigset_t mine;
  sigemptyset(&mine);
  sigaddset(&mine, signal);
  pthread_sigmask(SIG_UNBLOCK, &mine, nullptr);
  the_signal = signal;
  return signal;
}

void remove_handler() {
  if (the_signal == 0) return;
  // Ignored rather than default: a late interrupt must not end the program.
  struct sigaction action {};
  action.sa_handler = SIG_IGN;
  sigaction(the_signal, &action, nullptr);
  the_signal = 0;
  the_handler.store(nullptr, std::memory_order_seq_cst);
  if (inside) return;                // it would wait for itself
  const timespec moment{0, 50'000};  // sleeping, not yielding: the other thread may be of a lower priority
  while (under_way.load(std::memory_order_seq_cst) != 0) nanosleep(&moment, nullptr);
}

Address own_address(int signal, bool any_thread) {
  Address mine;
  mine.process = getpid();
  mine.thread = any_thread ? 0 : static_cast<int32_t>(syscall(SYS_gettid));
  mine.signal = signal;
  mine.vector_descriptor = vector_descriptor();
  mine.pid_space = own_pid_space();
  mine.start_time = start_time_of(mine.process);
  return mine;
}

Ringer::~Ringer() {
  if (pidfd_ >= 0) close(pidfd_);
  disconnect_user_interrupt(user_);
}

Ringer::Ringer(Ringer&& other) noexcept
    : pidfd_(std::exchange(other.pidfd_, -1)),
      gone_(other.gone_),
      by_number_(std::exchange(other.by_number_, false)),
      user_(std::exchange(other.user_, -1)),
      thread_(other.thread_),
      address_(other.address_) {}

Ringer& Ringer::operator=(Ringer&& other) noexcept {
  std::swap(pidfd_, other.pidfd_);
  std::swap(gone_, other.gone_);
  std::swap(by_number_, other.by_number_);
  std::swap(thread_, other.thread_);
  std::swap(user_, other.user_);
  std::swap(address_, other.address_);
  return *this;
}

bool Ringer::open(const Address& address) {
  if (is_open() || gone_) return is_open();
  if (address.process == 0 || address.pid_space != own_pid_space()) return false;
  address_ = address;
  // Looked at before and after the pidfd is opened: before, because it takes a descriptor and there may be one only;
  // after, because only then is it sure that the pidfd is of the process that was looked at.
  const bool was_there = identity() == Identity::same;
  if (gone_) return false;
  pidfd_ = open_pidfd();
  if (gone_) return false;
  if (pidfd_ >= 0) {
    const Identity now = identity();
    if (now == Identity::same) {
      user_ = connect_user_interrupt(pidfd_, address_.vector_descriptor);
      return true;
    }
    close(pidfd_);
    pidfd_ = -1;
    if (gone_) return false;
  }
  by_number_ = was_there;
  return by_number_;
}

// Whether the process of this number is the one that published the address. Another one in its place: it is gone.
Ringer::Identity Ringer::identity() noexcept {
  const uint64_t started = start_time_of(address_.process);
  if (started == 0 || address_.start_time == 0) return Identity::unknown;
  if (started == address_.start_time) return Identity::same;
  gone_ = true;
  return Identity::other;
}

int Ringer::open_pidfd() noexcept {
  thread_ = 0;
  int fd = -1;
  if (address_.thread != 0) {
    fd = static_cast<int>(syscall(SYS_pidfd_open, address_.thread, PIDFD_THREAD));
    if (fd >= 0) return fd;
    if (errno != EINVAL) {  // EINVAL: a kernel that has no pidfds of threads
      gone_ = errno == ESRCH;
      return -1;
    }
    thread_ = address_.thread;
  }
  fd = static_cast<int>(syscall(SYS_pidfd_open, address_.process, 0));
  if (fd < 0) gone_ = errno == ESRCH;
  return fd;
}

bool Ringer::ring() const noexcept {
  if (!is_open() || address_.signal == 0) return false;
  const int saved = errno;
  const bool rung = by_number_ ? ring_by_number() : ring_by_descriptor();
  errno = saved;
  return rung;
}

bool Ringer::ring_by_descriptor() const noexcept {
  if (thread_ == 0) return syscall(SYS_pidfd_send_signal, pidfd_, address_.signal, nullptr, 0) == 0;
  // Old kernel: the pidfd says that the process lives, the thread is named by number. A process keeps its own thread
  // numbers, so the worst case is another thread of the right process, whose handler passes the interrupt on.
  return syscall(SYS_pidfd_send_signal, pidfd_, 0, nullptr, 0) == 0 &&
         syscall(SYS_tgkill, address_.process, thread_, address_.signal) == 0;
}

// The number may have passed to another process since the last ring, and the signal would end it: looked at each time.
// A ring that cannot be checked is not made; the other side then progresses at its next call.
bool Ringer::ring_by_number() const noexcept {
  if (start_time_of(address_.process) != address_.start_time) return false;
  if (address_.thread == 0) return kill(address_.process, address_.signal) == 0;
  return syscall(SYS_tgkill, address_.process, address_.thread, address_.signal) == 0;
}

void interrupt_self(int signal) noexcept {
  if (receives_user_interrupts()) return user_interrupt_self();
  const int saved = errno;
  syscall(SYS_tgkill, getpid(), static_cast<pid_t>(syscall(SYS_gettid)), signal);
  errno = saved;
}

bool in_handler() noexcept { return inside; }

}  // namespace vif::bell
