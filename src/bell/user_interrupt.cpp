#include "bell/user_interrupt.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cpuid.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bell/interrupt.hpp"
#include "bell/user_interrupt_entry.hpp"

#ifndef VIF_UINTR_CALLS
#define VIF_UINTR_CALLS 0
#endif

namespace vif::bell {
namespace {

// The first of five consecutive numbers: register_handler, unregister_handler, vector_fd, register_sender,
// unregister_sender.
constexpr long first_call = VIF_UINTR_CALLS;

int result_of(long value) noexcept { return value < 0 ? -errno : static_cast<int>(value); }

constexpr UserInterruptCalls kernel_calls{
    [](void* entry, unsigned flags) { return result_of(syscall(first_call, entry, flags)); },
    [](unsigned flags) { return result_of(syscall(first_call + 1, flags)); },
    [](uint64_t vector, unsigned flags) { return result_of(syscall(first_call + 2, vector, flags)); },
    [](int descriptor, unsigned flags) { return result_of(syscall(first_call + 3, descriptor, flags)); },
    [](int index, unsigned flags) { return result_of(syscall(first_call + 4, index, flags)); },
    [] { return 0; },
};

const UserInterruptCalls* emulation() {
  auto* door = reinterpret_cast<EmulationDoor*>(dlsym(RTLD_DEFAULT, emulation_symbol));
  return door != nullptr ? door() : nullptr;
}

bool cpu_has_them() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & 1u << 5) != 0;
}

// The kernel names there the features that it knows, not those that the CPU has.
bool kernel_knows_them() {
  FILE* file = std::fopen("/proc/cpuinfo", "re");
  if (file == nullptr) return false;
  char* line = nullptr;
  size_t room = 0;
  bool known = false;
  while (!known && getline(&line, &room, file) > 0) {
    if (std::strncmp(line, "flags", 5) != 0) continue;
    for (char* word = std::strtok(line, " \t\n"); word != nullptr; word = std::strtok(nullptr, " \t\n")) {
      if (std::strcmp(word, "uintr") == 0) known = true;
    }
    break;  // the same for all CPUs
  }
  std::free(line);
  std::fclose(file);
  return known;
}

const UserInterruptCalls* calls = nullptr;  // written once, by look()

UserInterruptSupport look() {
  UserInterruptSupport found;
  found.cpu = cpu_has_them();
  found.kernel = found.cpu && kernel_knows_them();
  found.built = first_call != 0;
  found.emulated = emulation() != nullptr;
  calls = found.in_hardware() ? &kernel_calls : emulation();
  return found;
}

// The receiver of this process. Written by the app thread that registers and unregisters.
void (*when_departed)() noexcept = nullptr;
int peers_descriptor = -1, own_descriptor = -1;
int self_index = -1;

// Initial-exec: read in handlers, which must not allocate.
thread_local bool receiving __attribute__((tls_model("initial-exec"))) = false;

// Ends with the thread that received.
struct Farewell {
  ~Farewell() {
    if (!receiving) return;
    const auto tell = when_departed;
    stop_receiving_user_interrupts();
    if (tell != nullptr) tell();
  }
};

void forget_receiver_in_child() {
  receiving = false;  // the kernel gives the child no part in it
  peers_descriptor = own_descriptor = self_index = -1;
}

void mask() noexcept { asm volatile(".byte 0xf3, 0x0f, 0x01, 0xee" : : : "memory", "cc"); }    // clui
void unmask() noexcept { asm volatile(".byte 0xf3, 0x0f, 0x01, 0xef" : : : "memory", "cc"); }  // stui

std::string refusal(const char* what, int result) {
  return std::string("User interrupts cannot be had: the kernel refuses ") + what + " (" + std::strerror(-result) +
         "). VIF_REACTION=signal works without.";
}

}  // namespace

const char* UserInterruptSupport::missing() const noexcept {
  if (usable()) return "nothing is missing";
  if (!cpu) return "this CPU has no user interrupts (CPUID leaf 7, EDX bit 5)";
  if (!kernel) return "the kernel does not know them (/proc/cpuinfo has no flag uintr)";
  return "this library was built without the numbers of the kernel's calls (cmake -DVIF_UINTR_CALLS=...)";
}

const UserInterruptSupport& user_interrupt_support() {
  static const UserInterruptSupport found = look();
  return found;
}

bool receive_user_interrupts(void (*departed)() noexcept, std::string& error) {
  const UserInterruptSupport& support = user_interrupt_support();
  if (!support.usable()) {
    error = std::string("User interrupts cannot be had: ") + support.missing() +
            ". VIF_REACTION=auto takes what this machine has, VIF_REACTION=signal its signals.";
    return false;
  }
  static const int registered = pthread_atfork(nullptr, nullptr, forget_receiver_in_child);
  if (registered != 0) {
    error = "The children that this program may fork cannot be kept from user interrupts: memory is exhausted.";
    return false;
  }
  measure_register_state();
  int result = calls->register_handler(reinterpret_cast<void*>(&vif_bell_user_interrupt_entry), wake_blocked_receiver);
  if (result < 0) {
    error = refusal("a receiver that is woken where it blocks", result);
    return false;
  }
  receiving = true;
  peers_descriptor = calls->vector_descriptor(vector_of_peers, 0);
  const int own = calls->vector_descriptor(vector_of_self, 0);
  self_index = own >= 0 ? calls->register_sender(own, 0) : own;
  if (peers_descriptor < 0 || self_index < 0) {
    error = refusal("a connection", peers_descriptor < 0 ? peers_descriptor : self_index);
    if (own >= 0) close(own);
    stop_receiving_user_interrupts();
    return false;
  }
  own_descriptor = own;
  when_departed = departed;
  static thread_local Farewell farewell;
  static_cast<void>(&farewell);  // made here, so that it ends with this thread
  unmask();
  return true;
}

void stop_receiving_user_interrupts() {
  when_departed = nullptr;
  if (!receiving) return;
  mask();
  if (self_index >= 0) calls->unregister_sender(self_index, 0);
  calls->unregister_handler(0);
  receiving = false;
  for (int* descriptor : {&peers_descriptor, &own_descriptor}) {
    if (*descriptor >= 0) close(*descriptor);
    *descriptor = -1;
  }
  self_index = -1;
}

bool receives_user_interrupts() noexcept { return receiving; }

int vector_descriptor() noexcept { return peers_descriptor; }

int notification_signal() noexcept { return receiving ? calls->notification_signal() : 0; }

void user_interrupt_self() noexcept { send_user_interrupt(self_index); }

int connect_user_interrupt(int pidfd, int descriptor) noexcept {
  if (calls == nullptr || descriptor < 0) return -1;
  const auto copy = static_cast<int>(syscall(SYS_pidfd_getfd, pidfd, descriptor, 0));
  if (copy < 0) return -1;
  const int index = calls->register_sender(copy, 0);
  close(copy);  // the receiver keeps it open
  return index < 0 ? -1 : index;
}

void disconnect_user_interrupt(int index) noexcept {
  if (index >= 0) calls->unregister_sender(index, 0);
}

}  // namespace vif::bell

// Context: handler
void vif_bell_on_user_interrupt(uint64_t) noexcept { vif::bell::run_handler(vif::bell::Interrupt::user); }
