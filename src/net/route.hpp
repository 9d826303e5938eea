// Which way long messages go when both sides wait: through the ring in pieces (two copies that overlap, one on each
// core), or by cross-memory copies (one copy, paid in page look-ups). Which is faster depends on the machine, by
// factors both ways, and on the size: so it is measured on the messages themselves. Context: handler.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace vif::net {

class RouteChoice {
 public:
  enum class Way : uint8_t { ring, cross_memory };

  // The way for the next message of this length: what was faster so far, each way being tried first, and the slower one
  // again from time to time (rarely when it is much slower).
  Way choose(uint64_t length) noexcept {
    Class& c = of(length);
    ++c.uses;
    if (c.samples[0] < 2) return Way::ring;
    if (c.samples[1] < 2) return Way::cross_memory;
    const Way best = c.cost[0] <= c.cost[1] ? Way::ring : Way::cross_memory;
    const float ratio = best == Way::ring ? c.cost[1] / c.cost[0] : c.cost[0] / c.cost[1];
    const bool try_other = c.uses % (ratio < 1.3f ? 64 : 1024) == 0;
    return try_other ? other(best) : best;
  }

  // Whether one side alone, by a cross-memory copy, moves a message of this length for about the same price as both
  // together. True while it is not known.
  bool worth_alone(uint64_t length) noexcept {
    const Class& c = of(length);
    return c.samples[0] < 2 || c.samples[1] < 2 || c.cost[1] <= c.cost[0] * 1.25f;
  }

  // The message took `ns` from its match to its end, both sides waiting all the time.
  void learn(uint64_t length, Way way, int64_t ns) noexcept {
    Class& c = of(length);
    const auto index = static_cast<size_t>(way);
    const float cost = static_cast<float>(ns) / static_cast<float>(length);
    // The first sample may have paid for pages never touched before: the second replaces it.
    c.cost[index] = c.samples[index] < 2 ? cost : c.cost[index] * 0.75f + cost * 0.25f;
    ++c.samples[index];
  }

 private:
  struct Class {
    float cost[2] = {0, 0};  // ns per byte
    uint32_t samples[2] = {0, 0};
    uint32_t uses = 0;
  };

  static Way other(Way way) noexcept { return way == Way::ring ? Way::cross_memory : Way::ring; }
  Class& of(uint64_t length) noexcept {
    const auto log = static_cast<size_t>(std::bit_width(length | 1));
    return classes_[log < first_class                      ? 0
                    : log - first_class >= classes_.size() ? classes_.size() - 1
                                                           : log - first_class];
  }

  static constexpr size_t first_class = 12;  // up to 4 KiB, then by powers of two, to 8 MiB and more
  std::array<Class, 13> classes_;
};

}  // namespace vif::net
