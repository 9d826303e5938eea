// Which way long messages go when both sides wait: through the ring in pieces (two copies that overlap, one on each
// core), or by cross-memory copies (one copy, paid in page look-ups). Which is faster depends on the machine, by
// factors both ways, and on the size: so it is measured on the messages themselves. Context: handler.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace vif::net {

class RouteChoice {
 public:
  enum class Way : uint8_t { ring, cross_memory };

  // The way for the next message of this length: what was faster so far, each way being tried first, and the slower one
  // again from time to time: two messages each time, the first of which warms what it uses; ever more rarely when it is
  // much slower.
  Way choose(uint64_t length) noexcept {
    Class& c = of(length);
    if (c.samples[0] < enough) return Way::ring;
    if (c.samples[1] < enough) return Way::cross_memory;
    const Way best = c.cost[0] <= c.cost[1] ? Way::ring : Way::cross_memory;
    if (c.until_trial > 0) {
      --c.until_trial;
      return best;
    }
    if (++c.trials == 2) {
      c.trials = 0;
      const float ratio = best == Way::ring ? c.cost[1] / c.cost[0] : c.cost[0] / c.cost[1];
      c.pause = ratio < 1.3f ? first_pause * 4 : c.pause * 4 < longest_pause ? c.pause * 4 : longest_pause;
      c.until_trial = c.pause;
    }
    return other(best);
  }

  // Whether one side alone, by a cross-memory copy, moves a message of this length for about the same price as both
  // together. True while it is not known.
  bool worth_alone(uint64_t length) noexcept {
    const Class& c = of(length);
    return c.samples[0] < enough || c.samples[1] < enough || c.cost[1] <= c.cost[0] * 1.25f;
  }

  // The message took `ns` from its match to its end, both sides waiting all the time. What disturbs a message only
  // makes it slower: a cost falls at once and rises slowly.
  void learn(uint64_t length, Way way, int64_t ns) noexcept {
    Class& c = of(length);
    float& cost = c.cost[static_cast<size_t>(way)];
    uint32_t& samples = c.samples[static_cast<size_t>(way)];
    const float sample = static_cast<float>(ns) / static_cast<float>(length);
    if (samples == 0 || sample < cost) {
      cost = sample;
    } else {
      cost += (std::min(sample, 2 * cost) - cost) * 0.1f;
    }
    ++samples;
  }

 private:
  static constexpr uint32_t enough = 3;  // samples before a cost counts
  static constexpr uint32_t first_pause = 16;
  static constexpr uint32_t longest_pause = 1024;

  struct Class {
    float cost[2] = {0, 0};  // ns per byte
    uint32_t samples[2] = {0, 0};
    uint32_t until_trial = first_pause;  // messages before the slower way is tried again
    uint32_t pause = first_pause;
    uint32_t trials = 0;
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
