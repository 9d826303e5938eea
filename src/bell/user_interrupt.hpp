// User interrupts: one thread interrupts another without the kernel (x86 UINTR: senduipi, uiret, clui, stui, testui).
//
// A thread becomes a *receiver*: the kernel gives it a posted-interrupt descriptor, and the address of its entry. A
// file descriptor names the pair (receiver, vector); whoever gets hold of it (here: by pidfd_getfd, with the number
// that the receiver published in its bell::Address) makes of it an index in the table of its process, and `senduipi` of
// that index raises the interrupt. Several before the receiver runs are one.
//
// The kernel is asked through a table of five calls. It comes from one of two places:
//   - the kernel itself, when this library was built with the numbers of its calls (VIF_UINTR_CALLS; no release of
//     Linux has them), the CPU has the instructions, and /proc/cpuinfo says that the kernel knows them. The numbers
//     belong to other calls elsewhere, so no call is made before all three are known.
//   - an emulation that is loaded beside this library (it exports vif_user_interrupt_emulation). For tests, and used
//     only when it is asked for by VIF_REACTION=uintr.
//
// Receivers are registered to be woken where they block in the kernel, as a signal does. A kernel that cannot do that
// is not used: events would wait for the end of the call.
//
// Registers: the CPU saves RIP, RFLAGS and RSP only. The entry (user_interrupt_entry.cpp) saves the general registers
// and, by XSAVEC or XSAVE, the x87, SSE, AVX and AVX-512 registers, so that the handler may be any code of this
// library. It runs on the stack of the interrupted thread, below the red zone, and takes about 4 KiB of it more than
// its own frames. No alternate stack is set: the known kernel patch takes its lowest address for its top.
#pragma once

#include <cstdint>
#include <string>

namespace vif::bell {

// What the kernel (or an emulation) is asked. Each returns a value >= 0, or -errno. Contexts: register_sender is called
// in handlers too, the others by app code.
struct UserInterruptCalls {
  int (*register_handler)(void* entry, unsigned flags);       // of the calling thread
  int (*unregister_handler)(unsigned flags);                  // of the calling thread
  int (*vector_descriptor)(uint64_t vector, unsigned flags);  // a file descriptor: (calling thread, vector)
  int (*register_sender)(int descriptor, unsigned flags);     // the index for senduipi, in the whole process
  int (*unregister_sender)(int index, unsigned flags);
  int (*notification_signal)();  // that an emulation delivers by; 0: none
};

// The symbol by which an emulation is found.
inline constexpr const char* emulation_symbol = "vif_user_interrupt_emulation";
using EmulationDoor = const UserInterruptCalls*();

// Flag of register_handler: wake the receiver where it blocks in the kernel.
inline constexpr unsigned wake_blocked_receiver = 0x1000;

// Vectors: the highest is delivered first. Both run the same handler.
inline constexpr uint64_t vector_of_self = 0;
inline constexpr uint64_t vector_of_peers = 1;

struct UserInterruptSupport {
  bool cpu = false;       // CPUID leaf 7, EDX bit 5
  bool kernel = false;    // /proc/cpuinfo names the feature: the kernel knows it
  bool built = false;     // with the numbers of the kernel's calls
  bool emulated = false;  // an emulation is loaded
  bool in_hardware() const noexcept { return cpu && kernel && built; }
  bool usable() const noexcept { return in_hardware() || emulated; }
  // Why there are none, as part of a sentence.
  const char* missing() const noexcept;
};

// App context. Looks once; before that, nobody can be connected to.
const UserInterruptSupport& user_interrupt_support();

// App context. Makes the calling thread the receiver of this process: its user interrupts run the handler of
// install_handler(), which must have been called. `departed` is called by the thread when it ends without
// stop_receiving_user_interrupts(): from then on nothing reaches it. False with a full sentence in `error`.
bool receive_user_interrupts(void (*departed)() noexcept, std::string& error);
// App context. Of any thread: another one than the receiver leaves it registered, and its interrupts do nothing.
void stop_receiving_user_interrupts();
// Any context. Whether the calling thread is the receiver.
bool receives_user_interrupts() noexcept;
// App context. The descriptor by which peers reach the receiver of this process, -1 when there is none.
int vector_descriptor() noexcept;
// App context. The signal by which user interrupts are delivered here: 0 but under an emulation.
int notification_signal() noexcept;
// Any context, by the receiver only: the interrupt lands now, or when the handler that runs has returned.
void user_interrupt_self() noexcept;

// Any context, no lock and no memory: an index for send_user_interrupt(), or -1. `pidfd` names the process, or a thread
// of it, and `descriptor` is what it calls its vector descriptor.
int connect_user_interrupt(int pidfd, int descriptor) noexcept;
void disconnect_user_interrupt(int index) noexcept;
inline void send_user_interrupt(int index) noexcept {
  // senduipi %rax, written out for assemblers that do not know it.
  asm volatile(".byte 0xf3, 0x0f, 0xc7, 0xf0" : : "a"(static_cast<int64_t>(index)) : "memory", "cc");
}

}  // namespace vif::bell
