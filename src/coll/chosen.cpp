#include "coll/chosen.hpp"

#include "coll/choice.hpp"

namespace vif::coll {

namespace {

Situation situation_of(const Schedule& schedule) noexcept {
  return {schedule.size(), schedule.group().oversubscribed, schedule.reduction().commutative};
}

}  // namespace

void write_bcast(Schedule& schedule, void* buffer, uint64_t bytes, int root) {
  const Situation situation = situation_of(schedule);
  switch (choose_bcast(bytes, situation)) {
    case BcastAlgorithm::binomial:
      return bcast_binomial(schedule, buffer, bytes, root);
    case BcastAlgorithm::chain:
      return bcast_chain(schedule, buffer, bytes, root, chain_segment(bytes, situation));
    case BcastAlgorithm::scatter_allgather:
      return bcast_scatter_allgather(schedule, buffer, bytes, root);
  }
}

void write_reduce(Schedule& schedule, const void* in, void* out, uint64_t count, int root) {
  if (choose_reduce(count * schedule.reduction().element_size, situation_of(schedule)) == ReduceAlgorithm::halving) {
    return reduce_halving(schedule, in, out, count, root);
  }
  reduce_binomial(schedule, in, out, count, root);
}

void write_allreduce(Schedule& schedule, const void* in, void* out, uint64_t count) {
  switch (choose_allreduce(count * schedule.reduction().element_size, situation_of(schedule))) {
    case AllreduceAlgorithm::doubling:
      allreduce_doubling(schedule, in, out, count);
      return;
    case AllreduceAlgorithm::halving:
      return allreduce_halving(schedule, in, out, count);
    case AllreduceAlgorithm::ring:
      return allreduce_ring(schedule, in, out, count);
  }
}

void write_reduce_scatter(Schedule& schedule, const void* in, void* out, const std::vector<uint64_t>& begins) {
  const uint64_t bytes = begins.back() * schedule.reduction().element_size;
  if (choose_reduce_scatter(bytes, situation_of(schedule)) == ReduceScatterAlgorithm::direct) {
    return reduce_scatter_direct(schedule, in, out, begins);
  }
  reduce_scatter_allreduce(schedule, in, out, begins);
}

void write_gather(Schedule& schedule, const void* in, uint64_t bytes, void* out, int root) {
  if (choose_tree(bytes, situation_of(schedule)) == TreeAlgorithm::binomial) {
    return gather_binomial(schedule, in, bytes, out, root);
  }
  gather_linear(schedule, in, bytes, out, Blocks{nullptr, nullptr, bytes}, root);
}

void write_scatter(Schedule& schedule, const void* in, uint64_t bytes, void* out, int root) {
  if (choose_tree(bytes, situation_of(schedule)) == TreeAlgorithm::binomial) {
    return scatter_binomial(schedule, in, bytes, out, root);
  }
  scatter_linear(schedule, in, Blocks{nullptr, nullptr, bytes}, out, bytes, root);
}

void write_allgather(Schedule& schedule, const void* in, uint64_t bytes, void* out) {
  switch (choose_allgather(bytes, situation_of(schedule))) {
    case AllgatherAlgorithm::ring:
      return allgather_ring(schedule, in, out, Blocks{nullptr, nullptr, bytes});
    case AllgatherAlgorithm::doubling:
      return allgather_doubling(schedule, in, bytes, out);
    case AllgatherAlgorithm::bruck:
      return allgather_bruck(schedule, in, bytes, out);
  }
}

void write_alltoall(Schedule& schedule, const void* in, uint64_t bytes, void* out) {
  const Blocks blocks{nullptr, nullptr, bytes};
  if (choose_alltoall(bytes, situation_of(schedule)) == AlltoallAlgorithm::bruck) {
    return alltoall_bruck(schedule, in, bytes, out);
  }
  alltoall_pairwise(schedule, in, blocks, out, blocks);
}

}  // namespace vif::coll
