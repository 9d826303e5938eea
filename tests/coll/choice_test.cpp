// What is chosen, in a table: where everybody agrees what is best, and that no
// choice is out of its domain.
#include "coll/choice.hpp"

#include <gtest/gtest.h>

namespace vif::coll {
namespace {

constexpr uint64_t mega = 1024 * 1024;

TEST(Choice, short_data_takes_few_messages_and_long_data_few_bytes) {
  const Situation eight{8, false, true};
  EXPECT_EQ(choose_bcast(8, eight), BcastAlgorithm::binomial);
  EXPECT_NE(choose_bcast(16 * mega, eight), BcastAlgorithm::binomial);
  EXPECT_EQ(choose_reduce(8, eight), ReduceAlgorithm::binomial);
  EXPECT_EQ(choose_reduce(16 * mega, eight), ReduceAlgorithm::halving);
  EXPECT_EQ(choose_allreduce(8, eight), AllreduceAlgorithm::doubling);
  EXPECT_EQ(choose_allreduce(16 * mega, eight), AllreduceAlgorithm::ring);
  EXPECT_EQ(choose_reduce_scatter(8, eight), ReduceScatterAlgorithm::allreduce);
  EXPECT_EQ(choose_reduce_scatter(16 * mega, eight), ReduceScatterAlgorithm::direct);
  EXPECT_EQ(choose_alltoall(8, Situation{64, false, true}), AlltoallAlgorithm::bruck);
  EXPECT_EQ(choose_alltoall(mega, eight), AlltoallAlgorithm::pairwise);
  EXPECT_EQ(choose_allgather(8, Situation{7, false, true}), AllgatherAlgorithm::bruck);
  EXPECT_EQ(choose_allgather(mega, Situation{7, false, true}), AllgatherAlgorithm::ring);
  EXPECT_EQ(choose_tree(mega, eight), TreeAlgorithm::linear);
  EXPECT_EQ(choose_tree(8, Situation{64, false, true}), TreeAlgorithm::binomial);
}

TEST(Choice, never_takes_what_cannot_be_used) {
  for (int size = 1; size <= 130; ++size) {
    for (uint64_t bytes = 0; bytes <= 64 * mega; bytes = bytes * 3 + 1) {
      for (bool oversubscribed : {false, true}) {
        EXPECT_NE(choose_allreduce(bytes, {size, oversubscribed, false}), AllreduceAlgorithm::ring)
            << "a reduction that does not commute";
        if ((size & (size - 1)) != 0) {
          EXPECT_NE(choose_allgather(bytes, {size, oversubscribed, true}), AllgatherAlgorithm::doubling) << size;
        }
        const uint64_t segment = chain_segment(bytes, {size, oversubscribed, true});
        EXPECT_GE(segment, 16u * 1024);
        EXPECT_LE(segment, 256u * 1024);
      }
    }
  }
}

TEST(Choice, with_few_cores_what_anybody_does_counts) {
  const Situation crowd{64, true, true};
  EXPECT_EQ(choose_bcast(mega, crowd), BcastAlgorithm::binomial) << "the fewest messages and bytes in all";
  EXPECT_NE(choose_allreduce(mega, crowd), AllreduceAlgorithm::ring) << "thousands of turns of the scheduler";
}

TEST(Choice, a_price_grows_with_what_is_done) {
  for (bool oversubscribed : {false, true}) {
    const Situation situation{4, oversubscribed, true};
    const Cost little{1, 100, 4, 400};
    EXPECT_LT(price(little, situation), price(Cost{2, 100, 8, 400}, situation));
    EXPECT_LT(price(little, situation), price(Cost{1, 200, 4, 800}, situation));
  }
}

}  // namespace
}  // namespace vif::coll
