// Reductions of which each process gets a part, by messages. Context: app.
#include "coll/algorithms.hpp"

namespace vif::coll {

// Direct exchange: each process gets its part from every other and combines them in the order of ranks. Each byte
// travels once; n - 1 messages.
void reduce_scatter_direct(Schedule& schedule, const void* in, void* out, const std::vector<uint64_t>& begins) {
  const int size = schedule.size();
  const int rank = schedule.rank();
  const uint64_t element = schedule.reduction().element_size;
  const std::byte* const own = static_cast<const std::byte*>(in);
  const auto begin = [&](int part) { return begins[static_cast<std::size_t>(part)]; };
  const uint64_t count = begin(rank + 1) - begin(rank);
  const uint64_t bytes = count * element;
  const std::byte* const own_part = own + begin(rank) * element;
  // In place, the result's memory is still being sent while parts are combined.
  const bool apart = in == out;

  Step all_sent = Schedule::none;
  for (int distance = 1; distance < size; ++distance) {
    const int peer = (rank + distance) % size;
    if (begin(peer + 1) == begin(peer)) continue;
    const uint64_t length = (begin(peer + 1) - begin(peer)) * element;
    const Step sent = schedule.send(peer, own + begin(peer) * element, length, 0);
    if (apart) all_sent = schedule.join({all_sent, sent});
  }
  if (count == 0) return;
  std::byte* const combined = apart ? schedule.temporary(bytes) : static_cast<std::byte*>(out);
  Step ready = Schedule::none;
  for (int peer = size - 1; peer >= 0; --peer) {
    const bool first = peer == size - 1;
    if (peer == rank) {
      ready = first ? schedule.copy(combined, own_part, bytes) : schedule.reduce(own_part, combined, count, {ready});
    } else if (first) {
      ready = schedule.receive(peer, combined, bytes, 0);
    } else {
      std::byte* const theirs = schedule.temporary(bytes);
      const Step received = schedule.receive(peer, theirs, bytes, 0);
      ready = schedule.reduce(theirs, combined, count, {ready, received});
    }
  }
  schedule.copy(out, combined, bytes, {ready, all_sent});
}

// For short vectors and many processes: everybody combines everything in a logarithm of messages and keeps its part.
// The step `done` comes after the sending that reads `in`, so that `out` may be the same memory.
void reduce_scatter_allreduce(Schedule& schedule, const void* in, void* out, const std::vector<uint64_t>& begins) {
  const std::size_t rank = static_cast<std::size_t>(schedule.rank());
  const uint64_t element = schedule.reduction().element_size;
  std::byte* const all = schedule.temporary(begins.back() * element);
  const Step done = allreduce_doubling(schedule, in, all, begins.back());
  schedule.copy(out, all + begins[rank] * element, (begins[rank + 1] - begins[rank]) * element, {done});
}

}  // namespace vif::coll
