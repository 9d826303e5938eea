// Fibers by ucontext. The thread sanitizer must be told of each switch; the address sanitizer sees swapcontext by
// itself.
#include "base/fiber.hpp"

#if defined(__SANITIZE_THREAD__)
#define VIF_TSAN_FIBERS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define VIF_TSAN_FIBERS 1
#endif
#endif

#ifdef VIF_TSAN_FIBERS
#include <sanitizer/tsan_interface.h>
#endif

namespace vif::base {

Fiber::Fiber() {
#ifdef VIF_TSAN_FIBERS
  sanitizer_fiber_ = __tsan_get_current_fiber();
#endif
}

Fiber::~Fiber() {
#ifdef VIF_TSAN_FIBERS
  if (stack_) __tsan_destroy_fiber(sanitizer_fiber_);
#endif
}

void Fiber::prepare(void (*entry)(), std::size_t stack_bytes) {
#ifdef VIF_TSAN_FIBERS
  if (stack_) __tsan_destroy_fiber(sanitizer_fiber_);
  sanitizer_fiber_ = __tsan_create_fiber(0);
#endif
  if (stack_bytes_ < stack_bytes) {
    stack_.reset(new char[stack_bytes]);
    stack_bytes_ = stack_bytes;
  }
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack_.get();
  context_.uc_stack.ss_size = stack_bytes_;
  context_.uc_link = nullptr;
  makecontext(&context_, entry, 0);
}

void Fiber::switch_to(Fiber& from, Fiber& to) {
#ifdef VIF_TSAN_FIBERS
  __tsan_switch_to_fiber(to.sanitizer_fiber_, 0);
#endif
  swapcontext(&from.context_, &to.context_);
}

}  // namespace vif::base
