// Context ids: see comm_context.hpp. Context: app.
#include "mpi/comm_context.hpp"

namespace vif::mpi {

uint32_t ContextIds::take() noexcept {
  std::lock_guard guard(lock_);
  for (uint32_t tried = 0; tried < numbers; ++tried) {
    const uint32_t number = next_;
    next_ = next_ + 1 == numbers ? first_number : next_ + 1;
    uint64_t& word = used_[number / 64];
    const uint64_t bit = uint64_t{1} << (number % 64);
    if ((word & bit) == 0) {
      word |= bit;
      return make(process_, number);
    }
  }
  return none;
}

void ContextIds::give_back(uint32_t context) noexcept {
  const uint32_t number = (context / context_uses) % numbers;
  if (context == none || context != make(process_, number) || number < first_number) return;
  std::lock_guard guard(lock_);
  used_[number / 64] &= ~(uint64_t{1} << (number % 64));
}

}  // namespace vif::mpi
