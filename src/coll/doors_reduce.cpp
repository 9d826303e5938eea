// The doors of the collectives that combine data: reduce, allreduce, reduce_scatter, scan, exscan. Each is described
// once, for both its non-blocking and its blocking form (collectives.hpp). Context: app.
#include "coll/collectives.hpp"

namespace vif::coll {

namespace {

using Kind = AreaCall::Kind;

const void* resolve(const void* in, const void* out) noexcept { return in == in_place ? out : in; }

// A vector of `count` elements per process, of which this one gets all.
AreaCall vector_call(Group& group, Kind kind, const void* in, void* out, uint64_t count,
                     const Reduction& reduction) noexcept {
  AreaCall call(group, kind);
  call.in = in;
  call.out = out;
  call.bytes = count * reduction.element_size;
  call.reduction = reduction;
  call.count = count;
  return call;
}

template <class End>
auto reduce_to(Group& group, const void* in, void* out, uint64_t count, const Reduction& reduction, int root,
               End end) noexcept {
  const void* const source = resolve(in, out);
  AreaCall call = vector_call(group, Kind::reduce, source, out, count, reduction);
  call.root = root;
  return end(call, [&](Schedule& schedule) { write_reduce(schedule, source, out, count, root); });
}

template <class End>
auto allreduce_to(Group& group, const void* in, void* out, uint64_t count, const Reduction& reduction,
                  End end) noexcept {
  const void* const source = resolve(in, out);
  return end(vector_call(group, Kind::allreduce, source, out, count, reduction),
             [&](Schedule& schedule) { write_allreduce(schedule, source, out, count); });
}

// `count_of(rank)`: the elements that a process gets.
template <class CountOf, class End>
auto reduce_scatter_to(Group& group, const void* in, void* out, CountOf count_of, const Reduction& reduction,
                       End end) noexcept {
  const void* const source = resolve(in, out);
  uint64_t total = 0;
  uint64_t first = 0;
  for (int rank = 0; rank < group.size; ++rank) {
    if (rank == group.rank) first = total;
    total += count_of(rank);
  }
  AreaCall call = vector_call(group, Kind::reduce_scatter, source, out, total, reduction);
  call.first = first;
  call.count = count_of(group.rank);
  return end(call, [&](Schedule& schedule) {
    std::vector<uint64_t> begins(1, 0);
    for (int rank = 0; rank < group.size; ++rank) begins.push_back(begins.back() + count_of(rank));
    write_reduce_scatter(schedule, source, out, begins);
  });
}

template <class End>
auto scan_to(Group& group, const void* in, void* out, uint64_t count, const Reduction& reduction, End end) noexcept {
  const void* const source = resolve(in, out);
  return end(vector_call(group, Kind::scan, source, out, count, reduction),
             [&](Schedule& schedule) { write_scan(schedule, source, out, count); });
}

template <class End>
auto exscan_to(Group& group, const void* in, void* out, uint64_t count, const Reduction& reduction, End end) noexcept {
  const void* const source = resolve(in, out);
  return end(vector_call(group, Kind::exscan, source, out, count, reduction),
             [&](Schedule& schedule) { write_exscan(schedule, source, out, count); });
}

// Counts of reduce_scatter: one per process, or the same for all.
auto counted(const uint64_t* counts) noexcept {
  return [counts](int rank) { return counts[rank]; };
}
auto counted(uint64_t count) noexcept {
  return [count](int) { return count; };
}

}  // namespace

OperationPointer make_reduce(Group& group, const void* in, void* out, uint64_t count, const Reduction& reduction,
                             int root, Lifetime lifetime) noexcept {
  const SplitPlan plan = plan_split(group, Collective::reduce, count * reduction.element_size, reduction, lifetime);
  if (plan.wanted) return make_split_reduce(group, in, out, count, reduction, root, plan.options);
  return reduce_to(group, in, out, count, reduction, root, Making{lifetime});
}

net::Outcome reduce(Group& group, const void* in, void* out, uint64_t count, const Reduction& reduction,
                    int root) noexcept {
  return reduce_to(group, in, out, count, reduction, root, Running{});
}

OperationPointer make_allreduce(Group& group, const void* in, void* out, uint64_t count, const Reduction& reduction,
                                Lifetime lifetime) noexcept {
  const SplitPlan plan = plan_split(group, Collective::allreduce, count * reduction.element_size, reduction, lifetime);
  if (plan.wanted) return make_split_allreduce(group, in, out, count, reduction, plan.options);
  return allreduce_to(group, in, out, count, reduction, Making{lifetime});
}

net::Outcome allreduce(Group& group, const void* in, void* out, uint64_t count, const Reduction& reduction) noexcept {
  return allreduce_to(group, in, out, count, reduction, Running{});
}

OperationPointer make_reduce_scatter(Group& group, const void* in, void* out, const uint64_t* counts,
                                     const Reduction& reduction, Lifetime lifetime) noexcept {
  return reduce_scatter_to(group, in, out, counted(counts), reduction, Making{lifetime});
}

net::Outcome reduce_scatter(Group& group, const void* in, void* out, const uint64_t* counts,
                            const Reduction& reduction) noexcept {
  return reduce_scatter_to(group, in, out, counted(counts), reduction, Running{});
}

OperationPointer make_reduce_scatter_block(Group& group, const void* in, void* out, uint64_t count,
                                           const Reduction& reduction, Lifetime lifetime) noexcept {
  return reduce_scatter_to(group, in, out, counted(count), reduction, Making{lifetime});
}

net::Outcome reduce_scatter_block(Group& group, const void* in, void* out, uint64_t count,
                                  const Reduction& reduction) noexcept {
  return reduce_scatter_to(group, in, out, counted(count), reduction, Running{});
}

OperationPointer make_scan(Group& group, const void* in, void* out, uint64_t count, const Reduction& reduction,
                           Lifetime lifetime) noexcept {
  return scan_to(group, in, out, count, reduction, Making{lifetime});
}

net::Outcome scan(Group& group, const void* in, void* out, uint64_t count, const Reduction& reduction) noexcept {
  return scan_to(group, in, out, count, reduction, Running{});
}

OperationPointer make_exscan(Group& group, const void* in, void* out, uint64_t count, const Reduction& reduction,
                             Lifetime lifetime) noexcept {
  return exscan_to(group, in, out, count, reduction, Making{lifetime});
}

net::Outcome exscan(Group& group, const void* in, void* out, uint64_t count, const Reduction& reduction) noexcept {
  return exscan_to(group, in, out, count, reduction, Running{});
}

}  // namespace vif::coll
