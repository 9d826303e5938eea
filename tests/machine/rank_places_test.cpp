// Where ranks and their progress threads go. Numbers of H. Taboada's thesis are named where they are checked.
#include "machine/rank_places.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace vif::machine {
namespace {

std::vector<RankPlace> placed(int ranks, int numa_nodes, int cores, ProgressPlace place) {
  std::string error;
  const auto places = place_ranks(ranks, {1, numa_nodes, cores, 1}, place, error);
  EXPECT_EQ(error, "");
  return places;
}

// Requirement 10 of Spec 2: the table of section 4.2 for 8 cores in 2 NUMA nodes.
TEST(RankPlaces, eight_cores_in_two_numa_nodes_as_printed) {
  const std::vector<std::vector<std::pair<int, int>>> table = {
      {{0, 1}},
      {{0, 1}, {4, 5}},
      {{0, 1}, {2, 3}, {4, 5}},
      {{0, 1}, {2, 3}, {4, 5}, {6, 7}},
      {{0, 3}, {1, 3}, {2, 3}, {4, 5}, {6, 7}},
      {{0, 3}, {1, 3}, {2, 3}, {4, 7}, {5, 7}, {6, 7}},
      {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 7}, {5, 7}, {6, 7}},
      {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}, {7, 7}},
  };
  for (const auto& row : table) {
    const auto places = placed(static_cast<int>(row.size()), 2, 4, ProgressPlace::numa);
    for (std::size_t rank = 0; rank < row.size(); ++rank) {
      EXPECT_EQ(places[rank].task, row[rank].first) << row.size() << " ranks, rank " << rank;
      EXPECT_EQ(places[rank].progress, row[rank].second) << row.size() << " ranks, rank " << rank;
    }
  }
}

// Requirement 14: 64 cores as one NUMA node.
TEST(RankPlaces, cores_31_and_63_for_62_ranks_of_64_cores_and_63_for_63) {
  const auto of_62 = placed(62, 1, 64, ProgressPlace::numa);
  for (int rank = 0; rank < 62; ++rank) {
    EXPECT_EQ(of_62[static_cast<std::size_t>(rank)].progress, rank < 31 ? 31 : 63) << rank;
  }
  for (const RankPlace& place : placed(63, 1, 64, ProgressPlace::numa)) EXPECT_EQ(place.progress, 63);
}

// Requirements 9, 11, 12 and 13, for every number of ranks on many machines.
TEST(RankPlaces, no_collision_no_strange_numa_node_and_an_even_load) {
  for (int numa_nodes : {1, 2, 3, 4, 8}) {
    for (int cores = 1; cores < 20; ++cores) {
      for (int ranks = 1; ranks <= numa_nodes * cores; ++ranks) {
        const auto places = placed(ranks, numa_nodes, cores, ProgressPlace::numa);
        std::set<int> tasks;
        std::vector<int> ranks_of(static_cast<std::size_t>(numa_nodes), 0);
        for (const RankPlace& place : places) {
          ASSERT_TRUE(tasks.insert(place.task).second) << "two ranks on one core";
          ++ranks_of[static_cast<std::size_t>(place.task / cores)];
        }
        const auto [fewest, most] = std::minmax_element(ranks_of.begin(), ranks_of.end());
        ASSERT_LE(*most - *fewest, 1);
        std::map<int, int> load;
        for (const RankPlace& place : places) {
          const int numa = place.task / cores;
          ASSERT_EQ(place.progress / cores, numa) << "a progress thread on another NUMA node";
          if (ranks_of[static_cast<std::size_t>(numa)] == cores) {
            ASSERT_EQ(place.progress, place.task);
          } else {
            ASSERT_EQ(tasks.count(place.progress), 0u) << "on a busy core although one is free";
            ++load[place.progress];
          }
        }
        for (const auto& [core, threads] : load) {
          const int there = ranks_of[static_cast<std::size_t>(core / cores)];
          ASSERT_LE(threads, (there + cores - there - 1) / (cores - there)) << "not even";
        }
      }
    }
  }
}

TEST(RankPlaces, other_policies) {
  for (const RankPlace& place : placed(5, 2, 4, ProgressPlace::bind)) EXPECT_EQ(place.progress, place.task);
  std::set<int> cores;
  for (const RankPlace& place : placed(4, 2, 4, ProgressPlace::dedicated_core)) {
    EXPECT_EQ(place.progress, place.task + 1);
    EXPECT_TRUE(cores.insert(place.task).second && cores.insert(place.progress).second);
  }
  // Requirement 34.
  const auto pairs = placed(62, 1, 64, ProgressPlace::pair_impair);
  for (std::size_t rank = 0; rank < pairs.size(); ++rank) EXPECT_EQ(pairs[rank].progress, rank % 2 == 0 ? 31 : 63);
  for (const RankPlace& place : placed(63, 1, 64, ProgressPlace::pair_impair)) EXPECT_EQ(place.progress, 63);

  std::string error;
  const auto siblings = place_ranks(4, {2, 2, 8, 2}, ProgressPlace::smt, error);
  ASSERT_EQ(siblings.size(), 4u);
  EXPECT_EQ(siblings[1].task, 16);
  EXPECT_EQ(siblings[2].task, 32);
  EXPECT_EQ(siblings[3].progress, 49);
  EXPECT_TRUE(place_ranks(2, {1, 1, 8, 1}, ProgressPlace::smt, error).empty());
  EXPECT_NE(error.find("hardware thread"), std::string::npos);
  EXPECT_TRUE(place_ranks(5, {1, 1, 8, 1}, ProgressPlace::dedicated_core, error).empty());
  EXPECT_NE(error.find("room for 4"), std::string::npos);
  ProgressPlace place = ProgressPlace::bind;
  EXPECT_TRUE(place_of("pair-impair", place) && place == ProgressPlace::pair_impair);
  EXPECT_FALSE(place_of("nowhere", place));
}

}  // namespace
}  // namespace vif::machine
