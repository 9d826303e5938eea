// Where the ranks of a job run on the machines of a cluster, and where their progress threads do.
//
// From H. Taboada's thesis (Bordeaux 2018, sections 4.2 and 5.2): `scatter_numa` balances the ranks over the NUMA nodes
// and spreads them within each; a progress thread goes to a core that no rank uses. The printed formulas put a progress
// thread beside a foreign rank where the NUMA nodes do not divide the ranks; rounding up instead of down mends that.
// Pure functions. Context: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vif::machine {

// CPUs (hardware threads) are numbered node by node, NUMA node by NUMA node, core by core, as here in all of it.
struct Shape {
  int nodes = 1;
  int numa_nodes = 1;        // of a node
  int cores = 1;             // of a NUMA node
  int threads_per_core = 1;  // hardware threads
};

enum class ProgressPlace : uint8_t {
  bind,            // on the core of its rank
  numa,            // on the free cores of the rank's NUMA node, evenly; without a free one: bind
  dedicated_core,  // each on a core of its own, beside its rank's
  smt,             // on the other hardware thread of its rank's core
  pair_impair      // two free cores of the node: one for the even ranks, one for the odd ones; fewer than two: numa
};

std::string_view name_of(ProgressPlace place) noexcept;
bool place_of(std::string_view name, ProgressPlace& place) noexcept;

// CPUs.
struct RankPlace {
  int task = 0;
  int progress = 0;
};

// Places of all ranks; those of a node follow each other. Empty when they do not fit, with a sentence in `error`.
std::vector<RankPlace> place_ranks(int ranks, const Shape& shape, ProgressPlace place, std::string& error);

// The core within a node of a rank within it, among as many on `numa_nodes` times `cores`.
int scatter_numa(int rank, int ranks, int numa_nodes, int cores) noexcept;

}  // namespace vif::machine
