// User interrupts for CPUs and kernels without: the five instructions from their SIGILL, the calls of the kernel as
// functions. A tool for correctness, about three times slower than a signal: nothing measured under it is a figure.
//
// Loaded beside the library (LD_PRELOAD, or linked), it is found by vif::bell (user_interrupt.hpp) and used when
// VIF_REACTION=uintr asks for user interrupts. The code of the library is the same as on a CPU that has them: its
// instructions raise SIGILL here, and their handler does what the manual says they do.
//
//   descriptor   one page of shared memory for each receiver (UPID): pending requests, the bit that says that a
//                notification is outstanding, and whom to notify. A vector descriptor is an open file of it, whose
//                offset is the vector; so it goes through fork, SCM_RIGHTS and pidfd_getfd with its vector.
//   table        256 targets for each process (UITT), taken and given back without locks
//   notification a real-time signal to the receiver's thread, the lowest that its program does not handle
//   delivery     the handler of that signal, or of the SIGILL of stui and uiret, writes the frame that the CPU would
//                push, and has the thread go on at the receiver's entry
//
// Differences from hardware: a receiver that blocks its signals, or is blocked in the kernel, behaves as with a signal;
// a program with a SIGILL handler of its own, or one that blocks SIGILL, cannot use it.
#pragma once

#include <cstdint>

#include "bell/user_interrupt.hpp"

namespace vif::test {

struct EmulatorCounts {
  uint64_t instructions = 0;   // emulated in the calling thread
  uint64_t notifications = 0;  // signals that came to it
  uint64_t deliveries = 0;     // runs of its entry
};

__attribute__((visibility("default"))) EmulatorCounts emulator_counts() noexcept;
inline constexpr int emulator_table_size = 256;

}  // namespace vif::test

extern "C" __attribute__((visibility("default"))) const vif::bell::UserInterruptCalls* vif_user_interrupt_emulation();
