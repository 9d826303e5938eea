// The door, second part: exchanges between given peers, and the collectives of inter-communicators.
//
// An inter-communicator's group holds the processes of both its groups, `first_group` of the first one. A root is a
// rank of the remote group as its user counts it, or says what this process is in the group of the root. The rest is as
// in coll.hpp. Context: app.
#pragma once

#include <vector>

#include "coll/coll.hpp"

namespace vif::coll {

// A message of an exchange. What one process sends, its peer receives, with the same lane (below 4096) and size.
struct Transfer {
  int peer;  // a rank of the group
  uint32_t lane;
  void* at;
  uint64_t bytes;
};

struct Exchange {
  std::vector<Transfer> sends;
  std::vector<Transfer> receives;
};

OperationPointer make_exchange(Group&, const Exchange&, Lifetime = Lifetime::once) noexcept;
net::Outcome exchange(Group&, const Exchange&) noexcept;

// The two groups of an inter-communicator, as ranks of the union.
struct Sides {
  explicit Sides(const Group& group) noexcept
      : in_first(group.rank < group.first_group),
        own_begin(in_first ? 0 : group.first_group),
        own_size(in_first ? group.first_group : group.size - group.first_group),
        other_begin(in_first ? group.first_group : 0),
        other_size(group.size - own_size) {}
  bool in_first;
  int own_begin;
  int own_size;
  int other_begin;
  int other_size;
};

inline constexpr int this_is_root = -3;     // as MPI_ROOT
inline constexpr int beside_the_root = -1;  // as MPI_PROC_NULL: nothing to do

OperationPointer make_inter_bcast(Group&, void* buffer, uint64_t bytes, int root, Lifetime = Lifetime::once) noexcept;
// Each side gets the combination of the other side's vectors.
OperationPointer make_inter_reduce(Group&, const void* in, void* out, uint64_t count, const Reduction&, int root,
                                   Lifetime = Lifetime::once) noexcept;
OperationPointer make_inter_allreduce(Group&, const void* in, void* out, uint64_t count, const Reduction&,
                                      Lifetime = Lifetime::once) noexcept;
// `counts`: of the processes of my side; their sum is the same on both.
OperationPointer make_inter_reduce_scatter(Group&, const void* in, void* out, const uint64_t* counts, const Reduction&,
                                           Lifetime = Lifetime::once) noexcept;

net::Outcome inter_bcast(Group&, void* buffer, uint64_t bytes, int root) noexcept;
net::Outcome inter_reduce(Group&, const void* in, void* out, uint64_t count, const Reduction&, int root) noexcept;
net::Outcome inter_allreduce(Group&, const void* in, void* out, uint64_t count, const Reduction&) noexcept;
net::Outcome inter_reduce_scatter(Group&, const void* in, void* out, const uint64_t* counts, const Reduction&) noexcept;

}  // namespace vif::coll
