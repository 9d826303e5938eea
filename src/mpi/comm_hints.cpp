// Context: app.
#include "mpi/comm_hints.hpp"

#include <algorithm>

#include "machine/progress_seats.hpp"
#include "mpi/errors.hpp"
#include "mpi/hosts.hpp"
#include "mpi/info.hpp"

namespace vif::mpi {

namespace {

constexpr std::string_view progress_key = "vif_progress";
constexpr std::string_view progress_names[] = {"react", "thread", "poll"};

bool find_progress(std::string_view name, net::Progress& progress) noexcept {
  for (std::size_t i = 0; i < std::size(progress_names); ++i) {
    if (name != progress_names[i]) continue;
    progress = static_cast<net::Progress>(i);
    return true;
  }
  return false;
}

// The topology is read once.
int free_cores(int ranks) {
  static const int cores = [] {
    const machine::HostMap host = machine::map_host(machine::job_cpus());
    return host.shape.numa_nodes * host.shape.cores;
  }();
  return std::max(0, cores - ranks);
}

}  // namespace

net::Progress progress_named(std::string_view name) noexcept {
  net::Progress progress = net::Progress::react;
  find_progress(name, progress);
  return progress;
}

std::string refusal_of_hints(Info* given) {
  if (given == nullptr) return {};
  const std::string value = value_of(*given, progress_key);
  net::Progress progress;
  if (value.empty() || find_progress(value, progress)) return {};
  return "the info key vif_progress has the value '" + value +
         "', which no communicator can have; give react, thread or poll";
}

int check_hints(Comm* comm, Info* given) {
  const std::string refusal = refusal_of_hints(given);
  return refusal.empty() ? MPI_SUCCESS : raise(comm, MPI_ERR_INFO_VALUE, refusal);
}

void apply_hints(Comm& comm) {
  comm.collectives.progress = process()->progress;
  if (comm.info != nullptr) find_progress(value_of(*comm.info, progress_key), comm.collectives.progress);
  // Communicators of all ranks of a job on one host: what cores others of the job use is known there alone.
  const bool may_split = comm.collectives.progress == net::Progress::thread && comm.size > 1 && !comm.is_inter();
  if (may_split && comm.size == engine().together() && on_one_host(comm))
    comm.collectives.free_cores = free_cores(comm.size);
}

void add_hints_in_effect(const Comm& comm, Info& copy) {
  set_value(copy, progress_key, progress_names[static_cast<std::size_t>(comm.collectives.progress)]);
}

}  // namespace vif::mpi
