#include "machine/rank_places.hpp"

#include <algorithm>

namespace vif::machine {

namespace {

struct Name {
  ProgressPlace place;
  std::string_view name;
};

constexpr Name names[] = {{ProgressPlace::bind, "bind"},
                          {ProgressPlace::numa, "numa"},
                          {ProgressPlace::dedicated_core, "dedicated-core"},
                          {ProgressPlace::smt, "smt"},
                          {ProgressPlace::pair_impair, "pair-impair"}};

// The first of `of` things that group `group` of `groups` has, when they are shared out as evenly as possible.
int share_begin(int group, int of, int groups) noexcept { return (group * of + groups - 1) / groups; }

int group_of(int thing, int of, int groups) noexcept { return thing * groups / of; }

// The core of the progress thread of a rank on core `core` of a NUMA node of `cores` with `ranks` ranks: with
// delta = cores / (cores - ranks), the next core that the free ones, spread evenly, have:
// ceil((floor(core / delta) + 1) * delta) - 1, in whole numbers.
int numa_core(int core, int ranks, int cores) noexcept {
  if (ranks >= cores) return core;
  const int free = cores - ranks;
  const int turn = core * free / cores + 1;
  return (turn * cores + free - 1) / free - 1;
}

std::string unfit(int ranks, const std::string& why) {
  return std::to_string(ranks) + " ranks do not fit: " + why + " Use fewer ranks, a larger machine, or another place.";
}

// Fills in the places of the ranks of one node, from its first CPU on.
void place_node(RankPlace* places, int ranks, int first_cpu, const Shape& shape, ProgressPlace place) {
  const bool pairs = place == ProgressPlace::dedicated_core;
  const int cores = pairs ? shape.cores / 2 : shape.cores;  // a rank and its progress thread take two
  std::vector<bool> used(static_cast<std::size_t>(shape.numa_nodes * shape.cores), false);
  for (int rank = 0; rank < ranks; ++rank) {
    int core = scatter_numa(rank, ranks, shape.numa_nodes, cores);
    const int numa = core / cores;
    const int local = core % cores;
    if (pairs) core = numa * shape.cores + 2 * local;
    used[static_cast<std::size_t>(core)] = true;
    const int task = first_cpu + core * shape.threads_per_core;
    int progress = task;
    if (pairs) progress = task + shape.threads_per_core;
    if (place == ProgressPlace::smt) progress = task + 1;
    if (place == ProgressPlace::numa || place == ProgressPlace::pair_impair) {
      const int there = share_begin(numa + 1, ranks, shape.numa_nodes) - share_begin(numa, ranks, shape.numa_nodes);
      progress = first_cpu + (numa * cores + numa_core(local, there, cores)) * shape.threads_per_core;
    }
    places[rank] = {task, progress};
  }
  if (place != ProgressPlace::pair_impair) return;
  const auto first = std::find(used.begin(), used.end(), false);
  const auto last = std::find(used.rbegin(), used.rend(), false);
  if (first == used.end() || last.base() - 1 == first) return;
  const int even = first_cpu + static_cast<int>(first - used.begin()) * shape.threads_per_core;
  const int odd = first_cpu + static_cast<int>(last.base() - 1 - used.begin()) * shape.threads_per_core;
  for (int rank = 0; rank < ranks; ++rank) places[rank].progress = rank % 2 == 0 ? even : odd;
}

}  // namespace

std::string_view name_of(ProgressPlace place) noexcept { return names[static_cast<std::size_t>(place)].name; }

bool place_of(std::string_view name, ProgressPlace& place) noexcept {
  for (const Name& entry : names) {
    if (entry.name != name) continue;
    place = entry.place;
    return true;
  }
  return false;
}

int scatter_numa(int rank, int ranks, int numa_nodes, int cores) noexcept {
  const int numa = group_of(rank, ranks, numa_nodes);
  const int first = share_begin(numa, ranks, numa_nodes);
  const int there = share_begin(numa + 1, ranks, numa_nodes) - first;
  return numa * cores + (rank - first) * cores / there;
}

std::vector<RankPlace> place_ranks(int ranks, const Shape& shape, ProgressPlace place, std::string& error) {
  error.clear();
  const int cores = shape.numa_nodes * (place == ProgressPlace::dedicated_core ? shape.cores / 2 : shape.cores);
  if (ranks < 1) error = unfit(ranks, "there must be one.");
  if (ranks > cores * shape.nodes) {
    error = unfit(ranks, "there is room for " + std::to_string(cores * shape.nodes) + ".");
  }
  if (place == ProgressPlace::smt && shape.threads_per_core < 2) {
    error = unfit(ranks, "a core has one hardware thread, and 'smt' needs two.");
  }
  if (!error.empty()) return {};
  std::vector<RankPlace> places(static_cast<std::size_t>(ranks));
  for (int node = 0; node < shape.nodes; ++node) {
    const int first = share_begin(node, ranks, shape.nodes);
    const int there = share_begin(node + 1, ranks, shape.nodes) - first;
    const int cpus = shape.numa_nodes * shape.cores * shape.threads_per_core;
    if (there != 0) place_node(&places[static_cast<std::size_t>(first)], there, node * cpus, shape, place);
  }
  return places;
}

}  // namespace vif::machine
