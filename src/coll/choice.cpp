#include "coll/choice.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>

namespace vif::coll {

namespace {

// Microseconds, measured (README.md says how).
constexpr double message_time = 0.14;         // a short message between running processes
constexpr double byte_time = 1.0 / 35'000.0;  // a byte of a long one between two running processes
constexpr double few_cores = 2.0;             // that share the work when there are fewer cores than processes

// With fewer cores than processes: what a message costs all processes together, turns of the scheduler included, and
// how many bytes are moved or combined in a microsecond. How many messages a turn treats, and what is still in the
// cache, depends on the algorithm more than on anything else, so each has its own figures.
struct Crowd {
  double message;
  double rate;
};
Crowd crowd_of(Algorithm algorithm) noexcept {
  switch (algorithm) {
    case Algorithm::linear:
      return {3.0, 4'000};
    case Algorithm::binomial:
    case Algorithm::split:
      return {4.0, 9'000};
    case Algorithm::chain:
    case Algorithm::chain_ordered:
      return {1.8, 30'000};
    case Algorithm::scatter_allgather:
      return {0.8, 15'000};
    case Algorithm::halving:
      return {1.7, 8'000};
    case Algorithm::ring:
      return {1.6, 18'000};
    case Algorithm::direct:
      return {0.6, 5'000};
    case Algorithm::allreduce:
      return {5.5, 15'000};
    case Algorithm::bruck:
      return {4.8, 22'000};
    case Algorithm::pairwise:
      return {0.8, 5'000};
    case Algorithm::area:
    case Algorithm::doubling:
    case Algorithm::dissemination:
    case Algorithm::fold:
      break;
  }
  return {2.2, 15'000};
}
// The segments of a chain that cost turns: the others come while those before them are treated.
constexpr double segments_by_turn = 4;

double rounds(int size) noexcept { return std::bit_width(static_cast<unsigned>(size - 1)); }
bool is_power(int size) noexcept { return std::has_single_bit(static_cast<unsigned>(size)); }

struct Priced {
  Algorithm algorithm;
  Cost cost;
};

Candidates listed(std::initializer_list<Priced> all, const Situation& situation) noexcept {
  Candidates candidates;
  for (const Priced& it : all) {
    candidates.list[static_cast<std::size_t>(candidates.count++)] = {it.algorithm,
                                                                     price(it.algorithm, it.cost, situation), it.cost};
  }
  return candidates;
}

// The same work in every process, one step after the other.
Cost even(int size, double messages, double bytes) noexcept { return {messages, bytes, messages * size, bytes * size}; }

Candidates for_bcast(double length, const Situation& situation) noexcept {
  const double size = situation.size;
  const double edges = size - 1;
  const double depth = rounds(situation.size);
  const Cost tree{depth, depth * length, edges, edges * length};
  if (situation.size <= 2) return listed({{Algorithm::binomial, tree}}, situation);
  const double segments =
      std::ceil(length / static_cast<double>(chain_segment(static_cast<uint64_t>(length), situation)));
  const Cost chain{segments + edges, length + edges * length / std::max(1.0, segments),
                   std::min(segments, segments_by_turn) * edges, edges * length};
  const Cost ring{depth + edges, 2 * length * edges / size, edges * (1 + size), 2 * edges * length};
  return listed({{Algorithm::binomial, tree}, {Algorithm::chain, chain}, {Algorithm::scatter_allgather, ring}},
                situation);
}

// One process after the other, in segments.
Cost fold_cost(double length, const Situation& situation) noexcept {
  const double edges = situation.size - 1;
  const double segments =
      std::ceil(length / static_cast<double>(chain_segment(static_cast<uint64_t>(length), situation)));
  return {segments + edges, 2 * (length + edges * length / std::max(1.0, segments)), segments * edges,
          2 * edges * length};
}

Candidates for_reduce(double length, const Situation& situation) noexcept {
  if (situation.ordered) return listed({{Algorithm::fold, fold_cost(length, situation)}}, situation);
  const double edges = situation.size - 1;
  const double depth = rounds(situation.size);
  // Two bytes of work for each byte that is received and combined.
  const Cost tree{depth, 2 * depth * length, edges, 2 * edges * length};
  const Cost halving{2 * depth, 4 * length, 2 * depth * situation.size, 4 * edges * length};
  return listed({{Algorithm::binomial, tree}, {Algorithm::halving, halving}}, situation);
}

Candidates for_allreduce(double length, const Situation& situation) noexcept {
  if (situation.ordered) return listed({{Algorithm::fold, fold_cost(length, situation)}}, situation);
  const double edges = situation.size - 1;
  const double depth = rounds(situation.size);
  const double share = edges / std::max(1, situation.size);
  const bool folds = !is_power(situation.size);
  const Cost doubling = even(situation.size, depth + (folds ? 1 : 0), (2 * depth + (folds ? 1 : 0)) * length);
  // Halving copies the vector first.
  const Cost halving = even(situation.size, 2 * depth + (folds ? 1 : 0), (3 * share + 1 + (folds ? 2 : 0)) * length);
  if (!situation.commutative) {
    return listed({{Algorithm::doubling, doubling}, {Algorithm::halving, halving}}, situation);
  }
  const Cost ring = even(situation.size, 2 * edges, 3 * share * length);
  return listed({{Algorithm::doubling, doubling}, {Algorithm::halving, halving}, {Algorithm::ring, ring}}, situation);
}

Candidates for_reduce_scatter(double length, const Situation& situation) noexcept {
  const double edges = situation.size - 1;
  const double depth = rounds(situation.size);
  const Cost direct = even(situation.size, edges, 2 * length * edges / std::max(1, situation.size));
  if (situation.ordered) return listed({{Algorithm::direct, direct}}, situation);
  const Cost all = even(situation.size, depth, (2 * depth + 1) * length);
  return listed({{Algorithm::direct, direct}, {Algorithm::allreduce, all}}, situation);
}

// Gather and scatter.
Candidates for_tree(double length, const Situation& situation) noexcept {
  const double edges = situation.size - 1;
  const double depth = rounds(situation.size);
  const Cost linear{edges, edges * length, edges, edges * length};
  // Blocks are copied once more at each level, and at the root.
  const Cost tree{depth, 2 * edges * length, edges, (depth / 2 + 2) * edges * length};
  return listed({{Algorithm::linear, linear}, {Algorithm::binomial, tree}}, situation);
}

Candidates for_allgather(double length, const Situation& situation) noexcept {
  const double edges = situation.size - 1;
  const double depth = rounds(situation.size);
  const Cost ring = even(situation.size, edges, edges * length);
  const Cost bruck = even(situation.size, depth, 2 * edges * length);
  if (!is_power(situation.size)) return listed({{Algorithm::ring, ring}, {Algorithm::bruck, bruck}}, situation);
  // As few bytes as the ring and as few messages as Bruck's: never worse than either.
  Cost doubling = even(situation.size, depth, edges * length);
  // Where all bytes count: its messages grow until they leave the caches.
  doubling.all_bytes *= 1.5;
  return listed({{Algorithm::doubling, doubling}, {Algorithm::ring, ring}, {Algorithm::bruck, bruck}}, situation);
}

Candidates for_alltoall(double length, const Situation& situation) noexcept {
  const double edges = situation.size - 1;
  const double depth = rounds(situation.size);
  const Cost pairwise = even(situation.size, edges, edges * length);
  // Half of the blocks move in each round, and are packed and unpacked; all are turned before and after.
  const Cost bruck = even(situation.size, depth, (1.5 * depth + 2) * situation.size * length);
  return listed({{Algorithm::pairwise, pairwise}, {Algorithm::bruck, bruck}}, situation);
}

Candidates for_scan(double length, const Situation& situation) noexcept {
  const double edges = situation.size - 1;
  const double depth = rounds(situation.size);
  if (situation.ordered) {
    return listed({{Algorithm::fold, even(situation.size, edges / 2, edges * length)}}, situation);
  }
  // Two bytes of work for each byte that is received and combined; doubling has twice the combinations in half of all.
  const Cost chain{edges, 3 * edges * length, edges, 4 * edges * length};
  const Cost doubling = even(situation.size, depth, 4 * depth * length);
  return listed({{Algorithm::chain, chain}, {Algorithm::doubling, doubling}}, situation);
}

// What VIF_COLL says, by collective; written once at the start.
struct Forced {
  bool given = false;
  Algorithm algorithm = Algorithm::area;
};
std::array<Forced, collectives_count> forced;

constexpr std::string_view collective_names[] = {"barrier",        "bcast",    "gather", "scatter",
                                                 "allgather",      "alltoall", "reduce", "allreduce",
                                                 "reduce_scatter", "scan",     "exscan"};
constexpr std::string_view algorithm_names[] = {
    "area",   "linear",    "binomial", "chain",    "scatter_allgather", "halving", "doubling", "ring",
    "direct", "allreduce", "bruck",    "pairwise", "dissemination",     "fold",    "split",    "chain_ordered"};

// What is used where it is asked for, and has no price.
bool on_demand(Collective collective, Algorithm algorithm) noexcept {
  if (algorithm == Algorithm::split) return is_tree(collective);
  return algorithm == Algorithm::chain_ordered && (collective == Collective::scan || collective == Collective::exscan);
}

std::string one_choice(std::string_view text) {
  const std::size_t equals = text.find('=');
  Collective collective;
  if (equals == std::string_view::npos || !collective_of(text.substr(0, equals), collective)) {
    return "VIF_COLL: '" + std::string(text) + "' is not COLLECTIVE=ALGORITHM with a collective such as bcast.";
  }
  const std::string_view wanted = text.substr(equals + 1);
  // With 8 processes every algorithm of a commutative operation works.
  const Candidates all = candidates(collective, 1024, {8, false, true, false});
  std::string known = "area";
  bool found = wanted == "area";
  Algorithm algorithm = Algorithm::area;
  for (int i = 0; i < all.count; ++i) {
    const Algorithm it = all.list[static_cast<std::size_t>(i)].algorithm;
    known += ", " + std::string(name_of(it));
    if (wanted != name_of(it)) continue;
    found = true;
    algorithm = it;
  }
  for (const Algorithm it : {Algorithm::split, Algorithm::chain_ordered}) {
    if (!on_demand(collective, it)) continue;
    known += ", " + std::string(name_of(it));
    if (wanted != name_of(it)) continue;
    found = true;
    algorithm = it;
  }
  if (!found) return "VIF_COLL: " + std::string(text) + ": there is no such algorithm; give one of " + known + ".";
  forced[static_cast<std::size_t>(collective)] = {true, algorithm};
  return {};
}

}  // namespace

double price(Algorithm algorithm, const Cost& cost, const Situation& situation) noexcept {
  if (!situation.oversubscribed) return cost.chain_messages * message_time + cost.chain_bytes * byte_time;
  const Crowd crowd = crowd_of(algorithm);
  return (cost.all_messages * crowd.message + cost.all_bytes / crowd.rate) / few_cores;
}

double folded_price(const Cost& cost, int cores) noexcept {
  return (cost.all_messages * message_time + cost.all_bytes * byte_time) / cores;
}

uint64_t chain_segment(uint64_t bytes, const Situation& situation) noexcept {
  // The best length of a pipeline of `size` places: where filling it costs as much as starting its messages.
  const double best =
      std::sqrt(static_cast<double>(bytes) * message_time / byte_time / std::max(1, situation.size - 1));
  return std::clamp<uint64_t>(static_cast<uint64_t>(best), 16 * 1024, 256 * 1024);
}

Candidates candidates(Collective collective, uint64_t bytes, const Situation& situation) noexcept {
  const double length = static_cast<double>(bytes);
  switch (collective) {
    case Collective::barrier:
      return listed({{Algorithm::dissemination, even(situation.size, rounds(situation.size), 0)}}, situation);
    case Collective::bcast:
      return for_bcast(length, situation);
    case Collective::gather:
    case Collective::scatter:
      return for_tree(length, situation);
    case Collective::allgather:
      return for_allgather(length, situation);
    case Collective::alltoall:
      return for_alltoall(length, situation);
    case Collective::reduce:
      return for_reduce(length, situation);
    case Collective::allreduce:
      return for_allreduce(length, situation);
    case Collective::reduce_scatter:
      return for_reduce_scatter(length, situation);
    case Collective::scan:
    case Collective::exscan:
      return for_scan(length, situation);
  }
  return {};
}

Algorithm choose(Collective collective, uint64_t bytes, const Situation& situation) noexcept {
  const Candidates all = candidates(collective, bytes, situation);
  const Forced& wish = forced[static_cast<std::size_t>(collective)];
  const Candidate* const end = all.list.data() + all.count;
  if (wish.given) {
    const auto same = [&](const Candidate& it) { return it.algorithm == wish.algorithm; };
    if (const Candidate* it = std::find_if(all.list.data(), end, same); it != end) return it->algorithm;
  }
  return std::min_element(all.list.data(), end,
                          [](const Candidate& one, const Candidate& other) { return one.price < other.price; })
      ->algorithm;
}

bool is_tree(Collective collective) noexcept {
  return collective == Collective::bcast || collective == Collective::gather || collective == Collective::scatter ||
         collective == Collective::reduce || collective == Collective::allreduce;
}

bool is_forced(Collective collective, Algorithm algorithm) noexcept {
  const Forced& wish = forced[static_cast<std::size_t>(collective)];
  return wish.given && wish.algorithm == algorithm;
}

bool area_allowed(Collective collective) noexcept {
  const Forced& wish = forced[static_cast<std::size_t>(collective)];
  return !wish.given || wish.algorithm == Algorithm::area;
}

std::string_view name_of(Collective collective) noexcept {
  return collective_names[static_cast<std::size_t>(collective)];
}

std::string_view name_of(Algorithm algorithm) noexcept { return algorithm_names[static_cast<std::size_t>(algorithm)]; }

bool collective_of(std::string_view name, Collective& collective) noexcept {
  for (int i = 0; i < collectives_count; ++i) {
    if (name != collective_names[i]) continue;
    collective = static_cast<Collective>(i);
    return true;
  }
  return false;
}

std::string set_choices(std::string_view text) {
  forced = {};
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    if (std::string sentence = one_choice(one); !sentence.empty()) return sentence;
  }
  return {};
}

}  // namespace vif::coll
