// Interrupts between threads and between processes: by a real-time signal, and by user interrupts (user_interrupt.hpp)
// to the one thread of a process that receives them.
//
// The signal is chosen so that the program keeps SIGUSR1, SIGUSR2 and every signal it handles: VIF_SIGNAL names it,
// else the highest real-time signal whose disposition is still the default. It is never raised in a process that has
// not armed its bell.
#pragma once

#include <csignal>
#include <cstdint>
#include <string>

#include "bell/user_interrupt.hpp"

namespace vif::bell {

// Identity of a thread that can be interrupted, published in shared memory by the thread itself.
struct Address {
  int32_t process = 0;             // pid
  int32_t thread = 0;              // tid; 0: any thread of the process
  int32_t signal = 0;              // 0: cannot be interrupted
  int32_t vector_descriptor = -1;  // of its user interrupts; -1: takes none
  uint32_t pid_space = 0;          // inode of the pid name space: pids of another one mean nothing here
  uint64_t start_time = 0;         // of the process, in clock ticks since boot: tells a reused pid
};

enum class Interrupt : uint8_t { signal, user };

// App context. Installs `handler` for the interrupt signal (once per process), and for the user interrupts that the
// process may take later. Returns the signal number, or 0 with a full sentence in `error`.
int install_handler(void (*handler)(Interrupt) noexcept, std::string& error);
// App context. When it returns, no thread is in the handler, and none will be (from inside the handler: but this one).
// The signal is left ignored. In a forked child there is no handler from the start.
void remove_handler();

// App context. The address of the calling thread (any_thread: of the process).
Address own_address(int signal, bool any_thread);

// Raises the interrupt in another thread. Holds a pidfd, so that a process that took over the pid of a dead one is
// never hit. Where none can be had (forbidden, an old kernel, no descriptor left) but /proc shows the right process,
// process and thread are named by number, after a look at /proc at each ring: the only case where a reused pid is not
// excluded, between that look and the signal. ring() is safe in a handler; open() takes no lock and no memory.
class Ringer {
 public:
  Ringer() = default;
  ~Ringer();
  Ringer(const Ringer&) = delete;
  Ringer& operator=(const Ringer&) = delete;
  Ringer(Ringer&& other) noexcept;
  Ringer& operator=(Ringer&& other) noexcept;

  // Any context, one at a time. False when the thread is gone(), or cannot be reached (now: no descriptors, no
  // permission, /proc unreadable; ever: another pid name space); then it may be tried again. Does nothing when open or
  // gone.
  bool open(const Address& address);
  bool is_open() const noexcept { return pidfd_ >= 0 || by_number_; }
  // open() found that the thread or its process has ended, as opposed to: cannot be reached.
  bool gone() const noexcept { return gone_; }
  // Readable when the process (or thread) has ended; -1 when it is named by number.
  int pidfd() const noexcept { return pidfd_; }
  // Any context. False when the thread is gone, or named by number and not to be checked now.
  bool ring() const noexcept;
  // Any context. The same by a user interrupt: false when there is no connection for those. Whether the thread is gone
  // cannot be seen.
  bool ring_user() const noexcept {
    if (user_ < 0) return false;
    send_user_interrupt(user_);
    return true;
  }

 private:
  enum class Identity { same, other, unknown };

  Identity identity() noexcept;
  int open_pidfd() noexcept;
  bool ring_by_descriptor() const noexcept;
  bool ring_by_number() const noexcept;

  int pidfd_ = -1;
  bool gone_ = false;
  bool by_number_ = false;
  int user_ = -1;       // of the connection for user interrupts
  int32_t thread_ = 0;  // for kernels without thread pidfds: the thread to name, 0 when the pidfd does
  Address address_;
};

// Any context: raise the interrupt in the calling thread (it lands when its handler has returned). By a user interrupt
// where the thread receives them.
void interrupt_self(int signal) noexcept;

// True while the calling thread is inside the interrupt handler.
bool in_handler() noexcept;

// Context: handler. What an interrupt of any kind runs.
void run_handler(Interrupt kind) noexcept;

}  // namespace vif::bell
