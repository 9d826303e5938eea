// Schedule: what one process does in a collective, as a graph of steps.
//
// A step sends, receives, copies or reduces; it may start when all the steps that it comes after are done. Algorithms
// (algorithms.hpp) write the graph, ScheduleOperation (schedule_operation.hpp) runs it.
//
// Everything a run needs is allocated while the schedule is written and sealed: a run allocates nothing.
// Messages of one schedule between the same two processes are told apart by their lane, so that the order in which
// steps become ready on the two sides need not agree.
//
// Context: app, and not while a run is under way; the steps themselves are then the property of the engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "coll/coll.hpp"
#include "coll/spare_memory.hpp"

namespace vif::coll {

class Schedule {
 public:
  using Step = uint32_t;
  static constexpr Step none = UINT32_MAX;
  using After = std::initializer_list<Step>;  // `none` in it is ignored
  static constexpr uint32_t lanes = 4096;     // lanes are numbered below this

  explicit Schedule(Group& group) noexcept : group_(group) {}

  Group& group() const noexcept { return group_; }
  int rank() const noexcept { return view_.empty() ? group_.rank : view_rank_; }
  int size() const noexcept { return view_.empty() ? group_.size : static_cast<int>(view_.size()); }

  // From here on, ranks are places in this list of ranks of the group, among which this process is; none: the group's.
  void among(std::vector<int> ranks);
  // What is added from here on comes after everything before.
  void next_phase();

  // Forgets the steps; keeps the memory for the next ones. `tag` distinguishes the operation from others of the group.
  void clear(int32_t tag) noexcept;
  void set_reduction(const Reduction& reduction) { reduction_ = reduction; }
  const Reduction& reduction() const noexcept { return reduction_; }
  // Memory for intermediate data, 64-byte aligned, not initialised, that lives as long as the steps.
  std::byte* temporary(uint64_t bytes);

  Step send(int peer, const void* from, uint64_t bytes, uint32_t lane, After after = {});
  Step receive(int peer, void* to, uint64_t bytes, uint32_t lane, After after = {});
  // Copies nothing and is `none` when there is nothing to copy and nothing to come after.
  Step copy(void* to, const void* from, uint64_t bytes, After after = {});
  // inout = in (op) inout, on `count` elements.
  Step reduce(const void* in, void* inout, uint64_t count, After after = {});
  // Does nothing, after others.
  Step join(After after);
  void order(Step earlier, Step later);
  // No step can be added any more.
  void seal();

 private:
  friend class ScheduleOperation;

  enum class Kind : uint8_t { send, receive, copy, reduce, join };

  struct Node {
    Kind kind = Kind::join;
    int peer = -1;  // in the group
    uint32_t lane = 0;
    uint32_t request = 0;          // index, when it sends or receives
    uint32_t prerequisites = 0;    // steps that must be done before
    uint32_t first_successor = 0;  // in successors_
    uint32_t successors = 0;
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    uint64_t amount = 0;  // bytes; elements when it reduces
    // Of the run under way.
    uint32_t waiting_for = 0;
    Step next = none;   // in a list of ready steps
    uint64_t done = 0;  // of amount
  };

  struct Edge {
    Step earlier;
    Step later;
  };

  struct Chunk {
    std::unique_ptr<std::byte, GiveBack> memory;
    uint64_t bytes = 0;
    uint64_t used = 0;
  };

  Step add(Kind kind, const void* from, void* to, uint64_t amount, After after);
  void prepare_requests();
  int group_rank(int rank) const noexcept { return view_.empty() ? rank : view_[static_cast<std::size_t>(rank)]; }

  Group& group_;
  int32_t tag_ = 0;
  std::vector<int> view_;
  int view_rank_ = 0;
  Step phase_ = none;  // what every step comes after
  Reduction reduction_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<Step> successors_;
  std::vector<Chunk> chunks_;
  std::vector<Step> request_steps_;  // request -> step
  std::unique_ptr<net::Request[]> requests_;
  std::size_t request_capacity_ = 0;
};

}  // namespace vif::coll
