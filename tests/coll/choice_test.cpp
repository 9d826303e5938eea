// What is chosen, in a table: where everybody agrees what is best, and that no
// choice is out of its domain.
#include "coll/choice.hpp"

#include <gtest/gtest.h>

#include "coll/spare_memory.hpp"
#include "coll/split_plan.hpp"

namespace vif::coll {
namespace {

constexpr uint64_t mega = 1024 * 1024;

TEST(Choice, short_data_takes_few_messages_and_long_data_few_bytes) {
  const Situation eight{8, false, true};
  EXPECT_EQ(choose(Collective::bcast, 8, eight), Algorithm::binomial);
  EXPECT_NE(choose(Collective::bcast, 16 * mega, eight), Algorithm::binomial);
  EXPECT_EQ(choose(Collective::reduce, 8, eight), Algorithm::binomial);
  EXPECT_EQ(choose(Collective::reduce, 16 * mega, eight), Algorithm::halving);
  EXPECT_EQ(choose(Collective::allreduce, 8, eight), Algorithm::doubling);
  EXPECT_EQ(choose(Collective::allreduce, 16 * mega, eight), Algorithm::ring);
  EXPECT_EQ(choose(Collective::reduce_scatter, 8, eight), Algorithm::allreduce);
  EXPECT_EQ(choose(Collective::reduce_scatter, 16 * mega, eight), Algorithm::direct);
  EXPECT_EQ(choose(Collective::alltoall, 8, Situation{64, false, true}), Algorithm::bruck);
  EXPECT_EQ(choose(Collective::alltoall, mega, eight), Algorithm::pairwise);
  EXPECT_EQ(choose(Collective::allgather, 8, Situation{7, false, true}), Algorithm::bruck);
  EXPECT_EQ(choose(Collective::allgather, mega, Situation{7, false, true}), Algorithm::ring);
  EXPECT_EQ(choose(Collective::gather, mega, eight), Algorithm::linear);
  EXPECT_EQ(choose(Collective::gather, 8, Situation{64, false, true}), Algorithm::binomial);
}

TEST(Choice, never_takes_what_cannot_be_used) {
  for (int size = 1; size <= 130; ++size) {
    for (uint64_t bytes = 0; bytes <= 64 * mega; bytes = bytes * 3 + 1) {
      for (bool oversubscribed : {false, true}) {
        EXPECT_NE(choose(Collective::allreduce, bytes, {size, oversubscribed, false}), Algorithm::ring)
            << "a reduction that does not commute";
        if ((size & (size - 1)) != 0) {
          EXPECT_NE(choose(Collective::allgather, bytes, {size, oversubscribed, true}), Algorithm::doubling) << size;
        }
        const uint64_t segment = chain_segment(bytes, {size, oversubscribed, true});
        EXPECT_GE(segment, 16u * 1024);
        EXPECT_LE(segment, 256u * 1024);
      }
    }
  }
}

TEST(Choice, can_be_made_by_the_user_where_it_works) {
  const Situation eight{8, false, true};
  EXPECT_EQ(set_choices("bcast=chain,allreduce=ring,gather=area"), "");
  EXPECT_EQ(choose(Collective::bcast, 8, eight), Algorithm::chain);
  EXPECT_EQ(choose(Collective::allreduce, 8, eight), Algorithm::ring);
  EXPECT_NE(choose(Collective::allreduce, 8, Situation{8, false, false}), Algorithm::ring) << "does not commute";
  EXPECT_FALSE(area_allowed(Collective::bcast));
  EXPECT_TRUE(area_allowed(Collective::gather));
  EXPECT_TRUE(area_allowed(Collective::reduce));
  EXPECT_NE(set_choices("bcast=ring").find("give one of area, binomial, chain"), std::string::npos);
  EXPECT_NE(set_choices("brodcast=chain").find("is not COLLECTIVE=ALGORITHM"), std::string::npos);
  EXPECT_EQ(set_choices(""), "");
  EXPECT_EQ(choose(Collective::bcast, 8, eight), Algorithm::binomial);
}

// Split-tree is never chosen by price, and only where progress threads have fewer cores than there are processes.
TEST(Choice, of_split_tree_follows_the_model) {
  EXPECT_EQ(set_choices("reduce=split"), "");
  EXPECT_TRUE(is_forced(Collective::reduce, Algorithm::split));
  EXPECT_NE(choose(Collective::reduce, 1 << 20, {8}), Algorithm::split) << "a blocking one";
  EXPECT_FALSE(area_allowed(Collective::reduce));
  EXPECT_EQ(set_choices("scan=chain,exscan=chain_ordered"), "");
  EXPECT_NE(set_choices("scan=split").find("there is no such algorithm"), std::string::npos);
  EXPECT_EQ(set_choices(""), "");
  const uint64_t long_one = 2 << 20;
  EXPECT_FALSE(split_pays(Collective::reduce, long_one, {32}, 32)) << "a core for each";
  EXPECT_FALSE(split_pays(Collective::reduce, long_one, {64}, 0)) << "none for anybody";
  EXPECT_FALSE(split_pays(Collective::reduce, long_one, {40}, 24)) << "the model: S = 0";
  EXPECT_TRUE(split_pays(Collective::reduce, long_one, {62}, 2));
  EXPECT_TRUE(split_pays(Collective::bcast, long_one, {62}, 2));
  EXPECT_FALSE(split_pays(Collective::scan, long_one, {62}, 2));
}

TEST(Choice, an_order_that_is_asked_for_is_kept) {
  for (uint64_t bytes : {uint64_t{8}, mega}) {
    const Situation ordered{8, false, true, true};
    EXPECT_EQ(choose(Collective::reduce, bytes, ordered), Algorithm::fold);
    EXPECT_EQ(choose(Collective::allreduce, bytes, ordered), Algorithm::fold);
    EXPECT_EQ(choose(Collective::scan, bytes, ordered), Algorithm::fold);
    EXPECT_EQ(choose(Collective::reduce_scatter, bytes, ordered), Algorithm::direct);
  }
}

TEST(Choice, with_few_cores_what_anybody_does_counts) {
  const Situation crowd{64, true, true};
  EXPECT_EQ(choose(Collective::bcast, mega, crowd), Algorithm::chain) << "the bytes are in the cache";
  EXPECT_EQ(choose(Collective::reduce, 32 * 1024, crowd), Algorithm::binomial) << "the fewest messages";
  const Situation sixteen{16, true, true};
  EXPECT_EQ(choose(Collective::reduce_scatter, 4096, sixteen), Algorithm::direct) << "one turn for all messages";
  EXPECT_EQ(choose(Collective::allgather, 32 * 1024, sixteen), Algorithm::ring);
  EXPECT_EQ(choose(Collective::alltoall, 1024, sixteen), Algorithm::pairwise);
  EXPECT_EQ(choose(Collective::alltoall, 512, crowd), Algorithm::bruck) << "a logarithm of turns";
  EXPECT_EQ(choose(Collective::allreduce, 16 * 1024, sixteen), Algorithm::doubling);
  EXPECT_NE(choose(Collective::allreduce, 64 * 1024, crowd), Algorithm::ring) << "thousands of turns of the scheduler";
  for (uint64_t bytes : {uint64_t{8}, mega}) {
    EXPECT_EQ(choose(Collective::scan, bytes, crowd), Algorithm::chain) << "each vector moves once";
    EXPECT_EQ(choose(Collective::exscan, bytes, Situation{2, false, true}), Algorithm::chain) << "nothing goes back";
    EXPECT_EQ(choose(Collective::scan, bytes, Situation{8, false, true}), Algorithm::doubling);
  }
}

TEST(Choice, a_price_grows_with_what_is_done) {
  for (bool oversubscribed : {false, true}) {
    const Situation situation{4, oversubscribed, true};
    const Cost little{1, 100, 4, 400};
    EXPECT_LT(price(Algorithm::binomial, little, situation),
              price(Algorithm::binomial, Cost{2, 100, 8, 400}, situation));
    EXPECT_LT(price(Algorithm::binomial, little, situation),
              price(Algorithm::binomial, Cost{1, 200, 4, 800}, situation));
  }
}

TEST(SpareMemory, is_used_again_where_it_fits) {
  uint64_t has = 0;
  std::byte* const first = take_memory(4 * mega, has);
  EXPECT_EQ(has, 4 * mega);
  give_memory(first, has);
  std::byte* const small = take_memory(mega, has);
  EXPECT_NE(small, first) << "four times what is asked for is kept for others";
  give_memory(small, has);
  std::byte* const again = take_memory(3 * mega, has);
  EXPECT_EQ(again, first);
  EXPECT_EQ(has, 4 * mega);
  give_memory(again, has);
}

}  // namespace
}  // namespace vif::coll
