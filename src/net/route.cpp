// Context: app.
#include "net/route.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include <unistd.h>

#include "base/clock.hpp"
#include "net/shm/cross_memory.hpp"

namespace vif::net {
namespace {

constexpr size_t sample_bytes = 64 * 1024;
constexpr int samples = 8;

// The least of some runs: what disturbs a run only makes it longer. 0 when it cannot be done.
template <class Copy>
float price_of(Copy copy) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < samples; ++i) {
    const int64_t start = base::now_ns();
    if (!copy()) return 0;
    least = std::min(least, std::max<int64_t>(1, base::now_ns() - start));
  }
  return static_cast<float>(least) / static_cast<float>(sample_bytes);
}

}  // namespace

CopyPrices CopyPrices::measure() {
  std::vector<std::byte> from(sample_bytes, std::byte{1}), to(sample_bytes);
  CopyPrices prices;
  prices.plain = price_of([&] {
    std::memcpy(to.data(), from.data(), sample_bytes);
    __asm__ volatile("" : : "r"(to.data()) : "memory");
    return true;
  });
  prices.cross_memory = price_of([&] {
    return shm::read_memory(getpid(), reinterpret_cast<uint64_t>(from.data()), to.data(), sample_bytes) == 0;
  });
  return prices;
}

}  // namespace vif::net
