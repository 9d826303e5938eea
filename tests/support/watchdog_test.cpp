// The watchdog is tested on a program that hangs on purpose.
#include <array>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "support/watchdog.hpp"

namespace {

struct Result {
  int exit_code;
  std::string output;
};

Result run(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {-1, "popen failed"};
  std::string output;
  std::array<char, 4096> block{};
  while (const std::size_t length = fread(block.data(), 1, block.size(), pipe)) output.append(block.data(), length);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

const std::string hung_program = VIF_HUNG_PROGRAM;

TEST(Watchdog, EndsATestThatHangsAndPrintsTheStackOfEachThread) {
  const Result result = run("VIF_TEST_LIMIT=1 " + hung_program + " --gtest_filter=Hung.OnPurpose");
  EXPECT_EQ(result.exit_code, vif::support::watchdog_exit_code) << result.output;
  EXPECT_NE(result.output.find("Hung.OnPurpose has not ended after 1 s"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("stuck_in_main_thread"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("stuck_in_second_thread"), std::string::npos) << result.output;
}

TEST(Watchdog, TheLimitOfTheProgramEndsItToo) {
  const Result result =
      run("VIF_TEST_LIMIT=0 VIF_TEST_PROGRAM_LIMIT=1 " + hung_program + " --gtest_filter=Hung.OnPurpose");
  EXPECT_EQ(result.exit_code, vif::support::watchdog_exit_code) << result.output;
}

TEST(Watchdog, LeavesAloneATestThatEnds) {
  const Result result = run("VIF_TEST_LIMIT=1 " + hung_program + " --gtest_filter=Hung.NotAtAll");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(result.output.find("watchdog"), std::string::npos) << result.output;
}

TEST(Watchdog, RefusesALimitThatIsNotANumber) {
  const Result result = run("VIF_TEST_LIMIT=soon " + hung_program + " --gtest_filter=Hung.NotAtAll");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.output.find("VIF_TEST_LIMIT must be a number of seconds"), std::string::npos) << result.output;
}

}  // namespace
