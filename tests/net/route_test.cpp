// Tests of net/route.hpp: the choice as a table, the measurement as far as any machine must agree.
#include "net/route.hpp"

#include <gtest/gtest.h>

namespace vif::net {
namespace {

bool ring_is_cheaper(float plain, float cross_memory) {
  CopyPrices prices;
  prices.plain = plain;
  prices.cross_memory = cross_memory;
  return prices.ring_is_cheaper();
}

TEST(CopyPrices, ChooseTheRingWherePageLookUpsAreDear) {
  EXPECT_TRUE(ring_is_cheaper(0.02f, 0.10f));   // a virtual machine
  EXPECT_FALSE(ring_is_cheaper(0.08f, 0.10f));  // page look-ups hardly show
}

TEST(CopyPrices, WhatIsNotKnownIsNotCheaper) {
  EXPECT_FALSE(ring_is_cheaper(0, 0));
  EXPECT_FALSE(ring_is_cheaper(0.02f, 0));
  EXPECT_FALSE(ring_is_cheaper(0, 0.10f));
}

TEST(CopyPrices, OfAJobAreTheLeastThatWasSeen) {
  CopyPrices job;
  CopyPrices quiet, disturbed, silent;
  quiet.plain = 0.02f;
  quiet.cross_memory = 0.10f;
  disturbed.plain = 0.50f;
  disturbed.cross_memory = 0.09f;
  for (const CopyPrices& prices : {disturbed, silent, quiet}) job.least(prices);
  EXPECT_FLOAT_EQ(job.plain, 0.02f);
  EXPECT_FLOAT_EQ(job.cross_memory, 0.09f);
}

TEST(CopyPrices, AreMeasured) {
  const CopyPrices prices = CopyPrices::measure();
  EXPECT_GT(prices.plain, 0);
  EXPECT_GE(prices.cross_memory, 0);  // 0 where the system forbids it
}

}  // namespace
}  // namespace vif::net
