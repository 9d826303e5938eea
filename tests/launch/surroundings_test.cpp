// What the environment says about who started a process. Context: app.
#include "launch/surroundings.hpp"

#include <map>

#include <gtest/gtest.h>

namespace vif::launch {
namespace {

using Kind = Surroundings::Kind;

Surroundings look(const std::map<std::string, std::string>& variables) {
  return look_around([&variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Surroundings, nobody_means_alone) { EXPECT_EQ(look({}).kind, Kind::alone); }

TEST(Surroundings, a_descriptor_means_pmi) {
  const Surroundings found = look({{"PMI_FD", "7"}, {"PMI_RANK", "2"}, {"PMI_SIZE", "5"}});
  EXPECT_EQ(found.kind, Kind::pmi);
  EXPECT_EQ(found.descriptor, 7);
  EXPECT_EQ(found.rank, 2);
  EXPECT_EQ(found.size, 5);
  EXPECT_EQ(found.segment, -1);
  EXPECT_EQ(found.launcher, 0);
}

TEST(Surroundings, our_launcher_adds_memory_and_its_process) {
  const Surroundings found = look(
      {{"PMI_FD", "7"}, {"PMI_RANK", "0"}, {"PMI_SIZE", "1"}, {"VIF_JOB_SEGMENT_FD", "9"}, {"VIF_JOB_PID", "1234"}});
  EXPECT_EQ(found.segment, 9);
  EXPECT_EQ(found.launcher, 1234);
}

TEST(Surroundings, a_descriptor_wins_over_another_launcher_around_it) {
  EXPECT_EQ(look({{"PMI_FD", "7"}, {"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {"OMPI_COMM_WORLD_RANK", "3"}}).kind,
            Kind::pmi);
}

TEST(Surroundings, variables_that_contradict_each_other_are_an_error) {
  using Variables = std::map<std::string, std::string>;
  for (const Variables& wrong :
       {Variables{{"PMI_FD", "7"}}, Variables{{"PMI_FD", "x"}, {"PMI_RANK", "0"}, {"PMI_SIZE", "1"}},
        Variables{{"PMI_FD", "7"}, {"PMI_RANK", "2"}, {"PMI_SIZE", "2"}},
        Variables{{"PMI_FD", "7"}, {"PMI_RANK", "-1"}, {"PMI_SIZE", "2"}},
        Variables{{"PMI_FD", "7"}, {"PMI_RANK", "0"}, {"PMI_SIZE", "99999999999"}}}) {
    const Surroundings found = look(wrong);
    EXPECT_EQ(found.kind, Kind::foreign);
    EXPECT_NE(found.sentence.find("PMI_FD"), std::string::npos);
  }
}

TEST(Surroundings, a_launcher_that_speaks_something_else_is_named) {
  using Variables = std::map<std::string, std::string>;
  const std::pair<Variables, const char*> cases[] = {
      {{{"SLURM_PROCID", "1"}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "4"}}, "srun"},
      {{{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}, {"PMIX_RANK", "0"}}, "Open MPI"},
      {{{"PMIX_RANK", "0"}}, "PMIx"},
      {{{"ALPS_APP_PE", "0"}}, "ALPS"},
      {{{"PALS_RANKID", "0"}, {"PALS_NRANKS", "2"}}, "PALS"},
      {{{"JSM_NAMESPACE_RANK", "0"}}, "jsrun"},
      {{{"PMI_PORT", "host:123"}}, "TCP port"},
      {{{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}, "PMI_RANK"},
  };
  for (const auto& [variables, name] : cases) {
    const Surroundings found = look(variables);
    EXPECT_EQ(found.kind, Kind::foreign) << name;
    EXPECT_NE(found.sentence.find(name), std::string::npos) << found.sentence;
    EXPECT_NE(found.sentence.find("unset"), std::string::npos) << found.sentence;
  }
}

TEST(Surroundings, a_batch_shell_is_not_a_job_step) {
  // What sbatch and salloc set in the shell that they start.
  EXPECT_EQ(look({{"SLURM_JOB_ID", "77"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_LOCALID", "0"}}).kind,
            Kind::alone);
  // The interactive step of salloc has one task.
  EXPECT_EQ(look({{"SLURM_PROCID", "0"}, {"SLURM_STEP_ID", "4294967290"}, {"SLURM_STEP_NUM_TASKS", "1"}}).kind,
            Kind::alone);
}

TEST(Surroundings, a_foreign_launcher_of_one_rank_needs_no_talk) {
  EXPECT_EQ(look({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}, {"PMIX_RANK", "0"}}).kind, Kind::alone);
}

}  // namespace
}  // namespace vif::launch
