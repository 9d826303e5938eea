// Reductions to one process, by messages. Context: app.
#include "coll/algorithms.hpp"
#include "coll/halving.hpp"

namespace vif::coll {

// Binomial tree. What a process has combined covers consecutive places, and what it receives covers the next ones, so
// the order of places is kept. A commutative reduction numbers places from the root; another one from process 0, which
// sends the result to the root.
void reduce_binomial(Schedule& schedule, const void* in, void* out, uint64_t count, int root) {
  const int size = schedule.size();
  const int rank = schedule.rank();
  const int top = schedule.reduction().commutative ? root : 0;
  const int place = (rank - top + size) % size;
  const uint64_t bytes = count * schedule.reduction().element_size;

  const void* combined = in;
  Step ready = Schedule::none;
  Step sent = Schedule::none;
  for (int bit = 1; bit < size; bit *= 2) {
    if ((place & bit) != 0) {
      sent = schedule.send((place - bit + top) % size, combined, bytes, 0, {ready});
      break;
    }
    if (place + bit >= size) continue;
    std::byte* const theirs = schedule.temporary(bytes);
    const Step received = schedule.receive((place + bit + top) % size, theirs, bytes, 0);
    ready = schedule.reduce(combined, theirs, count, {ready, received});
    combined = theirs;
  }
  if (root == top) {
    if (rank == root) schedule.copy(out, combined, bytes, {ready});
  } else if (rank == top) {
    schedule.send(root, combined, bytes, 1, {ready});
  } else if (rank == root) {
    schedule.receive(top, out, bytes, 1, {sent});
  }
}

// Rabenseifner (1997, 2004): reduce-scatter by recursive halving, then the parts are gathered along the same pairs.
void reduce_halving(Schedule& schedule, const void* in, void* out, uint64_t count, int root) {
  const uint64_t bytes = count * schedule.reduction().element_size;
  const bool is_root = schedule.rank() == root;
  std::byte* const work = is_root ? static_cast<std::byte*>(out) : schedule.temporary(bytes);
  Halving halving(schedule, in, work, count);
  const int target = halving.place_of(root);
  if (halving.takes_part()) halving.gather(target);
  const int holder = halving.process_at(target);
  if (holder == root) return;
  // The root's contribution was folded into its neighbour's, which now has the result.
  if (is_root) schedule.receive(holder, out, bytes, Halving::unfold_lane, {halving.folded()});
  if (schedule.rank() == holder) schedule.send(root, work, bytes, Halving::unfold_lane, {halving.ready()});
}

}  // namespace vif::coll
