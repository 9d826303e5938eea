// Context: app.
#include "machine/progress_seats.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "machine/places.hpp"

namespace vif::machine {

namespace {

using Cores = std::map<int, std::vector<int>>;  // CPUs by the number of their core

// A CPU whose part is not known is one by itself.
int part_number(int cpu, Part part, const FileReader& read, int otherwise) {
  CpuMask mask;
  mask.set(static_cast<std::size_t>(cpu));
  const int number = part_of(mask, part, read);
  return number < 0 ? otherwise : number;
}

}  // namespace

HostMap map_host(const CpuMask& usable, const FileReader& read) {
  std::map<int, Cores> nodes;
  for (int cpu = 0; cpu < static_cast<int>(usable.size()); ++cpu) {
    if (!usable.test(static_cast<std::size_t>(cpu))) continue;
    nodes[part_number(cpu, Part::numa_node, read, 0)][part_number(cpu, Part::core, read, cpu)].push_back(cpu);
  }
  HostMap host;
  if (nodes.empty()) return host;
  std::size_t cores = SIZE_MAX, threads = SIZE_MAX;
  for (const auto& [number, node] : nodes) {
    cores = std::min(cores, node.size());
    for (const auto& [core, cpus] : node) threads = std::min(threads, cpus.size());
  }
  host.shape = {1, static_cast<int>(nodes.size()), static_cast<int>(cores), static_cast<int>(threads)};
  for (const auto& [number, node] : nodes) {
    std::size_t taken = 0;
    for (const auto& [core, cpus] : node) {
      if (taken++ == cores) break;
      host.cpus.insert(host.cpus.end(), cpus.begin(), cpus.begin() + static_cast<std::ptrdiff_t>(threads));
    }
  }
  return host;
}

Seats seat_ranks(int ranks, const HostMap& host, ProgressPlace place) {
  Seats seats;
  seats.list.resize(static_cast<std::size_t>(std::max(0, ranks)));
  const int cores = host.shape.numa_nodes * host.shape.cores;
  seats.serving = std::max(0, cores - ranks);
  if (host.cpus.empty()) return seats;
  const std::vector<RankPlace> places = place_ranks(ranks, host.shape, place, seats.note);
  if (!seats.note.empty()) return seats;
  std::vector<int> used(static_cast<std::size_t>(cores), 0);  // threads on each core
  const auto core_of = [&](int cpu) { return static_cast<std::size_t>(cpu / host.shape.threads_per_core); };
  for (const RankPlace& it : places) {
    ++used[core_of(it.task)];
    if (it.progress != it.task) ++used[core_of(it.progress)];
  }
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    const auto [task, progress] = places[rank];
    seats.list[rank].task = host.cpus[static_cast<std::size_t>(task)];
    if (progress == task) continue;
    seats.list[rank].progress = host.cpus[static_cast<std::size_t>(progress)];
    seats.list[rank].alone = used[core_of(progress)] == 1;
  }
  return seats;
}

CpuMask job_cpus(const FileReader& read) {
  if (const char* given = std::getenv("VIF_JOB_CPUS"); given != nullptr) {
    if (const CpuMask mask = cpus_in(given); mask.any()) return mask;
  }
  std::string text;
  return read("/sys/devices/system/cpu/online", text) ? cpus_in(text) : own_affinity();
}

std::string cpu_list(const CpuMask& mask) {
  std::string text;
  for (std::size_t first = 0; first < mask.size(); ++first) {
    if (!mask.test(first)) continue;
    std::size_t last = first;
    while (last + 1 < mask.size() && mask.test(last + 1)) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (last != first) text += "-" + std::to_string(last);
    first = last;
  }
  return text;
}

}  // namespace vif::machine
