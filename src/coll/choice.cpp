#include "coll/choice.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace vif::coll {

namespace {

constexpr double message_time = 0.5;  // microseconds: sending and receiving a short message between running processes
constexpr double turn_time = 3.0;     // a turn of the scheduler
constexpr double byte_time = 1.0 / 8000.0;  // one copy, memory to memory
constexpr double few_cores = 2.0;           // that share the work when there are fewer cores than processes

double rounds(int size) noexcept { return std::bit_width(static_cast<unsigned>(size - 1)); }

// The cheapest; the first of equal ones.
template <class Algorithm, std::size_t n>
Algorithm cheapest(const std::array<std::pair<Algorithm, Cost>, n>& candidates, const Situation& situation) noexcept {
  const auto best = std::min_element(candidates.begin(), candidates.end(), [&](const auto& one, const auto& other) {
    return price(one.second, situation) < price(other.second, situation);
  });
  return best->first;
}

// The same work in every process, one step after the other.
Cost even(int size, double messages, double bytes) noexcept { return {messages, bytes, messages * size, bytes * size}; }

}  // namespace

double price(const Cost& cost, const Situation& situation) noexcept {
  if (!situation.oversubscribed) return cost.chain_messages * message_time + cost.chain_bytes * byte_time;
  return (cost.all_messages * turn_time + cost.all_bytes * byte_time) / few_cores;
}

uint64_t chain_segment(uint64_t bytes, const Situation& situation) noexcept {
  // The best length of a pipeline of `size` places: where filling it costs as much as starting its messages.
  const double best =
      std::sqrt(static_cast<double>(bytes) * message_time / byte_time / std::max(1, situation.size - 1));
  return std::clamp<uint64_t>(static_cast<uint64_t>(best), 16 * 1024, 256 * 1024);
}

BcastAlgorithm choose_bcast(uint64_t bytes, const Situation& situation) noexcept {
  if (situation.size <= 2) return BcastAlgorithm::binomial;
  const double length = static_cast<double>(bytes);
  const double size = situation.size;
  const double edges = size - 1;
  const double segments = std::ceil(length / static_cast<double>(chain_segment(bytes, situation)));
  const Cost tree{rounds(situation.size), rounds(situation.size) * length, edges, edges * length};
  const Cost chain{segments + edges, length + edges * length / std::max(1.0, segments), segments * edges,
                   edges * length};
  const Cost ring{rounds(situation.size) + edges, 2 * length * edges / size, edges * (1 + size), 2 * edges * length};
  return cheapest(std::array{std::pair{BcastAlgorithm::binomial, tree}, std::pair{BcastAlgorithm::chain, chain},
                             std::pair{BcastAlgorithm::scatter_allgather, ring}},
                  situation);
}

ReduceAlgorithm choose_reduce(uint64_t bytes, const Situation& situation) noexcept {
  const double length = static_cast<double>(bytes);
  const double edges = situation.size - 1;
  const double depth = rounds(situation.size);
  // Two bytes of work for each byte that is received and combined.
  const Cost tree{depth, 2 * depth * length, edges, 2 * edges * length};
  const Cost halving{2 * depth, 4 * length, 2 * depth * situation.size, 4 * edges * length};
  return cheapest(std::array{std::pair{ReduceAlgorithm::binomial, tree}, std::pair{ReduceAlgorithm::halving, halving}},
                  situation);
}

AllreduceAlgorithm choose_allreduce(uint64_t bytes, const Situation& situation) noexcept {
  const double length = static_cast<double>(bytes);
  const double edges = situation.size - 1;
  const double depth = rounds(situation.size);
  const double share = edges / std::max(1, situation.size);
  const bool folds = !std::has_single_bit(static_cast<unsigned>(situation.size));
  const Cost doubling = even(situation.size, depth + (folds ? 1 : 0), (2 * depth + (folds ? 1 : 0)) * length);
  // Halving copies the vector first.
  const Cost halving = even(situation.size, 2 * depth + (folds ? 1 : 0), (3 * share + 1 + (folds ? 2 : 0)) * length);
  const Cost ring = even(situation.size, 2 * edges, 3 * share * length);
  if (!situation.commutative) {
    return cheapest(
        std::array{std::pair{AllreduceAlgorithm::doubling, doubling}, std::pair{AllreduceAlgorithm::halving, halving}},
        situation);
  }
  return cheapest(
      std::array{std::pair{AllreduceAlgorithm::doubling, doubling}, std::pair{AllreduceAlgorithm::halving, halving},
                 std::pair{AllreduceAlgorithm::ring, ring}},
      situation);
}

ReduceScatterAlgorithm choose_reduce_scatter(uint64_t bytes, const Situation& situation) noexcept {
  const double length = static_cast<double>(bytes);
  const double edges = situation.size - 1;
  const double depth = rounds(situation.size);
  const Cost direct = even(situation.size, edges, 2 * length * edges / std::max(1, situation.size));
  const Cost all = even(situation.size, depth, (2 * depth + 1) * length);
  return cheapest(
      std::array{std::pair{ReduceScatterAlgorithm::direct, direct}, std::pair{ReduceScatterAlgorithm::allreduce, all}},
      situation);
}

TreeAlgorithm choose_tree(uint64_t bytes, const Situation& situation) noexcept {
  const double length = static_cast<double>(bytes);
  const double edges = situation.size - 1;
  const double depth = rounds(situation.size);
  const Cost linear{edges, edges * length, edges, edges * length};
  // Blocks are copied once more at each level, and at the root.
  const Cost tree{depth, 2 * edges * length, edges, (depth / 2 + 2) * edges * length};
  return cheapest(std::array{std::pair{TreeAlgorithm::linear, linear}, std::pair{TreeAlgorithm::binomial, tree}},
                  situation);
}

AllgatherAlgorithm choose_allgather(uint64_t bytes, const Situation& situation) noexcept {
  const double length = static_cast<double>(bytes);
  const double edges = situation.size - 1;
  const double depth = rounds(situation.size);
  // As few bytes as the ring and as few messages as Bruck's: never worse than either.
  if (std::has_single_bit(static_cast<unsigned>(situation.size))) return AllgatherAlgorithm::doubling;
  const Cost ring = even(situation.size, edges, edges * length);
  const Cost bruck = even(situation.size, depth, 2 * edges * length);
  return cheapest(std::array{std::pair{AllgatherAlgorithm::ring, ring}, std::pair{AllgatherAlgorithm::bruck, bruck}},
                  situation);
}

AlltoallAlgorithm choose_alltoall(uint64_t bytes, const Situation& situation) noexcept {
  const double length = static_cast<double>(bytes);
  const double edges = situation.size - 1;
  const double depth = rounds(situation.size);
  const Cost pairwise = even(situation.size, edges, edges * length);
  // Half of the blocks move in each round, and are packed and unpacked; all are turned before and after.
  const Cost bruck = even(situation.size, depth, (1.5 * depth + 2) * situation.size * length);
  return cheapest(
      std::array{std::pair{AlltoallAlgorithm::pairwise, pairwise}, std::pair{AlltoallAlgorithm::bruck, bruck}},
      situation);
}

}  // namespace vif::coll
