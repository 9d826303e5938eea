#include "bell/emulator.hpp"

#include <atomic>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace vif::test {
namespace {

constexpr uint64_t mark = 0x6469'7075'5f66'6976;
constexpr uint32_t outstanding = 1;
constexpr uint64_t red_zone = 128;
constexpr uint64_t page_bytes = 4096;

// Of one receiver, shared with those who send to it. All accesses are sequentially consistent, as those of the CPU are.
struct Descriptor {
  std::atomic<uint32_t> status;     // bit 0: a notification is outstanding
  std::atomic<uint64_t> requested;  // vectors
  uint64_t marked;
  int32_t process, thread, signal;
};

struct Target {
  enum State : uint32_t { empty, changing, valid };
  std::atomic<uint32_t> state{empty};
  Descriptor* descriptor = nullptr;
  int pidfd = -1;  // so that a process that took over the number is not signalled
  uint32_t vector = 0;
};
Target targets[emulator_table_size];

// What the CPU keeps for a thread.
struct Receiver {
  uint64_t entry = 0;
  uint64_t pending = 0;  // vectors recognised, not delivered
  Descriptor* descriptor = nullptr;
  int file = -1;
  bool enabled = false;  // UIF
};
#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))
thread_local Receiver self INITIAL_EXEC;
thread_local EmulatorCounts counts INITIAL_EXEC;

int the_signal = 0;

using Register = unsigned long long;  // greg_t without its sign

Register& reg(ucontext_t& context, int index) { return reinterpret_cast<Register&>(context.uc_mcontext.gregs[index]); }

void recognise() {
  if (self.descriptor == nullptr) return;
  self.descriptor->status.fetch_and(~outstanding);
  self.pending |= self.descriptor->requested.exchange(0);
}

// The thread goes on at its entry, as if the CPU had pushed the frame. It is pushed below everything that this signal
// handler itself has on the same stack, and all signals are blocked until it returns: nothing overwrites it.
void deliver(ucontext_t& context) {
  if (!self.enabled || self.pending == 0 || self.entry == 0) return;
  const auto vector = static_cast<uint64_t>(63 - std::countl_zero(self.pending));
  self.pending &= ~(uint64_t{1} << vector);
  const uint64_t interrupted = reg(context, REG_RSP);
  uint64_t top = interrupted - red_zone;
  const auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  constexpr uint64_t largest_signal_frame = 64 * 1024;
  if (here < interrupted && interrupted - here < largest_signal_frame) top = here - 1024;
  auto* frame = reinterpret_cast<uint64_t*>(top & ~uint64_t{15});
  *--frame = interrupted;
  *--frame = reg(context, REG_EFL);
  *--frame = reg(context, REG_RIP);
  *--frame = vector;
  self.enabled = false;
  constexpr uint64_t trap_and_resume = 0x10100;
  reg(context, REG_RSP) = reinterpret_cast<uint64_t>(frame);
  reg(context, REG_RIP) = self.entry;
  reg(context, REG_EFL) &= ~trap_and_resume;
  ++counts.deliveries;
}

void on_notification(int, siginfo_t*, void* context) {
  const int saved = errno;
  ++counts.notifications;
  recognise();
  deliver(*static_cast<ucontext_t*>(context));
  errno = saved;
}

void send(uint64_t index) {
  if (index >= emulator_table_size || targets[index].state.load() != Target::valid) {
    std::signal(SIGSEGV, SIG_DFL);  // the CPU raises #GP
    raise(SIGSEGV);
    return;
  }
  const Target& target = targets[index];
  Descriptor& descriptor = *target.descriptor;
  descriptor.requested.fetch_or(uint64_t{1} << target.vector);
  if ((descriptor.status.fetch_or(outstanding) & outstanding) != 0) return;
  if (target.pidfd >= 0 && syscall(SYS_pidfd_send_signal, target.pidfd, 0, nullptr, 0) != 0) return;
  syscall(SYS_tgkill, descriptor.process, descriptor.thread, descriptor.signal);
}

void return_from_interrupt(ucontext_t& context) {
  const auto* frame = reinterpret_cast<const uint64_t*>(reg(context, REG_RSP));
  constexpr uint64_t changeable = 0x254dd5;
  reg(context, REG_RIP) = frame[0];
  reg(context, REG_EFL) = (reg(context, REG_EFL) & ~changeable) | (frame[1] & changeable);
  reg(context, REG_RSP) = frame[2];
  self.enabled = true;
  recognise();
  deliver(context);
}

// The register that holds the operand, by its number in the instruction.
constexpr int registers[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                               REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

// False: none of the five.
bool emulate(ucontext_t& context) {
  const auto* at = reinterpret_cast<const uint8_t*>(reg(context, REG_RIP));
  uint64_t length = 1;
  uint8_t extension = 0;
  if (at[0] != 0xf3) return false;
  if ((at[length] & 0xf0) == 0x40) extension = at[length++];  // REX
  if (at[length] != 0x0f) return false;
  const uint8_t code = at[length + 1], last = at[length + 2];
  length += 3;
  if (code == 0xc7 && (last & 0xf8) == 0xf0) {  // senduipi
    send(reg(context, registers[(last & 7) | ((extension & 1) << 3)]));
    reg(context, REG_RIP) += length;
    return true;
  }
  if (code != 0x01 || last < 0xec || last > 0xef) return false;
  if (last == 0xec) {
    return_from_interrupt(context);
    return true;
  }
  reg(context, REG_RIP) += length;
  constexpr uint64_t arithmetic_flags = 0x8d5;
  if (last == 0xee) self.enabled = false;  // clui
  if (last == 0xed) reg(context, REG_EFL) = (reg(context, REG_EFL) & ~arithmetic_flags) | (self.enabled ? 1 : 0);
  if (last == 0xef) {  // stui
    self.enabled = true;
    recognise();
    deliver(context);
  }
  return true;
}

void on_illegal_instruction(int, siginfo_t*, void* context) {
  const int saved = errno;
  if (emulate(*static_cast<ucontext_t*>(context))) {
    ++counts.instructions;
  } else {
    std::signal(SIGILL, SIG_DFL);  // again, and then it ends the program
  }
  errno = saved;
}

void forget_in_child() {
  self = Receiver();
  for (Target& target : targets) target.state.store(Target::empty);
}

bool handle(int signal, void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | flags;
  sigfillset(&action.sa_mask);
  return sigaction(signal, &action, nullptr) == 0;
}

// Once per process, by the first that needs it.
bool begin() {
  static const bool begun = [] {
    for (int signal = SIGRTMIN; signal <= SIGRTMAX && the_signal == 0; ++signal) {
      struct sigaction now {};
      if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) the_signal = signal;
    }
    return the_signal != 0 && handle(the_signal, on_notification, SA_RESTART) &&
           handle(SIGILL, on_illegal_instruction, 0) && pthread_atfork(nullptr, nullptr, forget_in_child) == 0;
  }();
  return begun;
}

Descriptor* map(int file) {
  void* page = mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return page == MAP_FAILED ? nullptr : static_cast<Descriptor*>(page);
}

int register_handler(void* entry, unsigned flags) {
  if ((flags & ~bell::wake_blocked_receiver) != 0 || entry == nullptr) return -EINVAL;
  if (self.entry != 0) return -EBUSY;
  if (!begin()) return -ENOSYS;
  const int file = memfd_create("user-interrupts", MFD_CLOEXEC);
  if (file < 0) return -errno;
  Descriptor* descriptor = ftruncate(file, page_bytes) == 0 ? map(file) : nullptr;
  if (descriptor == nullptr) {
    close(file);
    return -ENOMEM;
  }
  descriptor->process = getpid();
  descriptor->thread = gettid();
  descriptor->signal = the_signal;
  descriptor->marked = mark;
  self = {.entry = reinterpret_cast<uint64_t>(entry), .descriptor = descriptor, .file = file};
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, the_signal);
  pthread_sigmask(SIG_UNBLOCK, &ours, nullptr);
  return 0;
}

int unregister_handler(unsigned flags) {
  if (flags != 0 || self.entry == 0) return -EINVAL;
  Descriptor* descriptor = self.descriptor;
  descriptor->status.fetch_or(outstanding);  // nobody notifies any more
  close(self.file);
  self = Receiver();
  munmap(descriptor, page_bytes);
  return 0;
}

int vector_descriptor(uint64_t vector, unsigned flags) {
  if (flags != 0 || vector > 63 || self.entry == 0) return -EINVAL;
  char path[40];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", self.file);
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return -errno;
  lseek(file, static_cast<off_t>(vector), SEEK_SET);
  return file;
}

int register_sender(int file, unsigned flags) {
  const off_t vector = lseek(file, 0, SEEK_CUR);
  if (flags != 0 || vector < 0 || vector > 63 || !begin()) return -EINVAL;
  Descriptor* descriptor = map(file);
  if (descriptor == nullptr) return -ENOMEM;
  for (int index = 0; descriptor->marked == mark && index < emulator_table_size; ++index) {
    uint32_t seen = Target::empty;
    if (!targets[index].state.compare_exchange_strong(seen, Target::changing)) continue;
    targets[index].descriptor = descriptor;
    targets[index].vector = static_cast<uint32_t>(vector);
    targets[index].pidfd = static_cast<int>(syscall(SYS_pidfd_open, descriptor->process, 0));
    targets[index].state.store(Target::valid);
    return index;
  }
  const int result = descriptor->marked == mark ? -ENOSPC : -EINVAL;
  munmap(descriptor, page_bytes);
  return result;
}

int unregister_sender(int index, unsigned flags) {
  uint32_t seen = Target::valid;
  if (flags != 0 || index < 0 || index >= emulator_table_size ||
      !targets[index].state.compare_exchange_strong(seen, Target::changing)) {
    return -EINVAL;
  }
  munmap(targets[index].descriptor, page_bytes);
  if (targets[index].pidfd >= 0) close(targets[index].pidfd);
  targets[index].state.store(Target::empty);
  return 0;
}

constexpr bell::UserInterruptCalls calls{register_handler, unregister_handler, vector_descriptor,
                                         register_sender,  unregister_sender,  [] { return the_signal; }};

}  // namespace

EmulatorCounts emulator_counts() noexcept { return counts; }

}  // namespace vif::test

const vif::bell::UserInterruptCalls* vif_user_interrupt_emulation() { return &vif::test::calls; }
