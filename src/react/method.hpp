// The ways in which an event can be noticed. Context: any.
#pragma once

#include <cstdint>

namespace vif::react {

enum class Method : uint8_t {
  look,       // whoever comes by looks (polling)
  block,      // the thread that waits blocks in the kernel for it
  exported,   // a helper thread blocks in the kernel for it, and runs the treatment
  interrupt,  // the kernel or the other side interrupts a thread (a signal, or a user interrupt)
  kernel,     // the kernel finishes the transfer by itself, and says so in memory (io_uring)
};

constexpr int method_count = 5;

constexpr const char* name_of(Method method) noexcept {
  switch (method) {
    case Method::look:
      return "look";
    case Method::block:
      return "block";
    case Method::exported:
      return "export";
    case Method::interrupt:
      return "interrupt";
    default:
      return "kernel";
  }
}

}  // namespace vif::react
