// Random layouts against the plain list of their bytes: copying and visiting any part of the message, and what the
// making of layouts promises to merge.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "data/copy.hpp"
#include "data/visit.hpp"

namespace vif::data {
namespace {

// A layout and the places of its bytes, in order.
struct Made {
  LayoutPointer layout;
  std::vector<int64_t> bytes;
};

class Maker {
 public:
  explicit Maker(uint64_t seed) : random_(seed) {}

  int64_t pick(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }

  Made make(int depth) {
    if (depth == 0) return block();
    switch (pick(0, 3)) {
      case 0:
        return repeat(make(depth - 1));
      case 1:
        return list();
      default:
        return parts(depth);
    }
  }

 private:
  Made block() {
    const int64_t offset = pick(-20, 40);
    const int64_t length = pick(1, pick(0, 3) == 0 ? 90 : 17);
    Made made{make_block(offset, static_cast<uint64_t>(length)), {}};
    for (int64_t i = 0; i < length; ++i) made.bytes.push_back(offset + i);
    return made;
  }
  Made repeat(const Made& inner) {
    const int64_t count = pick(1, 5);
    const int64_t stride = pick(-60, 120);
    Made made{make_repeat(inner.layout, static_cast<uint64_t>(count), stride), {}};
    for (int64_t i = 0; i < count; ++i) append(made, inner, i * stride);
    return made;
  }
  Made list() {
    const auto length = static_cast<uint64_t>(pick(1, 40));
    Made piece{make_block(0, length), {}};
    for (uint64_t i = 0; i < length; ++i) piece.bytes.push_back(static_cast<int64_t>(i));
    std::vector<Layout::Part> parts;
    Made made;
    for (int64_t i = pick(1, 6); i > 0; --i) {
      parts.push_back({pick(-300, 300), piece.layout});
      append(made, piece, parts.back().offset);
    }
    made.layout = make_parts(parts);
    return made;
  }
  Made parts(int depth) {
    std::vector<Layout::Part> parts;
    Made made;
    for (int64_t i = pick(1, 4); i > 0; --i) {
      const Made inner = make(depth - 1);
      parts.push_back({pick(-100, 200), inner.layout});
      append(made, inner, parts.back().offset);
    }
    made.layout = make_parts(parts);
    return made;
  }
  static void append(Made& made, const Made& inner, int64_t offset) {
    for (const int64_t byte : inner.bytes) made.bytes.push_back(byte + offset);
  }

  std::mt19937_64 random_;
};

std::vector<int64_t> bytes_of(const Made& made, uint64_t count, int64_t stride) {
  std::vector<int64_t> all;
  for (uint64_t i = 0; i < count; ++i) {
    for (const int64_t byte : made.bytes) all.push_back(byte + static_cast<int64_t>(i) * stride);
  }
  return all;
}

void compare_copies(const View& view, const std::vector<int64_t>& places, uint64_t from, uint64_t bytes) {
  const int64_t low = *std::min_element(places.begin(), places.end());
  const int64_t high = *std::max_element(places.begin(), places.end()) + 1;
  EXPECT_EQ(low, view.first());
  EXPECT_EQ(high, view.end());
  std::vector<unsigned char> memory(static_cast<std::size_t>(high - low));
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<unsigned char>(i * 37 + 11);
  auto at = [&](std::size_t i) -> unsigned char& { return memory[static_cast<std::size_t>(places[i] - low)]; };
  const std::size_t to = std::min<std::size_t>(places.size(), from + bytes);
  std::vector<unsigned char> expected, stream(bytes + 1, 0xee);
  for (std::size_t i = from; i < to; ++i) expected.push_back(at(i));
  EXPECT_EQ(expected.size(), gather(view, memory.data() - low, from, stream.data(), bytes));
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), stream.begin()));
  EXPECT_EQ(0xee, stream[expected.size()]) << "gathering wrote behind the end";

  std::vector<unsigned char> other = memory;
  for (std::size_t i = 0; i < stream.size(); ++i) stream[i] = static_cast<unsigned char>(i * 101 + 7);
  scatter(view, other.data() - low, from, stream.data(), bytes);
  for (std::size_t i = from; i < to; ++i) at(i) = stream[i - from];
  EXPECT_EQ(memory, other);
}

void compare_visits(const View& view, const std::vector<int64_t>& places, uint64_t from, uint64_t bytes) {
  const std::size_t to = std::min<std::size_t>(places.size(), from + bytes);
  std::vector<int64_t> seen;
  visit(view, from, bytes, [&](int64_t offset, uint64_t length) {
    for (uint64_t i = 0; i < length; ++i) seen.push_back(offset + static_cast<int64_t>(i));
    return true;
  });
  ASSERT_EQ(to - std::min<std::size_t>(from, to), seen.size());
  for (std::size_t i = from; i < to; ++i) ASSERT_EQ(places[i], seen[i - from]);
  // A walk that is left after its first piece.
  int calls = 0;
  visit(view, from, bytes, [&](int64_t, uint64_t) { return ++calls < 1; });
  EXPECT_LE(calls, 1);
}

TEST(Layout, AnyPartIsCopiedAndVisited) {
  const char* given = std::getenv("VIF_TEST_SEED");
  const uint64_t first = given != nullptr ? std::strtoull(given, nullptr, 0) : 1;
  for (uint64_t seed = first; seed < first + 4000; ++seed) {
    Maker maker(seed);
    const Made made = maker.make(static_cast<int>(maker.pick(0, 3)));
    ASSERT_EQ(made.bytes.size(), made.layout->size);
    const View view{made.layout.get(), static_cast<uint64_t>(maker.pick(1, 3)), maker.pick(-200, 400)};
    const std::vector<int64_t> places = bytes_of(made, view.count, view.stride);
    // Bytes of a scatter that overlap have no order: only layouts without them.
    std::vector<int64_t> sorted = places;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) continue;
    const auto from = static_cast<uint64_t>(maker.pick(0, static_cast<int64_t>(places.size())));
    const auto bytes = static_cast<uint64_t>(maker.pick(0, static_cast<int64_t>(places.size()) + 5));
    compare_copies(view, places, 0, places.size());
    compare_copies(view, places, from, bytes);
    compare_visits(view, places, from, bytes);
    ASSERT_FALSE(HasFailure()) << "VIF_TEST_SEED=" << seed << " begins with this case.";
  }
}

TEST(Layout, WhatTouchesIsMerged) {
  const LayoutPointer eight = make_block(0, 8);
  EXPECT_EQ(Layout::Shape::block, make_repeat(eight, 10, 8)->shape);
  EXPECT_EQ(Layout::Shape::block, make_parts({{0, eight}, {8, eight}})->shape);
  EXPECT_EQ(Layout::Shape::repeat, make_parts({{0, eight}, {16, eight}, {32, eight}})->shape);
  EXPECT_EQ(Layout::Shape::list, make_parts({{0, eight}, {16, eight}, {40, eight}})->shape);
  // Rows of a matrix that follow each other are one loop.
  const LayoutPointer row = make_repeat(eight, 4, 16);
  EXPECT_EQ(12u, make_repeat(row, 3, 64)->count);
  // A loop that begins elsewhere stays a loop.
  EXPECT_EQ(Layout::Shape::repeat, make_parts({{24, row}})->shape);
}

}  // namespace
}  // namespace vif::data
