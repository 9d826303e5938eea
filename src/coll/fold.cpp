// Reductions whose result has the same bits whatever the size, the root and the circumstances: strictly from the last
// rank to the first, x0 op (x1 op (x2 op ...)), as the shared area combines too. Context: app.
#include "coll/choice.hpp"
#include "coll/chosen.hpp"

namespace vif::coll {

namespace {
constexpr uint32_t result_lane = Schedule::lanes - 1;
}

// A chain from the last process to the first, in segments that follow each other.
void reduce_fold(Schedule& schedule, const void* in, void* out, uint64_t count, int root) {
  const int rank = schedule.rank();
  const int last = schedule.size() - 1;
  const uint64_t element = schedule.reduction().element_size;
  const uint64_t bytes = count * element;
  const Situation situation{schedule.size(), schedule.group().oversubscribed, true, true};
  const uint64_t part = std::max<uint64_t>(1, chain_segment(bytes, situation) / std::max<uint64_t>(1, element));
  const auto* own = static_cast<const std::byte*>(in);
  std::byte* const combined = rank == last ? nullptr : schedule.temporary(bytes);
  Step ready = Schedule::none;
  uint32_t lane = 0;
  for (uint64_t begin = 0; begin < count; begin += part, lane = (lane + 1) % result_lane) {
    const uint64_t elements = std::min(part, count - begin);
    const uint64_t at = begin * element;
    Step done = Schedule::none;
    if (rank != last) {
      const Step received = schedule.receive(rank + 1, combined + at, elements * element, lane);
      done = schedule.reduce(own + at, combined + at, elements, {received});
    }
    if (rank > 0)
      done = schedule.send(rank - 1, rank == last ? own + at : combined + at, elements * element, lane, {done});
    ready = schedule.join({ready, done});
  }
  const void* const result = rank == last ? in : combined;  // on the first process
  if (rank == 0 && root == 0) {
    schedule.copy(out, result, bytes, {ready});
  } else if (rank == 0) {
    schedule.send(root, result, bytes, result_lane, {ready});
  } else if (rank == root) {
    schedule.receive(0, out, bytes, result_lane, {ready});
  }
}

void allreduce_fold(Schedule& schedule, const void* in, void* out, uint64_t count) {
  reduce_fold(schedule, in, out, count, 0);
  schedule.next_phase();
  write_bcast(schedule, out, count * schedule.reduction().element_size, 0);
}

namespace {

// Everybody sends to all above, and combines what comes from below.
void prefix_fold(Schedule& schedule, const void* in, void* out, uint64_t count, bool with_own) {
  const int rank = schedule.rank();
  const uint64_t bytes = count * schedule.reduction().element_size;
  Step sent = Schedule::none;
  for (int peer = rank + 1; peer < schedule.size(); ++peer)
    sent = schedule.join({sent, schedule.send(peer, in, bytes, 0)});
  if (rank == 0 && !with_own) return;
  std::byte* combined = with_own ? schedule.temporary(bytes) : nullptr;
  Step ready = with_own ? schedule.copy(combined, in, bytes) : Schedule::none;
  for (int peer = rank - 1; peer >= 0; --peer) {
    std::byte* const theirs = schedule.temporary(bytes);
    const Step received = schedule.receive(peer, theirs, bytes, 0);
    ready = combined == nullptr ? received : schedule.reduce(theirs, combined, count, {ready, received});
    if (combined == nullptr) combined = theirs;
  }
  schedule.copy(out, combined, bytes, {ready, sent});
}

}  // namespace

void scan_fold(Schedule& schedule, const void* in, void* out, uint64_t count) {
  prefix_fold(schedule, in, out, count, true);
}

void exscan_fold(Schedule& schedule, const void* in, void* out, uint64_t count) {
  prefix_fold(schedule, in, out, count, false);
}

}  // namespace vif::coll
