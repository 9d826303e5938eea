// Exchanges, and the collectives of inter-communicators: each side works by itself with the algorithms of one group,
// and the leaders (the first of each side) trade what is combined. Context: app.
#include <numeric>

#include "coll/collectives.hpp"
#include "coll/inter.hpp"

namespace vif::coll {

namespace {

using Kind = AreaCall::Kind;

AreaCall by_messages(Group& group, const Reduction& reduction = {}) noexcept {
  AreaCall call(group, Kind::never);
  call.reduction = reduction;
  return call;
}

template <class End>
auto exchange_to(Group& group, const Exchange& what, End end) noexcept {
  return end(by_messages(group), [&](Schedule& schedule) {
    for (const Transfer& it : what.receives) schedule.receive(it.peer, it.at, it.bytes, it.lane);
    for (const Transfer& it : what.sends) schedule.send(it.peer, it.at, it.bytes, it.lane);
  });
}

std::vector<int> range(int begin, int size) {
  std::vector<int> ranks(static_cast<size_t>(size));
  std::iota(ranks.begin(), ranks.end(), begin);
  return ranks;
}

// The root and all of the other side are one group, of which the root is the first.
template <class End>
auto bcast_to(Group& group, void* buffer, uint64_t bytes, int root, End end) noexcept {
  return end(by_messages(group), [&](Schedule& schedule) {
    if (root == beside_the_root) return;
    const Sides sides(group);
    const bool here = root == this_is_root;
    std::vector<int> ranks = here ? range(sides.other_begin, sides.other_size) : range(sides.own_begin, sides.own_size);
    ranks.insert(ranks.begin(), here ? group.rank : sides.other_begin + root);
    schedule.among(std::move(ranks));
    write_bcast(schedule, buffer, bytes, 0);
  });
}

// My side's vectors, combined in memory of its leader; null elsewhere.
std::byte* combine_own_side(Schedule& schedule, const Sides& sides, const void* in, uint64_t count) {
  const bool leads = schedule.group().rank == sides.own_begin;
  std::byte* combined = leads ? schedule.temporary(count * schedule.reduction().element_size) : nullptr;
  schedule.among(range(sides.own_begin, sides.own_size));
  write_reduce(schedule, in, combined, count, 0);
  schedule.among({});
  schedule.next_phase();
  return combined;
}

template <class End>
auto reduce_to(Group& group, const void* in, void* out, uint64_t count, const Reduction& reduction, int root,
               End end) noexcept {
  return end(by_messages(group, reduction), [&](Schedule& schedule) {
    if (root == beside_the_root) return;
    const Sides sides(group);
    const uint64_t bytes = count * reduction.element_size;
    if (root == this_is_root) {
      schedule.receive(sides.other_begin, out, bytes, 0);
      return;
    }
    const std::byte* combined = combine_own_side(schedule, sides, in, count);
    if (combined != nullptr) schedule.send(sides.other_begin + root, combined, bytes, 0);
  });
}

template <class End>
auto allreduce_to(Group& group, const void* in, void* out, uint64_t count, const Reduction& reduction,
                  End end) noexcept {
  return end(by_messages(group, reduction), [&](Schedule& schedule) {
    const Sides sides(group);
    const uint64_t bytes = count * reduction.element_size;
    const std::byte* combined = combine_own_side(schedule, sides, in, count);
    if (combined != nullptr) {
      schedule.receive(sides.other_begin, out, bytes, 0);
      schedule.send(sides.other_begin, combined, bytes, 0);
    }
    schedule.next_phase();
    schedule.among(range(sides.own_begin, sides.own_size));
    write_bcast(schedule, out, bytes, 0);
  });
}

template <class End>
auto reduce_scatter_to(Group& group, const void* in, void* out, const uint64_t* counts, const Reduction& reduction,
                       End end) noexcept {
  return end(by_messages(group, reduction), [&](Schedule& schedule) {
    const Sides sides(group);
    std::vector<uint64_t> sizes;
    std::vector<int64_t> displacements;
    uint64_t total = 0;
    for (int rank = 0; rank < sides.own_size; ++rank) {
      displacements.push_back(static_cast<int64_t>(total * reduction.element_size));
      sizes.push_back(counts[rank] * reduction.element_size);
      total += counts[rank];
    }
    const std::byte* combined = combine_own_side(schedule, sides, in, total);
    std::byte* theirs = nullptr;
    if (combined != nullptr) {
      theirs = schedule.temporary(total * reduction.element_size);
      schedule.receive(sides.other_begin, theirs, total * reduction.element_size, 0);
      schedule.send(sides.other_begin, combined, total * reduction.element_size, 0);
    }
    schedule.next_phase();
    schedule.among(range(sides.own_begin, sides.own_size));
    const uint64_t mine = sizes[static_cast<size_t>(schedule.rank())];
    scatter_linear(schedule, theirs, Blocks{sizes.data(), displacements.data(), 0}, out, mine, 0);
  });
}

}  // namespace

OperationPointer make_exchange(Group& group, const Exchange& what, Lifetime lifetime) noexcept {
  return exchange_to(group, what, Making{lifetime});
}

net::Outcome exchange(Group& group, const Exchange& what) noexcept { return exchange_to(group, what, Running{}); }

OperationPointer make_inter_bcast(Group& group, void* buffer, uint64_t bytes, int root, Lifetime lifetime) noexcept {
  return bcast_to(group, buffer, bytes, root, Making{lifetime});
}

net::Outcome inter_bcast(Group& group, void* buffer, uint64_t bytes, int root) noexcept {
  return bcast_to(group, buffer, bytes, root, Running{});
}

OperationPointer make_inter_reduce(Group& group, const void* in, void* out, uint64_t count, const Reduction& reduction,
                                   int root, Lifetime lifetime) noexcept {
  return reduce_to(group, in, out, count, reduction, root, Making{lifetime});
}

net::Outcome inter_reduce(Group& group, const void* in, void* out, uint64_t count, const Reduction& reduction,
                          int root) noexcept {
  return reduce_to(group, in, out, count, reduction, root, Running{});
}

OperationPointer make_inter_allreduce(Group& group, const void* in, void* out, uint64_t count,
                                      const Reduction& reduction, Lifetime lifetime) noexcept {
  return allreduce_to(group, in, out, count, reduction, Making{lifetime});
}

net::Outcome inter_allreduce(Group& group, const void* in, void* out, uint64_t count,
                             const Reduction& reduction) noexcept {
  return allreduce_to(group, in, out, count, reduction, Running{});
}

OperationPointer make_inter_reduce_scatter(Group& group, const void* in, void* out, const uint64_t* counts,
                                           const Reduction& reduction, Lifetime lifetime) noexcept {
  return reduce_scatter_to(group, in, out, counts, reduction, Making{lifetime});
}

net::Outcome inter_reduce_scatter(Group& group, const void* in, void* out, const uint64_t* counts,
                                  const Reduction& reduction) noexcept {
  return reduce_scatter_to(group, in, out, counts, reduction, Running{});
}

}  // namespace vif::coll
