// What engines do unless they know better. Context: as in engine.hpp.
#include "net/engine.hpp"

#include "base/clock.hpp"

namespace vif::net {

int64_t Engine::now_ns() noexcept { return base::now_ns(); }

void Engine::wait_at_most(bool (*condition)(void*), void* argument, int64_t ns) noexcept {
  for (const int64_t end = now_ns() + ns; !condition(argument) && now_ns() < end;) progress();
}

}  // namespace vif::net
