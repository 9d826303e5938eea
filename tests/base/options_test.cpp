// Tests of the option table and of the check of the environment.
#include "base/options.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <set>

namespace vif::base {
namespace {

std::string check(const char* variable) {
  const char* environment[] = {"PATH=/bin", variable, "HOME=/", nullptr};
  return check_options_in(environment);
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(Options, EveryRowIsCompleteAndAcceptsItsDefault) {
  std::size_t count = 0;
  const Option* rows = options(count);
  std::set<std::string> names;
  ASSERT_GT(count, 0u);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_TRUE(names.insert(rows[i].name).second) << rows[i].name << " is there twice";
    EXPECT_EQ(std::strncmp(rows[i].name, "VIF_", 4), 0);
    std::string help = rows[i].help;
    ASSERT_FALSE(help.empty()) << rows[i].name;
    EXPECT_EQ(help.back(), '.') << rows[i].name;
    EXPECT_EQ(check((std::string(rows[i].name) + "=" + rows[i].default_value).c_str()), "");
  }
}

TEST(Options, AnUnknownNameIsAnErrorThatNamesTheNearest) {
  std::string complaint = check("VIF_REACTON=poll");
  EXPECT_TRUE(contains(complaint, "VIF_REACTON")) << complaint;
  EXPECT_TRUE(contains(complaint, "did you mean VIF_REACTION?")) << complaint;
  EXPECT_TRUE(contains(check("VIF_EAGER=1"), "VIF_EAGER_LIMIT"));
}

TEST(Options, AnUnknownValueIsAnErrorThatNamesTheAcceptedOnes) {
  std::string complaint = check("VIF_REACTION=fast");
  EXPECT_TRUE(contains(complaint, "VIF_REACTION=fast")) << complaint;
  EXPECT_TRUE(contains(complaint, "auto, poll, sleep, signal or uintr")) << complaint;
  EXPECT_TRUE(contains(check("VIF_EAGER_LIMIT=many"), "a size such as"));
  EXPECT_NE(check("VIF_SPIN_US=-1"), "");
  EXPECT_NE(check("VIF_CMA=yes"), "");
  EXPECT_NE(check("VIF_REACTION="), "");
}

TEST(Options, GoodValuesArePassed) {
  for (const char* variable : {"VIF_REACTION=signal", "VIF_EAGER_LIMIT=16K", "VIF_EAGER_LIMIT=auto", "VIF_SPIN_US=50",
                               "VIF_CMA=0", "VIF_CC=ccache gcc", "OTHER=1", "VIFFY=2"}) {
    EXPECT_EQ(check(variable), "") << variable;
  }
}

TEST(Options, PrivateVariablesArePassed) {
  EXPECT_EQ(check("VIF_JOB_ANYTHING=7"), "");
  EXPECT_EQ(check("VIF_TEST_SEED=7"), "");
  EXPECT_NE(check("VIF_JOBS=7"), "");
}

TEST(Options, TheEnvironmentOverridesTheDefault) {
  const char* before = std::getenv("VIF_REACTION");
  std::string kept = before != nullptr ? before : "";
  unsetenv("VIF_REACTION");
  EXPECT_EQ(option("VIF_REACTION"), "auto");
  setenv("VIF_REACTION", "sleep", 1);
  EXPECT_EQ(option("VIF_REACTION"), "sleep");
  unsetenv("VIF_REACTION");
  if (before != nullptr) setenv("VIF_REACTION", kept.c_str(), 1);
}

TEST(Options, AnUndeclaredNameIsAMistakeOfTheCaller) { EXPECT_DEATH(option("VIF_NOT_THERE"), ""); }

TEST(Options, SizesHaveSuffixes) {
  uint64_t bytes = 0;
  EXPECT_TRUE(parse_bytes("0", bytes) && bytes == 0);
  EXPECT_TRUE(parse_bytes("65536", bytes) && bytes == 65536);
  EXPECT_TRUE(parse_bytes("64K", bytes) && bytes == 65536);
  EXPECT_TRUE(parse_bytes("4m", bytes) && bytes == 4u << 20);
  EXPECT_TRUE(parse_bytes("1G", bytes) && bytes == 1u << 30);
  for (const char* wrong : {"", "K", "-1", "1.5M", "4MB", " 4", "99999999999999999G", "123456789012345678901"}) {
    EXPECT_FALSE(parse_bytes(wrong, bytes)) << wrong;
  }
}

}  // namespace
}  // namespace vif::base
