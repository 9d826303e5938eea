// Context: app.
#include "sched/watch.hpp"

#include <new>

namespace vif::sched {

Watch* Watch::make(std::size_t callable_size) { return new (::operator new(sizeof(Watch) + callable_size)) Watch; }

void Watch::drop_reference() noexcept {
  // Acquire and release: who frees it comes after all that others did with it.
  if (references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  this->~Watch();
  ::operator delete(this);
}

void Watch::drop_use() noexcept {
  if (uses.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  notify(callable(), nullptr);
  drop_reference();
}

}  // namespace vif::sched
