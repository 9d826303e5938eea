// The doors of the collectives that move data: barrier, bcast, gather, scatter, allgather, alltoall and their variants.
// Each is described once, for both its non-blocking and its blocking form (collectives.hpp).
// Context: app.
#include "coll/collectives.hpp"

namespace vif::coll {

namespace {

using Kind = AreaCall::Kind;

template <class End>
auto barrier_to(Group& group, End end) noexcept {
  return end(AreaCall(group, Kind::barrier), [](Schedule& schedule) { barrier_dissemination(schedule); });
}

template <class End>
auto bcast_to(Group& group, void* buffer, uint64_t bytes, int root, End end) noexcept {
  AreaCall call(group, Kind::bcast);
  call.in = call.out = buffer;
  call.bytes = bytes;
  call.root = root;
  return end(call, [&](Schedule& schedule) { write_bcast(schedule, buffer, bytes, root); });
}

// One block per process, all of the same size.
AreaCall blocks_call(Group& group, Kind kind, const void* in, uint64_t bytes, void* out, int root) noexcept {
  AreaCall call(group, kind);
  call.in = in;
  call.out = out;
  call.bytes = bytes;
  call.root = root;
  return call;
}

template <class End>
auto gather_to(Group& group, const void* in, uint64_t bytes, void* out, int root, End end) noexcept {
  return end(blocks_call(group, Kind::gather, in, bytes, out, root),
             [&](Schedule& schedule) { write_gather(schedule, in, bytes, out, root); });
}

template <class End>
auto scatter_to(Group& group, const void* in, uint64_t bytes, void* out, int root, End end) noexcept {
  return end(blocks_call(group, Kind::scatter, in, bytes, out, root),
             [&](Schedule& schedule) { write_scatter(schedule, in, bytes, out, root); });
}

template <class End>
auto allgather_to(Group& group, const void* in, uint64_t bytes, void* out, End end) noexcept {
  return end(blocks_call(group, Kind::allgather, in, bytes, out, 0),
             [&](Schedule& schedule) { write_allgather(schedule, in, bytes, out); });
}

template <class End>
auto alltoall_to(Group& group, const void* in, uint64_t bytes, void* out, End end) noexcept {
  return end(blocks_call(group, Kind::alltoall, in, bytes, out, 0),
             [&](Schedule& schedule) { write_alltoall(schedule, in, bytes, out); });
}

template <class End>
auto gatherv_to(Group& group, const void* in, uint64_t bytes, void* out, const Blocks& blocks, int root,
                End end) noexcept {
  AreaCall call = blocks_call(group, Kind::gatherv, in, bytes, out, root);
  call.sizes = group.rank == root ? blocks.sizes : nullptr;
  call.displacements = group.rank == root ? blocks.displacements : nullptr;
  return end(call, [&](Schedule& schedule, uint64_t above) {
    Blocks left = blocks;
    left.above = above;
    gather_linear(schedule, in, in == in_place ? 0 : left.left(bytes), out, left, root);
  });
}

template <class End>
auto scatterv_to(Group& group, const void* in, const Blocks& blocks, void* out, uint64_t bytes, int root,
                 End end) noexcept {
  AreaCall call = blocks_call(group, Kind::scatterv, in, bytes, out, root);
  call.in_sizes = group.rank == root ? blocks.sizes : nullptr;
  call.in_displacements = group.rank == root ? blocks.displacements : nullptr;
  return end(call, [&](Schedule& schedule, uint64_t above) {
    Blocks left = blocks;
    left.above = above;
    scatter_linear(schedule, in, left, out, left.left(bytes), root);
  });
}

template <class End>
auto allgatherv_to(Group& group, const void* in, void* out, const Blocks& blocks, End end) noexcept {
  AreaCall call = blocks_call(group, Kind::allgather, in, 0, out, 0);
  call.sizes = blocks.sizes;
  call.displacements = blocks.displacements;
  return end(call, [&](Schedule& schedule) { allgather_ring(schedule, in, out, blocks); });
}

template <class End>
auto alltoallv_to(Group& group, const void* in, const Blocks& from, void* out, const Blocks& to, End end) noexcept {
  AreaCall call = blocks_call(group, Kind::alltoallv, in, 0, out, 0);
  call.sizes = to.sizes;
  call.displacements = to.displacements;
  call.in_sizes = in == in_place ? nullptr : from.sizes;
  call.in_displacements = in == in_place ? nullptr : from.displacements;
  return end(call, [&](Schedule& schedule, uint64_t above) {
    Blocks leaving = from;
    Blocks coming = to;
    leaving.above = coming.above = above;
    alltoall_pairwise(schedule, in, leaving, out, coming);
  });
}

}  // namespace

OperationPointer make_barrier(Group& group, Lifetime lifetime) noexcept { return barrier_to(group, Making{lifetime}); }

net::Outcome barrier(Group& group) noexcept { return barrier_to(group, Running{}); }

OperationPointer make_bcast(Group& group, void* buffer, uint64_t bytes, int root, Lifetime lifetime) noexcept {
  const SplitPlan plan = plan_split(group, Collective::bcast, bytes, {}, lifetime);
  if (plan.wanted) return make_split_bcast(group, buffer, bytes, root, plan.options);
  return bcast_to(group, buffer, bytes, root, Making{lifetime});
}

net::Outcome bcast(Group& group, void* buffer, uint64_t bytes, int root) noexcept {
  return bcast_to(group, buffer, bytes, root, Running{});
}

OperationPointer make_gather(Group& group, const void* in, uint64_t bytes, void* out, int root,
                             Lifetime lifetime) noexcept {
  const SplitPlan plan = plan_split(group, Collective::gather, bytes, {}, lifetime);
  if (plan.wanted) return make_split_gather(group, in, bytes, out, root, plan.options);
  return gather_to(group, in, bytes, out, root, Making{lifetime});
}

net::Outcome gather(Group& group, const void* in, uint64_t bytes, void* out, int root) noexcept {
  return gather_to(group, in, bytes, out, root, Running{});
}

OperationPointer make_scatter(Group& group, const void* in, uint64_t bytes, void* out, int root,
                              Lifetime lifetime) noexcept {
  const SplitPlan plan = plan_split(group, Collective::scatter, bytes, {}, lifetime);
  if (plan.wanted) return make_split_scatter(group, in, bytes, out, root, plan.options);
  return scatter_to(group, in, bytes, out, root, Making{lifetime});
}

net::Outcome scatter(Group& group, const void* in, uint64_t bytes, void* out, int root) noexcept {
  return scatter_to(group, in, bytes, out, root, Running{});
}

OperationPointer make_allgather(Group& group, const void* in, uint64_t bytes, void* out, Lifetime lifetime) noexcept {
  return allgather_to(group, in, bytes, out, Making{lifetime});
}

net::Outcome allgather(Group& group, const void* in, uint64_t bytes, void* out) noexcept {
  return allgather_to(group, in, bytes, out, Running{});
}

OperationPointer make_alltoall(Group& group, const void* in, uint64_t bytes, void* out, Lifetime lifetime) noexcept {
  return alltoall_to(group, in, bytes, out, Making{lifetime});
}

net::Outcome alltoall(Group& group, const void* in, uint64_t bytes, void* out) noexcept {
  return alltoall_to(group, in, bytes, out, Running{});
}

OperationPointer make_gatherv(Group& group, const void* in, uint64_t bytes, void* out, const uint64_t* sizes,
                              const int64_t* displacements, int root, Lifetime lifetime) noexcept {
  return gatherv_to(group, in, bytes, out, Blocks{sizes, displacements, 0}, root, Making{lifetime});
}

net::Outcome gatherv(Group& group, const void* in, uint64_t bytes, void* out, const uint64_t* sizes,
                     const int64_t* displacements, int root) noexcept {
  return gatherv_to(group, in, bytes, out, Blocks{sizes, displacements, 0}, root, Running{});
}

OperationPointer make_scatterv(Group& group, const void* in, const uint64_t* sizes, const int64_t* displacements,
                               void* out, uint64_t bytes, int root, Lifetime lifetime) noexcept {
  return scatterv_to(group, in, Blocks{sizes, displacements, 0}, out, bytes, root, Making{lifetime});
}

net::Outcome scatterv(Group& group, const void* in, const uint64_t* sizes, const int64_t* displacements, void* out,
                      uint64_t bytes, int root) noexcept {
  return scatterv_to(group, in, Blocks{sizes, displacements, 0}, out, bytes, root, Running{});
}

OperationPointer make_allgatherv(Group& group, const void* in, void* out, const uint64_t* sizes,
                                 const int64_t* displacements, Lifetime lifetime) noexcept {
  return allgatherv_to(group, in, out, Blocks{sizes, displacements, 0}, Making{lifetime});
}

net::Outcome allgatherv(Group& group, const void* in, void* out, const uint64_t* sizes,
                        const int64_t* displacements) noexcept {
  return allgatherv_to(group, in, out, Blocks{sizes, displacements, 0}, Running{});
}

OperationPointer make_alltoallv(Group& group, const void* in, const uint64_t* in_sizes, const int64_t* in_displacements,
                                void* out, const uint64_t* out_sizes, const int64_t* out_displacements,
                                Lifetime lifetime) noexcept {
  return alltoallv_to(group, in, Blocks{in_sizes, in_displacements, 0}, out, Blocks{out_sizes, out_displacements, 0},
                      Making{lifetime});
}

net::Outcome alltoallv(Group& group, const void* in, const uint64_t* in_sizes, const int64_t* in_displacements,
                       void* out, const uint64_t* out_sizes, const int64_t* out_displacements) noexcept {
  return alltoallv_to(group, in, Blocks{in_sizes, in_displacements, 0}, out, Blocks{out_sizes, out_displacements, 0},
                      Running{});
}

}  // namespace vif::coll
