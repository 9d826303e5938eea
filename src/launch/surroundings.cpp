// What the environment says about who started this process. Context: app.
#include "launch/surroundings.hpp"

#include <climits>

#include "launch/wire.hpp"

namespace vif::launch {

namespace {

// A launcher that we cannot talk to. Its rank variable alone proves little when `step` is named too: a batch shell has
// SLURM_PROCID as well, only a job step has both. With a `size` variable that says 1, being alone is right.
struct Foreign {
  const char* rank;
  const char* step;
  const char* size;
  const char* launcher;
  const char* remedy;
};

constexpr const char* use_ours = "start the program with Vif's own mpirun instead";
constexpr Foreign foreigners[] = {
    {"SLURM_PROCID", "SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS", "srun (Slurm)",
     "use 'srun --mpi=pmi2', which gives PMI_FD, or Vif's own mpirun inside the allocation"},
    {"OMPI_COMM_WORLD_RANK", nullptr, "OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun", use_ours},
    {"PMIX_RANK", nullptr, "OMPI_COMM_WORLD_SIZE", "a PMIx launcher (prterun or srun --mpi=pmix)", use_ours},
    {"ALPS_APP_PE", nullptr, nullptr, "aprun (Cray ALPS)", use_ours},
    {"PALS_RANKID", nullptr, "PALS_NRANKS", "mpiexec of Cray PALS", use_ours},
    {"JSM_NAMESPACE_RANK", nullptr, "JSM_NAMESPACE_SIZE", "jsrun (IBM JSM)", use_ours},
    {"FLUX_TASK_RANK", nullptr, "FLUX_JOB_SIZE", "flux run without its simple PMI",
     "add '-o pmi=simple' to flux run, or start the program with Vif's own mpirun"},
    {"MV2_COMM_WORLD_RANK", nullptr, "MV2_COMM_WORLD_SIZE", "mpirun_rsh (MVAPICH)", use_ours},
    {"PMI_PORT", nullptr, "PMI_SIZE", "a launcher that offers PMI-1 on a TCP port only",
     "let it use an inherited descriptor (hydra: without -pmi-port), or start the program with Vif's own mpirun"},
    {"PMI_RANK", nullptr, "PMI_SIZE", "a launcher that gives PMI_RANK but no PMI_FD", use_ours},
};

bool says_one(const char* text) { return text != nullptr && parse_number(text) == 1; }

int small_number(const char* text, int otherwise) {
  const auto value = text != nullptr ? parse_number(text) : std::nullopt;
  return value && *value >= 0 && *value <= INT_MAX ? static_cast<int>(*value) : otherwise;
}

Surroundings foreign(std::string sentence) {
  Surroundings found;
  found.kind = Surroundings::Kind::foreign;
  found.sentence = std::move(sentence);
  return found;
}

Surroundings with_descriptor(const Environment& environment, const char* descriptor) {
  const char* rank = environment("PMI_RANK");
  const char* size = environment("PMI_SIZE");
  Surroundings found;
  found.kind = Surroundings::Kind::pmi;
  found.descriptor = small_number(descriptor, -1);
  found.rank = small_number(rank, -1);
  found.size = small_number(size, 0);
  found.segment = small_number(environment("VIF_JOB_SEGMENT_FD"), -1);
  found.first = small_number(environment("VIF_JOB_FIRST"), 0);
  found.launcher = small_number(environment("VIF_JOB_PID"), 0);
  if (found.descriptor < 0 || found.rank < 0 || found.rank >= found.size) {
    const auto show = [](const char* text) { return text == nullptr ? std::string("unset") : quote(text); };
    return foreign("The launcher's variables make no sense together (PMI_FD=" + show(descriptor) +
                   ", PMI_RANK=" + show(rank) + ", PMI_SIZE=" + show(size) +
                   "): start the program with mpirun, or unset them to run it alone.");
  }
  return found;
}

}  // namespace

Surroundings look_around(const Environment& environment) {
  if (const char* descriptor = environment("PMI_FD")) return with_descriptor(environment, descriptor);
  for (const Foreign& launcher : foreigners) {
    const char* rank = environment(launcher.rank);
    if (rank == nullptr) continue;
    if (launcher.step != nullptr && environment(launcher.step) == nullptr) continue;
    if (launcher.size != nullptr && says_one(environment(launcher.size))) continue;
    return foreign("This process was started by " + std::string(launcher.launcher) + " (" + launcher.rank + "=" + rank +
                   "), which Vif cannot talk to, and would run as a job of its own: " + launcher.remedy +
                   ", or unset " + launcher.rank + " to run it alone.");
  }
  return {};
}

}  // namespace vif::launch
