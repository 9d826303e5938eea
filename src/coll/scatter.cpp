// Scatters by messages. Context: app.
#include "coll/algorithms.hpp"

namespace vif::coll {

void scatter_linear(Schedule& schedule, const void* in, const Blocks& blocks, void* out, uint64_t mine, int root) {
  if (schedule.rank() != root) {
    if (mine != 0) schedule.receive(root, out, mine, 0);
    return;
  }
  for (int distance = 1; distance < schedule.size(); ++distance) {
    const int peer = (root + distance) % schedule.size();
    if (blocks.size(peer) != 0) schedule.send(peer, blocks.at(in, peer), blocks.size(peer), 0);
  }
  if (out != in_place) schedule.copy(out, blocks.at(in, root), blocks.size(root));
}

// Binomial tree: each place (rank counted from the root) receives the blocks of its subtree and passes halves of it on.
void scatter_binomial(Schedule& schedule, const void* in, uint64_t bytes, void* out, int root) {
  const int size = schedule.size();
  const int place = (schedule.rank() - root + size) % size;
  int bit = 1;
  while (bit < size && (place & bit) == 0) bit *= 2;
  const int below = std::min(bit, size - place);
  const int parent = (place - bit + root) % size;
  if (place != 0 && below == 1) {
    schedule.receive(parent, out, bytes, 0);
    return;
  }
  const std::byte* blocks = static_cast<const std::byte*>(in);
  Step ready = Schedule::none;
  if (place != 0) {
    std::byte* const received = schedule.temporary(static_cast<uint64_t>(below) * bytes);
    ready = schedule.receive(parent, received, static_cast<uint64_t>(below) * bytes, 0);
    schedule.copy(out, received, bytes, {ready});
    blocks = received;
  } else {
    const std::byte* const own = blocks + static_cast<uint64_t>(root) * bytes;
    if (out != in_place) schedule.copy(out, own, bytes);
    if (root != 0) {
      // In the order of places: the root's block, those of the ranks above, those of the ranks below.
      std::byte* const turned = schedule.temporary(static_cast<uint64_t>(size) * bytes);
      const uint64_t upper = static_cast<uint64_t>(size - root) * bytes;
      const Step first = schedule.copy(turned, own, upper);
      ready = schedule.join({first, schedule.copy(turned + upper, blocks, static_cast<uint64_t>(root) * bytes)});
      blocks = turned;
    }
  }
  for (int child = bit / 2; child > 0; child /= 2) {
    if (child >= below) continue;
    const uint64_t length = static_cast<uint64_t>(std::min(child, below - child)) * bytes;
    const int peer = (place + child + root) % size;
    schedule.send(peer, blocks + static_cast<uint64_t>(child) * bytes, length, 0, {ready});
  }
}

}  // namespace vif::coll
