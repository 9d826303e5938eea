// Tests of machine/cpus.hpp: control groups as fake trees, competition for CPUs as a table.
#include "machine/cpus.hpp"

#include <gtest/gtest.h>

#include <sched.h>

#include <initializer_list>
#include <map>

namespace vif::machine {
namespace {

using Tree = std::map<std::string, std::string>;

double quota(const Tree& tree) {
  return cgroup_quota([&tree](const std::string& path, std::string& text) {
    auto file = tree.find(path);
    if (file == tree.end()) return false;
    text = file->second;
    return true;
  });
}

TEST(CgroupQuota, IsNoneWithoutFilesOrLimits) {
  EXPECT_EQ(quota({}), 0);
  EXPECT_EQ(quota({{"/proc/self/cgroup", "0::/user.slice\n"}}), 0);
  EXPECT_EQ(quota({{"/proc/self/cgroup", "0::/a\n"}, {"/sys/fs/cgroup/a/cpu.max", "max 100000\n"}}), 0);
  EXPECT_EQ(quota({{"/proc/self/cgroup", "4:cpu,cpuacct:/a\n"},
                   {"/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n"},
                   {"/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"}}),
            0);
}

TEST(CgroupQuota, ReadsVersionTwo) {
  EXPECT_DOUBLE_EQ(quota({{"/proc/self/cgroup", "0::/a/b\n"}, {"/sys/fs/cgroup/a/b/cpu.max", "150000 100000\n"}}), 1.5);
}

TEST(CgroupQuota, ReadsVersionTwoBesideVersionOne) {
  EXPECT_DOUBLE_EQ(
      quota({{"/proc/self/cgroup", "3:cpuset:/\n0::/a\n"}, {"/sys/fs/cgroup/unified/a/cpu.max", "50000 100000\n"}}),
      0.5);
}

TEST(CgroupQuota, TakesTheTightestOfAllThatTheGroupLiesIn) {
  Tree tree{{"/proc/self/cgroup", "0::/a/b/c\n"},
            {"/sys/fs/cgroup/a/b/c/cpu.max", "400000 100000\n"},
            {"/sys/fs/cgroup/a/b/cpu.max", "max 100000\n"},
            {"/sys/fs/cgroup/a/cpu.max", "200000 100000\n"}};
  EXPECT_DOUBLE_EQ(quota(tree), 2);
  tree["/sys/fs/cgroup/cpu.max"] = "50000 50000\n";  // as a container sees its own limit
  EXPECT_DOUBLE_EQ(quota(tree), 1);
}

TEST(CgroupQuota, ReadsVersionOne) {
  EXPECT_DOUBLE_EQ(quota({{"/proc/self/cgroup", "9:name=systemd:/x\n4:cpu,cpuacct:/docker/1\n0::/\n"},
                          {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "250000\n"},
                          {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}}),
                   2.5);
}

TEST(CgroupQuota, DoesNotTakeAnotherControllerForTheCpus) {
  EXPECT_EQ(quota({{"/proc/self/cgroup", "4:cpuacct:/a\n"},
                   {"/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "100000\n"},
                   {"/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"}}),
            0);
}

TEST(CgroupQuota, IgnoresNonsense) {
  EXPECT_EQ(quota({{"/proc/self/cgroup", "nonsense\n::\n0::/a\n"}, {"/sys/fs/cgroup/a/cpu.max", "\n"}}), 0);
  EXPECT_EQ(quota({{"/proc/self/cgroup", "0::/a\n"}, {"/sys/fs/cgroup/a/cpu.max", "100000 0\n"}}), 0);
}

CpuMask mask(std::initializer_list<std::size_t> cpus) {
  CpuMask result;
  for (std::size_t cpu : cpus) result.set(cpu);
  return result;
}

TEST(Oversubscribed, CountsProcessesAgainstTheirCpus) {
  const CpuMask two = mask({0, 1});
  EXPECT_FALSE(oversubscribed({two}, 0, 0));
  EXPECT_FALSE(oversubscribed({two, two}, 0, 0));
  EXPECT_TRUE(oversubscribed({two, two, two}, 2, 0));
}

TEST(Oversubscribed, IsAQuestionOfThoseWhoShareCpus) {
  const std::vector<CpuMask> masks{mask({0}), mask({0}), mask({1}), mask({2, 3}), mask({3, 4})};
  EXPECT_TRUE(oversubscribed(masks, 0, 0));
  EXPECT_TRUE(oversubscribed(masks, 1, 0));
  EXPECT_FALSE(oversubscribed(masks, 2, 0));
  EXPECT_FALSE(oversubscribed(masks, 3, 0));
}

TEST(Oversubscribed, SeesTwoOnOneCpuAmongIdleOnes) {
  // Three processes, four CPUs, and still two of them must share CPU 0.
  EXPECT_TRUE(oversubscribed({mask({0}), mask({0}), mask({0, 1, 2, 3})}, 2, 0));
}

TEST(Oversubscribed, MovesProcessesToMakeRoom) {
  // The first would take CPU 0, the second CPU 1; the third can only use 0, the fourth only 1.
  EXPECT_FALSE(oversubscribed({mask({0, 1, 2}), mask({1, 3}), mask({0}), mask({1})}, 0, 0));
  EXPECT_TRUE(oversubscribed({mask({0, 1}), mask({1, 3}), mask({0}), mask({1}), mask({3})}, 0, 0));
}

TEST(Oversubscribed, ComparesWithTheQuotaToo) {
  const CpuMask eight = mask({0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_FALSE(oversubscribed({eight, eight}, 0, 2));
  EXPECT_TRUE(oversubscribed({eight, eight, eight}, 0, 2.5));
  EXPECT_TRUE(oversubscribed({eight}, 0, 0.5));
}

TEST(Oversubscribed, AnswersForAWholeLargeMachine) {
  CpuMask all;
  all.set();
  EXPECT_FALSE(oversubscribed(std::vector<CpuMask>(1024, all), 5, 0));
  EXPECT_TRUE(oversubscribed(std::vector<CpuMask>(1025, all), 5, 0));
}

TEST(UsableCpus, AreSomeAndNotMoreThanTheAffinity) {
  cpu_set_t set;
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  EXPECT_GE(usable_cpus(), 1);
  EXPECT_LE(usable_cpus(), CPU_COUNT(&set));
}

}  // namespace
}  // namespace vif::machine
