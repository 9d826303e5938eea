// Datatypes against their definition: a type made at random is compared with its type map, the plain list of elements
// and bound markers that the standard defines it by.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "api.hpp"
#include "mpi/datatype.hpp"
#include "type_map.hpp"

namespace {

using namespace vif::mpi;
using namespace type_map;

uint64_t first_seed() {
  const char* given = std::getenv("VIF_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 0) : 1;
}

void compare_bounds(const Made& made) {
  MPI_Count size, lower, extent, true_lower, true_extent;
  api::Type_size_c(made.handle, &size);
  api::Type_get_extent_c(made.handle, &lower, &extent);
  api::Type_get_true_extent_c(made.handle, &true_lower, &true_extent);
  EXPECT_EQ(made.map.size(), size);
  EXPECT_EQ(made.map.lower(), lower);
  EXPECT_EQ(made.map.extent(), extent);
  int64_t low = 0, high = 0;
  const auto data = made.map.data();
  for (std::size_t i = 0; i < data.size(); ++i) {
    const int64_t end = data[i].displacement + data[i].size;
    low = i == 0 ? data[i].displacement : std::min(low, data[i].displacement);
    high = i == 0 ? end : std::max(high, end);
  }
  EXPECT_EQ(low, true_lower);
  EXPECT_EQ(high - low, true_extent);
}

void compare_copies(const Made& made, int64_t count, int64_t cut) {
  const Datatype& type = *datatype_of(made.handle);
  const std::vector<Entry> elements = instances(made.map, count);
  const Area source = area_for(elements);
  std::vector<unsigned char> expected;
  for (const Entry& entry : elements) {
    const auto* from = source.bytes.data() + source.origin + entry.displacement;
    expected.insert(expected.end(), from, from + entry.size);
  }
  std::vector<unsigned char> packed(expected.size() + 1, 0xee);
  pack(type, count, source.bytes.data() + source.origin, packed.data());
  EXPECT_EQ(0xee, packed.back()) << "packing wrote behind the end";
  packed.pop_back();
  EXPECT_EQ(expected, packed);

  // Back, from other bytes, of which only the first `cut` are there.
  for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = static_cast<unsigned char>(i * 101 + 7);
  Area wanted = source;
  int64_t left = cut;
  std::size_t at = 0;
  for (const Entry& entry : elements) {
    const int64_t length = std::min(left, entry.size);
    std::copy_n(packed.data() + at, length, wanted.bytes.data() + wanted.origin + entry.displacement);
    at += static_cast<std::size_t>(length);
    left -= length;
  }
  Area target = source;
  unpack_bytes(type, count, packed.data(), cut, target.bytes.data() + target.origin);
  EXPECT_EQ(wanted.bytes, target.bytes);
}

void compare_elements(const Made& made, int64_t count, int64_t bytes) {
  int64_t whole = 0, used = 0;
  for (const Entry& entry : instances(made.map, count)) {
    if (used + entry.size > bytes) break;
    used += entry.size;
    ++whole;
  }
  MPI_Status status = {};
  status.MPI_internal[0] = static_cast<int>(bytes);
  MPI_Count found;
  api::Get_elements_c(&status, made.handle, &found);
  EXPECT_EQ(used == bytes ? whole : int64_t{MPI_UNDEFINED}, found);
  if (used != bytes) return;
  MPI_Status other = {};
  api::Status_set_elements_c(&other, made.handle, whole);
  EXPECT_EQ(bytes, other.MPI_internal[0]);
}

TEST(Datatype, AgreesWithItsTypeMap) {
  const uint64_t first = first_seed();
  const uint64_t cases = std::getenv("VIF_TEST_SEED") != nullptr ? 1 : 4000;
  for (uint64_t seed = first; seed < first + cases; ++seed) {
    std::mt19937_64 random(seed);
    Maker maker([&](int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); });
    const Made made = maker.type(static_cast<int>(maker.pick(1, 4)));
    if (made.map.entries.size() > 3000) continue;
    compare_bounds(made);
    const int64_t count = maker.pick(0, 3);
    const int64_t bytes = made.map.size() * count;
    compare_copies(made, count, maker.pick(0, bytes));
    if (bytes > 0) {
      compare_elements(made, count, maker.pick(0, bytes));
      compare_elements(made, count, bytes);
    }
    ASSERT_FALSE(HasFailure()) << "VIF_TEST_SEED=" << seed << " repeats this case alone.";
  }
}

TEST(Datatype, WhatTouchesIsOnePiece) {
  MPI_Datatype pieces, same;
  const int lengths[] = {2, 3, 1};
  const int displacements[] = {0, 2, 5};
  api::Type_indexed(3, lengths, displacements, MPI_INT, &pieces);
  EXPECT_TRUE(datatype_of(pieces)->contiguous);
  api::Type_vector(1000000, 1, 3, MPI_DOUBLE, &same);
  EXPECT_EQ(Layout::Shape::repeat, datatype_of(same)->layout->shape);
  std::vector<MPI_Aint> regular;
  for (int i = 0; i < 1000; ++i) regular.push_back(i * 24);
  MPI_Datatype listed;
  api::Type_create_hindexed_block(1000, 1, regular.data(), MPI_DOUBLE, &listed);
  EXPECT_EQ(Layout::Shape::repeat, datatype_of(listed)->layout->shape);
  api::Type_free(&pieces);
  api::Type_free(&same);
  api::Type_free(&listed);
}

TEST(Datatype, SubarrayTakesTheRightElements) {
  int array[4][5][6];
  for (int i = 0; i < 120; ++i) (&array[0][0][0])[i] = i;
  const int sizes[] = {4, 5, 6}, parts[] = {2, 3, 2}, starts[] = {1, 0, 3};
  MPI_Datatype type;
  api::Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type);
  int packed[12];
  pack(*datatype_of(type), 1, array, packed);
  int at = 0;
  for (int i = 1; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 3; k < 5; ++k) EXPECT_EQ(array[i][j][k], packed[at++]);
    }
  }
  MPI_Aint lower, extent;
  api::Type_get_extent(type, &lower, &extent);
  EXPECT_EQ(0, lower);
  EXPECT_EQ(static_cast<MPI_Aint>(sizeof array), extent);
  api::Type_free(&type);

  const int turned_sizes[] = {6, 5, 4}, turned_parts[] = {2, 3, 2}, turned_starts[] = {3, 0, 1};
  api::Type_create_subarray(3, turned_sizes, turned_parts, turned_starts, MPI_ORDER_FORTRAN, MPI_INT, &type);
  int turned[12];
  pack(*datatype_of(type), 1, array, turned);
  EXPECT_TRUE(std::equal(packed, packed + 12, turned));
  api::Type_free(&type);
}

TEST(Datatype, ContentsAreWhatItWasMadeOf) {
  MPI_Datatype vector, large;
  api::Type_vector(3, 2, 5, MPI_SHORT, &vector);
  int integers, addresses, types, combiner;
  api::Type_get_envelope(vector, &integers, &addresses, &types, &combiner);
  EXPECT_EQ(3, integers);
  EXPECT_EQ(0, addresses);
  EXPECT_EQ(1, types);
  EXPECT_EQ(MPI_COMBINER_VECTOR, combiner);
  int values[3];
  MPI_Datatype old;
  api::Type_get_contents(vector, 3, 0, 1, values, nullptr, &old);
  EXPECT_EQ(3, values[0]);
  EXPECT_EQ(2, values[1]);
  EXPECT_EQ(5, values[2]);
  EXPECT_EQ(MPI_SHORT, old);

  // A type built from another keeps it, and gives out a handle that has to be freed.
  api::Type_create_resized_c(vector, -8, 64, &large);
  api::Type_free(&vector);
  MPI_Count few, none, counts, parts, limits[2];
  api::Type_get_envelope_c(large, &few, &none, &counts, &parts, &combiner);
  EXPECT_EQ(2, counts);
  EXPECT_EQ(MPI_COMBINER_RESIZED, combiner);
  api::Type_get_contents_c(large, 0, 0, 2, 1, nullptr, nullptr, limits, &old);
  EXPECT_EQ(-8, limits[0]);
  EXPECT_EQ(64, limits[1]);
  int size;
  api::Type_size(old, &size);
  EXPECT_EQ(12, size);
  api::Type_free(&large);
  api::Type_size(old, &size);
  EXPECT_EQ(12, size);
  api::Type_free(&old);
  EXPECT_EQ(MPI_DATATYPE_NULL, old);
}

}  // namespace
