#include "coll/chosen.hpp"

#include "coll/choice.hpp"

namespace vif::coll {

namespace {

Algorithm chosen(Collective collective, uint64_t bytes, const Schedule& schedule) noexcept {
  const Reduction& reduction = schedule.reduction();
  return choose(collective, bytes,
                {schedule.size(), schedule.group().oversubscribed, reduction.commutative, reduction.ordered});
}

}  // namespace

void write_bcast(Schedule& schedule, void* buffer, uint64_t bytes, int root) {
  const Situation situation{schedule.size(), schedule.group().oversubscribed};
  switch (choose(Collective::bcast, bytes, situation)) {
    case Algorithm::chain:
      return bcast_chain(schedule, buffer, bytes, root, chain_segment(bytes, situation));
    case Algorithm::scatter_allgather:
      return bcast_scatter_allgather(schedule, buffer, bytes, root);
    default:
      return bcast_binomial(schedule, buffer, bytes, root);
  }
}

void write_reduce(Schedule& schedule, const void* in, void* out, uint64_t count, int root) {
  switch (chosen(Collective::reduce, count * schedule.reduction().element_size, schedule)) {
    case Algorithm::fold:
      return reduce_fold(schedule, in, out, count, root);
    case Algorithm::halving:
      return reduce_halving(schedule, in, out, count, root);
    default:
      return reduce_binomial(schedule, in, out, count, root);
  }
}

void write_allreduce(Schedule& schedule, const void* in, void* out, uint64_t count) {
  switch (chosen(Collective::allreduce, count * schedule.reduction().element_size, schedule)) {
    case Algorithm::fold:
      return allreduce_fold(schedule, in, out, count);
    case Algorithm::halving:
      return allreduce_halving(schedule, in, out, count);
    case Algorithm::ring:
      return allreduce_ring(schedule, in, out, count);
    default:
      allreduce_doubling(schedule, in, out, count);
  }
}

void write_reduce_scatter(Schedule& schedule, const void* in, void* out, const std::vector<uint64_t>& begins) {
  const uint64_t bytes = begins.back() * schedule.reduction().element_size;
  if (chosen(Collective::reduce_scatter, bytes, schedule) == Algorithm::direct) {
    return reduce_scatter_direct(schedule, in, out, begins);
  }
  reduce_scatter_allreduce(schedule, in, out, begins);
}

void write_scan(Schedule& schedule, const void* in, void* out, uint64_t count) {
  const bool ordered = is_forced(Collective::scan, Algorithm::chain_ordered);
  switch (chosen(Collective::scan, count * schedule.reduction().element_size, schedule)) {
    case Algorithm::fold:
      return scan_fold(schedule, in, out, count);
    case Algorithm::chain:
      return scan_chain(schedule, in, out, count, ordered);
    default:
      ordered ? scan_chain(schedule, in, out, count, true) : scan_doubling(schedule, in, out, count);
  }
}

void write_exscan(Schedule& schedule, const void* in, void* out, uint64_t count) {
  const bool ordered = is_forced(Collective::exscan, Algorithm::chain_ordered);
  switch (chosen(Collective::exscan, count * schedule.reduction().element_size, schedule)) {
    case Algorithm::fold:
      return exscan_fold(schedule, in, out, count);
    case Algorithm::chain:
      return exscan_chain(schedule, in, out, count, ordered);
    default:
      ordered ? exscan_chain(schedule, in, out, count, true) : exscan_doubling(schedule, in, out, count);
  }
}

void write_gather(Schedule& schedule, const void* in, uint64_t bytes, void* out, int root) {
  if (chosen(Collective::gather, bytes, schedule) == Algorithm::binomial) {
    return gather_binomial(schedule, in, bytes, out, root);
  }
  gather_linear(schedule, in, bytes, out, Blocks{nullptr, nullptr, bytes}, root);
}

void write_scatter(Schedule& schedule, const void* in, uint64_t bytes, void* out, int root) {
  if (chosen(Collective::scatter, bytes, schedule) == Algorithm::binomial) {
    return scatter_binomial(schedule, in, bytes, out, root);
  }
  scatter_linear(schedule, in, Blocks{nullptr, nullptr, bytes}, out, bytes, root);
}

void write_allgather(Schedule& schedule, const void* in, uint64_t bytes, void* out) {
  switch (chosen(Collective::allgather, bytes, schedule)) {
    case Algorithm::doubling:
      return allgather_doubling(schedule, in, bytes, out);
    case Algorithm::bruck:
      return allgather_bruck(schedule, in, bytes, out);
    default:
      return allgather_ring(schedule, in, out, Blocks{nullptr, nullptr, bytes});
  }
}

void write_alltoall(Schedule& schedule, const void* in, uint64_t bytes, void* out) {
  if (chosen(Collective::alltoall, bytes, schedule) == Algorithm::bruck) {
    return alltoall_bruck(schedule, in, bytes, out);
  }
  const Blocks blocks{nullptr, nullptr, bytes};
  alltoall_pairwise(schedule, in, blocks, out, blocks);
}

}  // namespace vif::coll
