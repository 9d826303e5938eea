// Size classes: every request fits, is aligned, and wastes little.
#include "memory/classes.hpp"

#include <gtest/gtest.h>

#include "memory/block.hpp"

namespace vif::memory {
namespace {

TEST(Classes, EveryRequestFitsTheSmallestClassThatHasRoom) {
  for (std::size_t bytes = 0; bytes <= largest_class; ++bytes) {
    const unsigned found = class_of(bytes);
    EXPECT_GE(class_bytes[found], bytes);
    if (found > 0) {
      EXPECT_LT(class_bytes[found - 1], bytes);
    }
  }
}

TEST(Classes, AnAlignedRequestGetsAClassOfAlignedObjects) {
  for (std::size_t alignment : {16, 32, 64}) {
    for (std::size_t bytes = 0; bytes <= largest_class; bytes += 7) {
      const unsigned found = class_of(bytes, alignment);
      ASSERT_LT(found, classes);
      EXPECT_GE(class_bytes[found], bytes);
      EXPECT_EQ(class_bytes[found] % alignment, 0U);
    }
  }
  EXPECT_EQ(class_of(largest_class + 1, 16), classes);
}

// Requirement 21 of the source: objects are not rounded up to whole cache lines.
TEST(Classes, ASmallObjectIsNotRoundedUpToACacheLine) {
  EXPECT_EQ(class_bytes[class_of(22)], 32);
  EXPECT_EQ(class_bytes[class_of(65)], 80);
  for (std::size_t bytes = 129; bytes <= largest_class; ++bytes) {
    EXPECT_LT(static_cast<double>(class_bytes[class_of(bytes)]), 1.25 * static_cast<double>(bytes));
  }
}

TEST(Blocks, TheIndexOfEveryByteOfEveryObjectIsRight) {
  alignas(block_bytes) static char room[block_bytes];
  auto* block = new (room) Block;
  for (uint16_t bytes : class_bytes) {
    block->object_bytes = bytes;
    block->reciprocal = static_cast<uint32_t>((uint64_t{1} << 32) / bytes + 1);
    for (unsigned index = 0; (index + 1) * bytes <= block_room; ++index) {
      EXPECT_EQ(block->index_of(block->object(index)), index);
      EXPECT_EQ(block->index_of(static_cast<char*>(block->object(index)) + bytes - 1), index);
    }
  }
}

}  // namespace
}  // namespace vif::memory
