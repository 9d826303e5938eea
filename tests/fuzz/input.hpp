// The bytes of one input of a fuzzer, taken as numbers; past their end everything is 0.
#pragma once

#include <cstddef>
#include <cstdint>

class Input {
 public:
  Input(const uint8_t* bytes, size_t count) : bytes_(bytes), left_(count) {}

  uint64_t take(size_t count) {
    uint64_t value = 0;
    for (size_t i = 0; i < count && left_ != 0; ++i, --left_) value = value << 8 | *bytes_++;
    return value;
  }
  uint64_t below(uint64_t limit) { return take(limit <= 256 ? 1 : 3) % limit; }
  int64_t between(int64_t low, int64_t high) {
    const auto range = static_cast<uint64_t>(high - low) + 1;
    return low + static_cast<int64_t>(take(range <= 256 ? 1 : 2) % range);
  }
  bool empty() const { return left_ == 0; }

 private:
  const uint8_t* bytes_;
  size_t left_;
};
