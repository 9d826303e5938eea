// Tests of bell/gap.hpp: what a program did after a call tells what it will do.
#include "bell/gap.hpp"

#include <gtest/gtest.h>

namespace vif::bell {
namespace {

constexpr int64_t soon = 300, late = 1'000'000;

TEST(GapHistory, ExpectsNothingAtFirst) { EXPECT_FALSE(GapHistory().expects_short(7)); }

TEST(GapHistory, ExpectsAShortGapAfterThree) {
  GapHistory gaps;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(gaps.expects_short(7));
    gaps.learn(7, soon);
  }
  EXPECT_TRUE(gaps.expects_short(7));
  EXPECT_FALSE(gaps.expects_short(8));
}

TEST(GapHistory, OneComputationUnlearnsIt) {
  GapHistory gaps;
  for (int i = 0; i < 100; ++i) gaps.learn(7, soon);
  gaps.learn(7, late);
  EXPECT_FALSE(gaps.expects_short(7));
  gaps.learn(7, soon);
  gaps.learn(7, late);
  gaps.learn(7, soon);
  gaps.learn(7, soon);
  EXPECT_FALSE(gaps.expects_short(7));
}

TEST(GapHistory, AnyNumberNamesASite) {
  GapHistory gaps;
  gaps.learn(~0u, late);
  EXPECT_FALSE(gaps.expects_short(~0u));
}

}  // namespace
}  // namespace vif::bell
