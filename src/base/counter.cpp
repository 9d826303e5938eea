// The registry of counters: a list that only grows. Context: app (static initialisation).
#include "base/counter.hpp"

namespace vif::base {
namespace {
constinit std::atomic<const Counter*> newest{nullptr};
}

Counter::Counter(const char* name, const char* help) noexcept : name_(name), help_(help) {
  next_ = newest.load(std::memory_order_relaxed);
  // Release, with the acquire of first(): whoever finds the counter finds its name.
  while (!newest.compare_exchange_weak(next_, this, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

const Counter* Counter::first() noexcept { return newest.load(std::memory_order_acquire); }

}  // namespace vif::base
