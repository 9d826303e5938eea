// The command line of mpirun, the binding of ranks, and the texts. Context: app.
#include "plan.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "binding.hpp"
#include "text.hpp"

namespace vif::tool {
namespace {

using Words = std::vector<std::string>;

Plan plan_of(const Words& words) {
  const Reading reading = read_run_arguments(words);
  EXPECT_EQ(reading.kind, Reading::Kind::run) << reading.sentence;
  return reading.plan;
}

TEST(CommandLine, a_program_with_its_own_options) {
  const Plan plan = plan_of({"-n", "3", "./a", "-n", "4", "--help"});
  ASSERT_EQ(plan.programs.size(), 1U);
  EXPECT_EQ(plan.programs[0].ranks, 3);
  EXPECT_EQ(plan.programs[0].command, (Words{"./a", "-n", "4", "--help"}));
}

TEST(CommandLine, several_programs) {
  const Plan plan = plan_of({"-np", "2", "-env", "A", "1", "./a", ":", "-wdir", "/tmp", "-genv", "B", "2", "./b", "x"});
  ASSERT_EQ(plan.programs.size(), 2U);
  EXPECT_EQ(plan.ranks(), 3);
  using Variables = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(plan.programs[0].environment, (Variables{{"B", "2"}, {"A", "1"}}));
  EXPECT_EQ(plan.programs[1].environment, (Variables{{"B", "2"}}));
  EXPECT_EQ(plan.programs[1].directory, "/tmp");
  EXPECT_EQ(plan.programs[1].command, (Words{"./b", "x"}));
}

TEST(CommandLine, double_dash_options_take_a_value_after_an_equal_sign) {
  EXPECT_EQ(plan_of({"--bind-to=core", "a"}).binding, Binding::core);
  EXPECT_EQ(plan_of({"--timeout=1.5", "a"}).timeout_seconds, 1.5);
}

TEST(CommandLine, a_double_dash_ends_the_options) { EXPECT_EQ(plan_of({"--", "-n"}).programs[0].command, Words{"-n"}); }

TEST(CommandLine, exports) {
  setenv("A_TEST_VARIABLE", "here", 1);
  const Plan plan = plan_of({"-x", "A_TEST_VARIABLE", "-x", "B=c=d", "a"});
  using Variables = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(plan.programs[0].environment, (Variables{{"A_TEST_VARIABLE", "here"}, {"B", "c=d"}}));
}

TEST(CommandLine, mistakes_are_told_in_a_sentence) {
  for (const Words& words :
       {Words{}, Words{"-n", "2"}, Words{"-n"}, Words{"-n", "0", "a"}, Words{"-n", "two", "a"},
        Words{"-n", "1000001", "a"}, Words{"--bind-to", "socket", "a"}, Words{"--nope", "a"}, Words{"--prefix=1", "a"},
        Words{"a", ":"}, Words{"a", ":", "-n", "2"}, Words{"-x", "NOT_SET_HERE", "a"}, Words{"-x", "=v", "a"},
        Words{"-genv", "A", "1"}, Words{"--timeout", "-1", "a"}, Words{"-wdir", "", "a"},
        Words{"-n", "999999", "a", ":", "-n", "2", "b"}}) {
    const Reading reading = read_run_arguments(words);
    EXPECT_EQ(reading.kind, Reading::Kind::wrong);
    EXPECT_GT(reading.sentence.size(), 20U);
    EXPECT_EQ(reading.sentence.back(), '.') << reading.sentence;
  }
}

TEST(CommandLine, a_near_miss_gets_a_suggestion) {
  EXPECT_NE(read_run_arguments({"--bnd-to", "core", "a"}).sentence.find("'--bind-to'"), std::string::npos);
}

TEST(CommandLine, every_option_is_in_the_help_and_in_the_manual_page) {
  for (const char* option :
       {"-n N", "-np N", "-wdir", "-x NAME", "-genv", "-env", "--bind-to", "--prefix", "--timeout"}) {
    EXPECT_NE(run_help().find(option), std::string::npos) << option;
  }
  EXPECT_NE(run_man_page().find("\\-\\-bind\\-to"), std::string::npos);
}

TEST(Environment, of_another_launcher_is_not_passed_on) {
  setenv("PMI_PORT", "elsewhere:1", 1);
  setenv("VIF_JOB_PID", "1", 1);
  Program program;
  program.environment = {{"NEW_ONE", "1"}, {"NEW_ONE", "2"}};
  bool found = false;
  for (const std::string& entry : program_environment(program)) {
    EXPECT_FALSE(entry.starts_with("PMI_PORT=") || entry.starts_with("VIF_JOB_PID=")) << entry;
    found = found || entry == "NEW_ONE=2";
    EXPECT_NE(entry, "NEW_ONE=1");
  }
  EXPECT_TRUE(found);
  unsetenv("PMI_PORT");
  unsetenv("VIF_JOB_PID");
}

cpu_set_t cpus(const std::vector<int>& list) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : list) CPU_SET(cpu, &set);
  return set;
}

// Four cores of two hardware threads: 0 and 4, 1 and 5, 2 and 6, 3 and 7.
std::string eight_threads(const std::string& path) {
  const int cpu = std::atoi(path.substr(path.find("/cpu/cpu") + 8).c_str());
  return std::to_string(cpu % 4) + "," + std::to_string(cpu % 4 + 4) + "\n";
}

TEST(Cores, threads_of_a_core_are_together_and_only_usable_ones_count) {
  const auto list = cores(cpus({1, 2, 5, 7}), eight_threads);
  ASSERT_EQ(list.size(), 3U);
  const cpu_set_t first = cpus({1, 5});
  const cpu_set_t last = cpus({7});
  EXPECT_TRUE(CPU_EQUAL(&list[0], &first));
  EXPECT_TRUE(CPU_EQUAL(&list[2], &last));
}

TEST(Cores, without_a_topology_each_cpu_is_a_core) {
  EXPECT_EQ(cores(cpus({0, 1, 9}), [](const std::string&) { return std::string(); }).size(), 3U);
}

TEST(Cores, lists_of_cpus) {
  EXPECT_EQ(parse_cpu_list("0-2,8\n"), (std::vector<int>{0, 1, 2, 8}));
  EXPECT_EQ(parse_cpu_list(""), std::vector<int>{});
  EXPECT_EQ(parse_cpu_list("nonsense"), std::vector<int>{});
  EXPECT_EQ(parse_cpu_list("0-99999999"), std::vector<int>{});
}

TEST(Binding, gives_each_rank_a_core_or_none_a_core) {
  const auto list = cores(cpus({0, 1, 2, 3, 4, 5, 6, 7}), eight_threads);
  std::string note;
  EXPECT_EQ(bind_ranks(Binding::none, 2, list, note).size(), 0U);
  EXPECT_EQ(bind_ranks(Binding::spread, 1, list, note).size(), 0U);
  EXPECT_EQ(bind_ranks(Binding::spread, 4, list, note).size(), 4U);
  EXPECT_EQ(bind_ranks(Binding::spread, 5, list, note).size(), 0U);
  EXPECT_EQ(note, "");
  EXPECT_EQ(bind_ranks(Binding::core, 5, list, note).size(), 0U);
  EXPECT_NE(note.find("5"), std::string::npos);
}

TEST(Texts, signals_have_names) {
  EXPECT_EQ(signal_words(SIGSEGV), "SIGSEGV, Segmentation fault");
  EXPECT_FALSE(signal_words(SIGRTMAX).empty());
}

}  // namespace
}  // namespace vif::tool
