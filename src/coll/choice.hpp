// Which algorithm: estimates of what each costs, compared. Pure functions of numbers that all processes know alike: a
// choice that differed between them would be a deadlock.
//
// The model: a message costs a fixed time, a byte moved or combined costs a time of its own. With a core for each
// process the longest chain of them counts. With fewer cores than processes everything that anybody does counts, and
// each message that somebody must wait for costs a turn of the scheduler. Context: any.
#pragma once

#include <cstdint>

namespace vif::coll {

struct Situation {
  int size = 1;                 // processes
  bool oversubscribed = false;  // more processes than cores
  bool commutative = true;
};

// What an algorithm does: along its longest chain, and in all processes together.
struct Cost {
  double chain_messages = 0;
  double chain_bytes = 0;
  double all_messages = 0;
  double all_bytes = 0;
};

// Microseconds, up to a common factor.
double price(const Cost& cost, const Situation& situation) noexcept;

enum class BcastAlgorithm : uint8_t { binomial, chain, scatter_allgather };
enum class ReduceAlgorithm : uint8_t { binomial, halving };
enum class AllreduceAlgorithm : uint8_t { doubling, halving, ring };
enum class ReduceScatterAlgorithm : uint8_t { direct, allreduce };
enum class TreeAlgorithm : uint8_t { linear, binomial };  // gather, scatter
enum class AllgatherAlgorithm : uint8_t { ring, doubling, bruck };
enum class AlltoallAlgorithm : uint8_t { pairwise, bruck };

// `bytes` is the whole vector for bcast and reductions, and one block for the others.
BcastAlgorithm choose_bcast(uint64_t bytes, const Situation& situation) noexcept;
ReduceAlgorithm choose_reduce(uint64_t bytes, const Situation& situation) noexcept;
AllreduceAlgorithm choose_allreduce(uint64_t bytes, const Situation& situation) noexcept;
ReduceScatterAlgorithm choose_reduce_scatter(uint64_t bytes, const Situation& situation) noexcept;
TreeAlgorithm choose_tree(uint64_t bytes, const Situation& situation) noexcept;
AllgatherAlgorithm choose_allgather(uint64_t bytes, const Situation& situation) noexcept;
AlltoallAlgorithm choose_alltoall(uint64_t bytes, const Situation& situation) noexcept;

// The segments of a pipelined chain.
uint64_t chain_segment(uint64_t bytes, const Situation& situation) noexcept;

}  // namespace vif::coll
