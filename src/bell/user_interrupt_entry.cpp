// The entry of user interrupts, in assembly: see user_interrupt.hpp for what it must keep. Context: handler.
//
// The CPU pushes RSP, RFLAGS and RIP, 128 bytes below the stack of the interrupted code (its red zone) and aligned to
// 16, and then the vector. Flags of the interrupted code may be any: the direction flag is cleared for the handler, and
// so are the modes of x87 and SSE. The area for XSAVE is aligned to 64 and its header cleared, as XRSTOR demands.
#include "bell/user_interrupt_entry.hpp"

#include <cpuid.h>

#include <algorithm>

extern "C" {
__attribute__((visibility("hidden"), used)) uint64_t vif_bell_state_bytes = 576;
__attribute__((visibility("hidden"), used)) uint32_t vif_bell_state_mask = 3;
__attribute__((visibility("hidden"), used)) uint32_t vif_bell_state_compact = 0;
__attribute__((visibility("hidden"), used)) uint32_t vif_bell_default_mxcsr = 0x1f80;
}

asm(R"(
  .text
  .p2align 4
  .globl vif_bell_user_interrupt_entry
  .hidden vif_bell_user_interrupt_entry
  .type vif_bell_user_interrupt_entry, @function
vif_bell_user_interrupt_entry:
  .cfi_startproc
  .cfi_signal_frame
  .cfi_def_cfa %rsp, 16
  .cfi_offset %rip, -8
  .cfi_offset %rsp, 8
  endbr64
  pushq %rbp
  .cfi_def_cfa_offset 24
  .cfi_offset %rbp, -24
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  pushq %rax
  pushq %rcx
  pushq %rdx
  pushq %rsi
  pushq %rdi
  pushq %r8
  pushq %r9
  pushq %r10
  pushq %r11
  cld
  subq vif_bell_state_bytes(%rip), %rsp
  andq $-64, %rsp
  xorl %eax, %eax
  movq %rax, 512(%rsp)
  movq %rax, 520(%rsp)
  movq %rax, 528(%rsp)
  movq %rax, 536(%rsp)
  movq %rax, 544(%rsp)
  movq %rax, 552(%rsp)
  movq %rax, 560(%rsp)
  movq %rax, 568(%rsp)
  movl vif_bell_state_mask(%rip), %eax
  xorl %edx, %edx
  cmpl $0, vif_bell_state_compact(%rip)
  je 1f
  xsavec64 (%rsp)
  jmp 2f
1:
  xsave64 (%rsp)
2:
  fninit
  ldmxcsr vif_bell_default_mxcsr(%rip)
  movq 8(%rbp), %rdi
  call vif_bell_on_user_interrupt
  movl vif_bell_state_mask(%rip), %eax
  xorl %edx, %edx
  xrstor64 (%rsp)
  leaq -72(%rbp), %rsp
  popq %r11
  popq %r10
  popq %r9
  popq %r8
  popq %rdi
  popq %rsi
  popq %rdx
  popq %rcx
  popq %rax
  popq %rbp
  .cfi_def_cfa %rsp, 16
  addq $8, %rsp
  .cfi_def_cfa_offset 8
  .byte 0xf3, 0x0f, 0x01, 0xec  # uiret
  .cfi_endproc
  .size vif_bell_user_interrupt_entry, . - vif_bell_user_interrupt_entry
)");

namespace vif::bell {
namespace {

// x87, SSE, AVX, the three parts of AVX-512, and the general registers 16 to 31 of APX. Not saved, because no compiled
// code of this library touches them: bounds, protection keys, tiles.
constexpr uint32_t components = 0x0007 | 0x00e0 | 1u << 19;
constexpr unsigned state_leaf = 0xd;
constexpr uint64_t legacy_and_header = 576;

struct Answer {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

Answer ask(unsigned leaf, unsigned part) noexcept {
  Answer got;
  __get_cpuid_count(leaf, part, &got.a, &got.b, &got.c, &got.d);
  return got;
}

// What the operating system has enabled: XCR0.
uint32_t enabled_components() noexcept {
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

}  // namespace

void measure_register_state() noexcept {
  constexpr unsigned has_xsave_enabled = 1u << 27;     // leaf 1, ECX
  if ((ask(1, 0).c & has_xsave_enabled) == 0) return;  // no x86-64 with user interrupts is without
  vif_bell_state_mask = enabled_components() & components;
  vif_bell_state_compact = (ask(state_leaf, 1).a & 2) != 0 ? 1 : 0;
  uint64_t end = legacy_and_header;
  for (unsigned part = 2; part < 32; ++part) {
    if ((vif_bell_state_mask & 1u << part) == 0) continue;
    const Answer size_and_place = ask(state_leaf, part);
    if (vif_bell_state_compact != 0) {
      if ((size_and_place.c & 2) != 0) end = (end + 63) & ~uint64_t{63};
      end += size_and_place.a;
    } else {
      end = std::max<uint64_t>(end, uint64_t{size_and_place.b} + size_and_place.a);
    }
  }
  vif_bell_state_bytes = end;
}

}  // namespace vif::bell
