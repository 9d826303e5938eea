// The algorithms: each writes into a schedule what this process does. All processes of the group write theirs with the
// same arguments. Reductions combine with the schedule's reduction (Schedule::set_reduction).
//
// Conventions: blocks and vectors as in coll.hpp; `in == in_place` is resolved by the callers (factories.cpp) for
// reductions and scans, where `in == out` then stands for it. All of them work for any number of processes and any root
// unless said otherwise. Sources are named where the algorithm was first described.
// Context: app.
#pragma once

#include <algorithm>
#include <vector>

#include "coll/schedule.hpp"

namespace vif::coll {

using Step = Schedule::Step;

// Elements of a vector cut in `parts` nearly equal parts: where part `index` begins.
inline uint64_t part_begin(uint64_t count, int parts, int index) noexcept {
  const uint64_t part = static_cast<uint64_t>(index);
  const uint64_t all = static_cast<uint64_t>(parts);
  return count / all * part + std::min(count % all, part);
}

// --- barrier.cpp ---
void barrier_dissemination(Schedule& schedule);

// --- bcast.cpp ---
void bcast_binomial(Schedule& schedule, void* buffer, uint64_t bytes, int root);
void bcast_chain(Schedule& schedule, void* buffer, uint64_t bytes, int root, uint64_t segment);
void bcast_scatter_allgather(Schedule& schedule, void* buffer, uint64_t bytes, int root);

// --- reduce.cpp --- `in == out` on the root stands for in place.
void reduce_binomial(Schedule& schedule, const void* in, void* out, uint64_t count, int root);
void reduce_halving(Schedule& schedule, const void* in, void* out, uint64_t count, int root);

// --- allreduce.cpp --- Return the step after which `out` is complete.
Step allreduce_doubling(Schedule& schedule, const void* in, void* out, uint64_t count);
void allreduce_halving(Schedule& schedule, const void* in, void* out, uint64_t count);
void allreduce_ring(Schedule& schedule, const void* in, void* out, uint64_t count);  // commutative only

// --- reduce_scatter.cpp --- `begins` has size + 1 entries: process r gets the elements begins[r] .. begins[r + 1].
void reduce_scatter_direct(Schedule& schedule, const void* in, void* out, const std::vector<uint64_t>& begins);
void reduce_scatter_allreduce(Schedule& schedule, const void* in, void* out, const std::vector<uint64_t>& begins);

// --- scan.cpp ---
void scan_doubling(Schedule& schedule, const void* in, void* out, uint64_t count);
void exscan_doubling(Schedule& schedule, const void* in, void* out, uint64_t count);
// From each process to the next. `ordered`: a process posts its receive when the one before has its data, and is sent
// them once it has.
void scan_chain(Schedule& schedule, const void* in, void* out, uint64_t count, bool ordered);
void exscan_chain(Schedule& schedule, const void* in, void* out, uint64_t count, bool ordered);

// --- fold.cpp --- The same bits as the shared area makes.
void reduce_fold(Schedule& schedule, const void* in, void* out, uint64_t count, int root);
void allreduce_fold(Schedule& schedule, const void* in, void* out, uint64_t count);
void scan_fold(Schedule& schedule, const void* in, void* out, uint64_t count);
void exscan_fold(Schedule& schedule, const void* in, void* out, uint64_t count);

// --- gather.cpp, scatter.cpp --- one block per process, or sizes and displacements per process.
struct Blocks {
  const uint64_t* sizes = nullptr;  // null: all of `bytes`, one after the other
  const int64_t* displacements = nullptr;
  uint64_t bytes = 0;
  uint64_t above = 0;  // blocks up to this size travel otherwise: they count as empty here

  uint64_t size(int rank) const noexcept { return left(sizes != nullptr ? sizes[rank] : bytes); }
  uint64_t left(uint64_t size) const noexcept { return size > above ? size : 0; }
  int64_t offset(int rank) const noexcept {
    return displacements != nullptr ? displacements[rank] : static_cast<int64_t>(bytes) * rank;
  }
  std::byte* at(void* buffer, int rank) const noexcept { return static_cast<std::byte*>(buffer) + offset(rank); }
  const std::byte* at(const void* buffer, int rank) const noexcept {
    return static_cast<const std::byte*>(buffer) + offset(rank);
  }
};

// `mine` bytes are sent; `blocks` is looked at on the root only.
void gather_linear(Schedule& schedule, const void* in, uint64_t mine, void* out, const Blocks& blocks, int root);
void gather_binomial(Schedule& schedule, const void* in, uint64_t bytes, void* out, int root);
void scatter_linear(Schedule& schedule, const void* in, const Blocks& blocks, void* out, uint64_t mine, int root);
void scatter_binomial(Schedule& schedule, const void* in, uint64_t bytes, void* out, int root);

// --- allgather.cpp ---
void allgather_ring(Schedule& schedule, const void* in, void* out, const Blocks& blocks);
void allgather_doubling(Schedule& schedule, const void* in, uint64_t bytes, void* out);  // a power of two of processes
void allgather_bruck(Schedule& schedule, const void* in, uint64_t bytes, void* out);

// --- alltoall.cpp ---
void alltoall_pairwise(Schedule& schedule, const void* in, const Blocks& from, void* out, const Blocks& to);
void alltoall_bruck(Schedule& schedule, const void* in, uint64_t bytes, void* out);

}  // namespace vif::coll
