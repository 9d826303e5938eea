#include "net/tcp/keyed_hash.hpp"

#include <bit>

namespace vif::net::tcp {
namespace {

uint64_t word_at(const uint8_t* bytes, size_t count) noexcept {
  uint64_t word = 0;
  for (size_t i = 0; i < count; ++i) word |= uint64_t{bytes[i]} << (8 * i);
  return word;
}

struct State {
  uint64_t a, b, c, d;

  void round() noexcept {
    a += b;
    b = std::rotl(b, 13) ^ a;
    a = std::rotl(a, 32);
    c += d;
    d = std::rotl(d, 16) ^ c;
    a += d;
    d = std::rotl(d, 21) ^ a;
    c += b;
    b = std::rotl(b, 17) ^ c;
    c = std::rotl(c, 32);
  }
  void take(uint64_t word) noexcept {
    d ^= word;
    round();
    round();
    a ^= word;
  }
};

}  // namespace

uint64_t keyed_hash(const Secret& key, const std::byte* text, size_t bytes) noexcept {
  const uint64_t low = word_at(key.data(), 8);
  const uint64_t high = word_at(key.data() + 8, 8);
  State state{low ^ 0x736f6d6570736575ull, high ^ 0x646f72616e646f6dull, low ^ 0x6c7967656e657261ull,
              high ^ 0x7465646279746573ull};
  const auto* at = reinterpret_cast<const uint8_t*>(text);
  for (size_t left = bytes; left >= 8; left -= 8, at += 8) state.take(word_at(at, 8));
  state.take(word_at(at, bytes % 8) | uint64_t{bytes} << 56);
  state.c ^= 0xff;
  for (int i = 0; i < 4; ++i) state.round();
  return state.a ^ state.b ^ state.c ^ state.d;
}

}  // namespace vif::net::tcp
