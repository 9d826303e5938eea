// The door of the layer: collective operations over a group of processes, on contiguous bytes.
//
// Every process of the group calls the same collectives in the same order, and gives the same sizes and root. Blocking
// and non-blocking operations each have an order of their own: those of one kind may come between those of the other
// differently in each process. Persistent operations are created in an order of their own, and started in any.
//
// What a process passes:
//   - blocks are contiguous bytes; whoever has other layouts packs and unpacks around these calls;
//   - `in_place` instead of a send buffer (at the root of a scatter: instead of the receive buffer) as in MPI;
//   - buffers belong to the operation from start() until complete();
//   - arrays of sizes and displacements (in bytes) are read during the call only, reductions are copied.
//
// Context: app for everything here, except complete() and outcome(), which are for any context. An operation, once
// started, is progressed by the engine in whatever context that runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "net/engine.hpp"

namespace vif::coll {

class ScheduleOperation;
class SplitSites;
struct AreaSlot;

extern const char in_place_mark;
inline void* const in_place = const_cast<char*>(&in_place_mark);

// How elements are combined: inout = in (op) inout, element by element, `in` being of lower ranks.
struct Reduction {
  // Exactly one of the two. `function` must be safe in a handler; `user` is called by an application thread that is
  // inside the library, never by a handler.
  void (*function)(const void* in, void* inout, uint64_t count) = nullptr;
  void (*user)(const void* in, void* inout, uint64_t count, void* argument) = nullptr;
  void* argument = nullptr;
  uint64_t element_size = 1;  // bytes
  bool commutative = true;    // false: combined strictly in the order of ranks
  bool ordered = false;       // the same bits whatever the size of the data, the root and the circumstances
};

// The orders in which operations are numbered, each for itself.
enum class Order : uint8_t { blocking, non_blocking, persistent };

// The processes that take part, seen by one of them. The first block is filled by its owner; the object does not move
// and outlives its operations.
struct Group {
  net::Engine* engine = nullptr;
  uint32_t context = 0;  // of collectives: nobody else sends in it
  int rank = 0;          // mine in the group
  int size = 1;
  const int* processes = nullptr;  // rank -> index in the job
  // Of an inter-communicator: the processes of both groups, these many of the first group first. 0: one group.
  int first_group = 0;
  // More processes than cores. It guides the choice of algorithms, so it must be agreed: the same in all processes.
  // False is always safe.
  bool oversubscribed = false;
  // Who moves non-blocking and persistent operations made from now on. It need not be the same in all processes.
  net::Progress progress = net::Progress::react;
  // Cores of the one host of all processes on which none of them runs: where progress threads can be. 0: none, several
  // hosts, or not known. The same in all processes.
  int free_cores = 0;
  // Several threads may be inside the library at once: then only pollers of the engine may wait for shared memory.
  bool several_threads = false;

  Group() noexcept;
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  // Gives the group its shared memory, at the same offset (from Engine::shared_base()) in every process:
  // area_bytes(size) zeroed bytes that one of them has allocated. To be called by all, after the fields above are
  // filled and before the first collective. False (and nothing happens) when offset is 0. A group may also live
  // without: it sends messages. Freed by its owner when every process has completed all its operations (after a
  // barrier, say).
  bool attach_area(uint64_t offset) noexcept;

  // A process of the group has died while the area was used: no collective of it can succeed any more.
  bool broken = false;

  // Private to the layer.
  AreaSlot* slots = nullptr;                     // null: no area
  uint64_t area_uses[2] = {0, 0};                // operations started on the area: blocking ones, others
  uint32_t operations[3] = {};                   // created so far: by `Order`
  std::shared_ptr<SplitSites> split_sites;       // what split-tree has learnt; null: nothing yet
  std::unique_ptr<ScheduleOperation> blocking_;  // memory kept from one blocking operation to the next
};

// Bytes of shared memory for a group of that many processes.
uint64_t area_bytes(int size) noexcept;

// A collective that runs by itself. Not to be destroyed between start() and complete().
class Operation {
 public:
  virtual ~Operation() = default;
  // Once for an operation made with Lifetime::once, and again after each completion for a persistent one.
  virtual void start() noexcept = 0;
  // The program has come to wait or to test, and it is not complete. Any context; may be called again and again.
  virtual void asked() noexcept {}
  bool complete() const noexcept { return done_.load(std::memory_order_acquire) != 0; }
  // Valid once complete: success, or the first thing that went wrong.
  net::Outcome outcome() const noexcept { return outcome_; }

 protected:
  std::atomic<uint32_t> done_{1};
  net::Outcome outcome_ = net::Outcome::success;
};

enum class Lifetime : uint8_t { once, persistent };
using OperationPointer = std::unique_ptr<Operation>;

// --- Non-blocking: made here, started by start(). Null when there is not enough memory. ---
// Once-operations must be started in the order in which they are made.

OperationPointer make_barrier(Group&, Lifetime = Lifetime::once) noexcept;
OperationPointer make_bcast(Group&, void* buffer, uint64_t bytes, int root, Lifetime = Lifetime::once) noexcept;

// `out` is looked at on the root only. in_place (root only): the contribution is in `out`.
OperationPointer make_reduce(Group&, const void* in, void* out, uint64_t count, const Reduction&, int root,
                             Lifetime = Lifetime::once) noexcept;
OperationPointer make_allreduce(Group&, const void* in, void* out, uint64_t count, const Reduction&,
                                Lifetime = Lifetime::once) noexcept;
// Process r gets the elements of block r of the combined vector, `counts[r]` (or `count`) elements. in_place: the whole
// vector is in `out`, where the result takes the first places.
OperationPointer make_reduce_scatter(Group&, const void* in, void* out, const uint64_t* counts, const Reduction&,
                                     Lifetime = Lifetime::once) noexcept;
OperationPointer make_reduce_scatter_block(Group&, const void* in, void* out, uint64_t count, const Reduction&,
                                           Lifetime = Lifetime::once) noexcept;
// exscan leaves `out` of process 0 alone. in_place: the contribution is in `out`.
OperationPointer make_scan(Group&, const void* in, void* out, uint64_t count, const Reduction&,
                           Lifetime = Lifetime::once) noexcept;
OperationPointer make_exscan(Group&, const void* in, void* out, uint64_t count, const Reduction&,
                             Lifetime = Lifetime::once) noexcept;

// `bytes` is the size of one process's block. `out` of gather, `in` of scatter: looked at on the root only.
// gather: in_place as `in` on the root. scatter: in_place as `out` on the root. allgather, alltoall: in_place as `in`.
OperationPointer make_gather(Group&, const void* in, uint64_t bytes, void* out, int root,
                             Lifetime = Lifetime::once) noexcept;
OperationPointer make_scatter(Group&, const void* in, uint64_t bytes, void* out, int root,
                              Lifetime = Lifetime::once) noexcept;
OperationPointer make_allgather(Group&, const void* in, uint64_t bytes, void* out, Lifetime = Lifetime::once) noexcept;
OperationPointer make_alltoall(Group&, const void* in, uint64_t bytes, void* out, Lifetime = Lifetime::once) noexcept;

// With sizes and displacements in bytes, one per process. `bytes` is the size of my own block.
OperationPointer make_gatherv(Group&, const void* in, uint64_t bytes, void* out, const uint64_t* sizes,
                              const int64_t* displacements, int root, Lifetime = Lifetime::once) noexcept;
OperationPointer make_scatterv(Group&, const void* in, const uint64_t* sizes, const int64_t* displacements, void* out,
                               uint64_t bytes, int root, Lifetime = Lifetime::once) noexcept;
OperationPointer make_allgatherv(Group&, const void* in, void* out, const uint64_t* sizes, const int64_t* displacements,
                                 Lifetime = Lifetime::once) noexcept;
// in_place as `in`: the out arrays describe both directions.
OperationPointer make_alltoallv(Group&, const void* in, const uint64_t* in_sizes, const int64_t* in_displacements,
                                void* out, const uint64_t* out_sizes, const int64_t* out_displacements,
                                Lifetime = Lifetime::once) noexcept;

// --- Blocking: same arguments. The caller holds a net::ApiScope. No allocation when the group's area is used. ---
// Outcome::link_error also stands for memory that could not be had.

net::Outcome barrier(Group&) noexcept;
net::Outcome bcast(Group&, void* buffer, uint64_t bytes, int root) noexcept;
net::Outcome reduce(Group&, const void* in, void* out, uint64_t count, const Reduction&, int root) noexcept;
net::Outcome allreduce(Group&, const void* in, void* out, uint64_t count, const Reduction&) noexcept;
net::Outcome reduce_scatter(Group&, const void* in, void* out, const uint64_t* counts, const Reduction&) noexcept;
net::Outcome reduce_scatter_block(Group&, const void* in, void* out, uint64_t count, const Reduction&) noexcept;
net::Outcome scan(Group&, const void* in, void* out, uint64_t count, const Reduction&) noexcept;
net::Outcome exscan(Group&, const void* in, void* out, uint64_t count, const Reduction&) noexcept;
net::Outcome gather(Group&, const void* in, uint64_t bytes, void* out, int root) noexcept;
net::Outcome scatter(Group&, const void* in, uint64_t bytes, void* out, int root) noexcept;
net::Outcome allgather(Group&, const void* in, uint64_t bytes, void* out) noexcept;
net::Outcome alltoall(Group&, const void* in, uint64_t bytes, void* out) noexcept;
net::Outcome gatherv(Group&, const void* in, uint64_t bytes, void* out, const uint64_t* sizes,
                     const int64_t* displacements, int root) noexcept;
net::Outcome scatterv(Group&, const void* in, const uint64_t* sizes, const int64_t* displacements, void* out,
                      uint64_t bytes, int root) noexcept;
net::Outcome allgatherv(Group&, const void* in, void* out, const uint64_t* sizes,
                        const int64_t* displacements) noexcept;
net::Outcome alltoallv(Group&, const void* in, const uint64_t* in_sizes, const int64_t* in_displacements, void* out,
                       const uint64_t* out_sizes, const int64_t* out_displacements) noexcept;

}  // namespace vif::coll
