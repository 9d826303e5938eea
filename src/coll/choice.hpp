// Which algorithm: estimates of what each costs, compared. Pure functions of numbers that all processes know alike (and
// of the options VIF_COLL and VIF_COLL_ORDER, which are theirs alike): a choice that differed between them would be a
// deadlock.
//
// The model: a message costs a fixed time, a byte moved or combined costs a time of its own. With a core for each
// process the longest chain of them counts. With fewer cores than processes everything that anybody does counts, at
// prices of each algorithm's own, because its messages cost turns of the scheduler. Context: any.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace vif::coll {

struct Situation {
  int size = 1;                 // processes
  bool oversubscribed = false;  // more processes than cores
  bool commutative = true;
  bool ordered = false;  // the result must not depend on the choice
};

// What an algorithm does: along its longest chain, and in all processes together.
struct Cost {
  double chain_messages = 0;
  double chain_bytes = 0;
  double all_messages = 0;
  double all_bytes = 0;
};

enum class Collective : uint8_t {
  barrier,
  bcast,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce,
  allreduce,
  reduce_scatter,
  scan,
  exscan,
};
inline constexpr int collectives_count = 11;

enum class Algorithm : uint8_t {
  area,  // in shared memory (area_call.hpp): not by price, but where it fits
  linear,
  binomial,
  chain,
  scatter_allgather,
  halving,
  doubling,
  ring,
  direct,
  allreduce,
  bruck,
  pairwise,
  dissemination,
  fold,  // strictly from the last rank to the first
  // What is never the cheapest by itself, and used where it is asked for:
  split,          // a tree in which application and progress threads share the steps (split.hpp): of non-blocking forms
  chain_ordered,  // a chain whose messages take turns, for progress threads that share a core
};

// Microseconds.
double price(Algorithm algorithm, const Cost& cost, const Situation& situation) noexcept;
// The same where so many cores do all that any process does, and nobody else needs them.
double folded_price(const Cost& cost, int cores) noexcept;

struct Candidate {
  Algorithm algorithm = Algorithm::linear;
  double price = 0;
  Cost cost;
};

// Those that work here, in order of preference among equal prices.
struct Candidates {
  std::array<Candidate, 3> list;
  int count = 0;
};

// `bytes` is the whole vector for bcast and reductions, and one block for the others.
Candidates candidates(Collective collective, uint64_t bytes, const Situation& situation) noexcept;
// The one that VIF_COLL names, if it works here; else the cheapest.
Algorithm choose(Collective collective, uint64_t bytes, const Situation& situation) noexcept;

// Whether there is a split-tree of it.
bool is_tree(Collective collective) noexcept;
// Whether VIF_COLL names this algorithm for it.
bool is_forced(Collective collective, Algorithm algorithm) noexcept;
// Whether VIF_COLL lets the shared area be used.
bool area_allowed(Collective collective) noexcept;

// The segments of a pipelined chain.
uint64_t chain_segment(uint64_t bytes, const Situation& situation) noexcept;

std::string_view name_of(Collective collective) noexcept;
std::string_view name_of(Algorithm algorithm) noexcept;
bool collective_of(std::string_view name, Collective& collective) noexcept;

// Takes choices as VIF_COLL writes them: "bcast=chain,allreduce=ring". A full sentence when they are wrong, else empty.
// App context, before any collective.
std::string set_choices(std::string_view text);

}  // namespace vif::coll
