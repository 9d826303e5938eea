// Gathers by messages. Context: app.
#include "coll/algorithms.hpp"

namespace vif::coll {

void gather_linear(Schedule& schedule, const void* in, uint64_t mine, void* out, const Blocks& blocks, int root) {
  if (schedule.rank() != root) {
    if (mine != 0) schedule.send(root, in, mine, 0);
    return;
  }
  for (int distance = 1; distance < schedule.size(); ++distance) {
    const int peer = (root + distance) % schedule.size();
    if (blocks.size(peer) != 0) schedule.receive(peer, blocks.at(out, peer), blocks.size(peer), 0);
  }
  if (in != in_place) schedule.copy(blocks.at(out, root), in, mine);
}

// Binomial tree: each place (rank counted from the root) collects the blocks of the places below it, and sends them on
// together.
void gather_binomial(Schedule& schedule, const void* in, uint64_t bytes, void* out, int root) {
  const int size = schedule.size();
  const int place = (schedule.rank() - root + size) % size;
  int below = 1;  // the places of my subtree, unless the last process comes first
  while (below < size && (place & below) == 0) below *= 2;
  const int parent = (place - below + root) % size;
  below = std::min(below, size - place);
  if (place != 0 && below == 1) {
    schedule.send(parent, in, bytes, 0);
    return;
  }
  // At process 0 as root, places are ranks: everything is received where it belongs.
  const bool in_order = place == 0 && root == 0;
  const uint64_t total = static_cast<uint64_t>(below) * bytes;
  std::byte* const result = static_cast<std::byte*>(out);
  std::byte* const blocks = in_order ? result : schedule.temporary(total);
  Step complete = Schedule::none;
  if (in != in_place) {
    std::byte* const own = place == 0 ? result + static_cast<uint64_t>(root) * bytes : blocks;
    complete = schedule.copy(own, in, bytes);
  }
  for (int child = 1; child < below; child *= 2) {
    const uint64_t length = static_cast<uint64_t>(std::min(child, below - child)) * bytes;
    const int peer = (place + child + root) % size;
    const Step received = schedule.receive(peer, blocks + static_cast<uint64_t>(child) * bytes, length, 0);
    complete = schedule.join({complete, received});
  }
  if (place != 0) {
    schedule.send(parent, blocks, total, 0, {complete});
  } else if (!in_order) {
    // Places 1 to size - root - 1 are the ranks above the root, the others those below.
    const uint64_t above = static_cast<uint64_t>(size - root - 1) * bytes;
    schedule.copy(result + static_cast<uint64_t>(root + 1) * bytes, blocks + bytes, above, {complete});
    schedule.copy(result, blocks + bytes + above, static_cast<uint64_t>(root) * bytes, {complete});
  }
}

}  // namespace vif::coll
