#include <gtest/gtest.h>

#include "net/route.hpp"

namespace vif::net {
namespace {

using Way = RouteChoice::Way;

// Plays messages whose cost per byte is given for each way; returns how many of `count` took the ring.
int play(RouteChoice& choice, uint64_t length, double ring_cost, double cross_cost, int count) {
  int ring = 0;
  for (int i = 0; i < count; ++i) {
    const Way way = choice.choose(length);
    ring += way == Way::ring;
    const double cost = way == Way::ring ? ring_cost : cross_cost;
    choice.learn(length, way, static_cast<int64_t>(cost * static_cast<double>(length)));
  }
  return ring;
}

TEST(RouteChoice, TakesTheFasterWay) {
  RouteChoice choice;
  EXPECT_GE(play(choice, 1 << 20, 0.05, 0.12, 1000), 990);
  RouteChoice other;
  EXPECT_LE(play(other, 1 << 20, 0.12, 0.05, 1000), 10);
}

// The first messages of a job pay for cold memory, and a rank may be late: a few bad samples must not decide for long.
TEST(RouteChoice, ForgivesABadStart) {
  RouteChoice choice;
  play(choice, 1 << 20, 0.50, 0.12, 6);
  EXPECT_GE(play(choice, 1 << 20, 0.05, 0.12, 1000), 900);
}

TEST(RouteChoice, IsNotMovedByASingleDisturbance) {
  RouteChoice choice;
  play(choice, 1 << 20, 0.05, 0.12, 100);
  choice.learn(1 << 20, Way::ring, int64_t{100} << 20);
  EXPECT_EQ(choice.choose(1 << 20), Way::ring);
}

TEST(RouteChoice, LearnsEachSizeByItself) {
  RouteChoice choice;
  play(choice, 64 << 10, 0.05, 0.12, 100);
  EXPECT_LE(play(choice, 4 << 20, 0.30, 0.10, 1000), 10);
  EXPECT_GE(play(choice, 64 << 10, 0.05, 0.12, 1000), 990);
}

TEST(RouteChoice, FollowsAMachineThatChanges) {
  RouteChoice choice;
  play(choice, 1 << 20, 0.10, 0.12, 1000);
  EXPECT_LE(play(choice, 1 << 20, 0.20, 0.12, 2000), 300);
}

TEST(RouteChoice, KnowsWhetherOneSideAloneIsAsCheap) {
  RouteChoice dear;
  EXPECT_TRUE(dear.worth_alone(1 << 20));  // not known yet
  play(dear, 1 << 20, 0.03, 0.12, 100);
  EXPECT_FALSE(dear.worth_alone(1 << 20));
  RouteChoice cheap;
  play(cheap, 1 << 20, 0.10, 0.11, 100);
  EXPECT_TRUE(cheap.worth_alone(1 << 20));
}

TEST(RouteChoice, AnyLengthHasAClass) {
  RouteChoice choice;
  for (uint64_t length : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 40, ~uint64_t{0}}) {
    const Way way = choice.choose(length);
    choice.learn(length | 1, way, 1000);
  }
}

}  // namespace
}  // namespace vif::net
