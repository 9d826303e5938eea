// Fiber: a stack of its own on which a function runs until it hands the processor to another fiber.
//
// The threads of a model (tests/model) and of a simulated machine (src/sim) are fibers of one kernel thread, so that
// nothing happens but what their scheduler chose. A fiber may be abandoned half-way: its frames are not unwound, its
// stack is used again. Context: app, one kernel thread.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <memory>

namespace vif::base {

class Fiber {
 public:
  // The fiber that stands for the caller's own stack.
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Makes this fiber ready to run `entry` from its beginning, on its own stack. `entry` never returns: it switches away
  // for good.
  void prepare(void (*entry)(), std::size_t stack_bytes = smallest_stack);
  static constexpr std::size_t smallest_stack = 64 * 1024;

  // Leaves `from`, the running fiber, and continues in `to`. Returns when somebody switches back to `from`.
  static void switch_to(Fiber& from, Fiber& to);

 private:
  ucontext_t context_;
  std::unique_ptr<char[]> stack_;
  std::size_t stack_bytes_ = 0;
  [[maybe_unused]] void* sanitizer_fiber_ =
      nullptr;  // the thread sanitizer's own record of this fiber, when it is there
};

}  // namespace vif::base
