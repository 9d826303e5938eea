// Broadcasts by messages. Context: app.
//
// Processes are numbered from the root on ("places"), so that the root is at place 0.
#include "coll/algorithms.hpp"

namespace vif::coll {

namespace {

// The place from which a place of a binomial tree hangs is that place without its lowest bit; this is that bit, or for
// place 0 the first power of two that is not below `size`.
int lowest_bit(int place, int size) noexcept {
  int bit = 1;
  while (bit < size && (place & bit) == 0) bit *= 2;
  return bit;
}

// How many consecutive places, itself first, hang below a place.
int subtree(int place, int size) noexcept { return std::min(lowest_bit(place, size), size - place); }

}  // namespace

// Binomial tree: whoever has the data sends it to the place half the remaining distance further.
void bcast_binomial(Schedule& schedule, void* buffer, uint64_t bytes, int root) {
  const int size = schedule.size();
  const int place = (schedule.rank() - root + size) % size;
  const int bit = lowest_bit(place, size);
  Step received = Schedule::none;
  if (place != 0) received = schedule.receive((place - bit + root) % size, buffer, bytes, 0);
  for (int distance = bit / 2; distance > 0; distance /= 2) {
    if (place + distance < size) schedule.send((place + distance + root) % size, buffer, bytes, 0, {received});
  }
}

// Pipelined chain: each place passes a segment on while it receives the next one.
void bcast_chain(Schedule& schedule, void* buffer, uint64_t bytes, int root, uint64_t segment) {
  const int size = schedule.size();
  const int place = (schedule.rank() - root + size) % size;
  segment = std::max({segment, uint64_t{1}, bytes / (Schedule::lanes / 2) + 1});
  std::byte* const data = static_cast<std::byte*>(buffer);
  uint32_t lane = 0;
  for (uint64_t begin = 0; begin < bytes; begin += segment, ++lane) {
    const uint64_t part = std::min(segment, bytes - begin);
    Step received = Schedule::none;
    if (place != 0) received = schedule.receive((place - 1 + root) % size, data + begin, part, lane);
    if (place + 1 < size) schedule.send((place + 1 + root) % size, data + begin, part, lane, {received});
  }
}

// Scatter down a binomial tree, then allgather around a ring (Barnett, Shuler, van de Geijn, Gupta, Payne, Watts 1994):
// each process sends and receives about twice the data, however many there are. What a place already has from the
// scatter is not sent to it again.
void bcast_scatter_allgather(Schedule& schedule, void* buffer, uint64_t bytes, int root) {
  const int size = schedule.size();
  const int place = (schedule.rank() - root + size) % size;
  std::byte* const data = static_cast<std::byte*>(buffer);
  const auto begin = [&](int index) { return part_begin(bytes, size, index); };
  const auto process = [&](int at) { return (at + root) % size; };
  const int bit = lowest_bit(place, size);

  Step received = Schedule::none;
  if (place != 0) {
    const uint64_t first = begin(place);
    received = schedule.receive(process(place - bit), data + first, begin(place + subtree(place, size)) - first, 0);
  }
  for (int distance = bit / 2; distance > 0; distance /= 2) {
    const int child = place + distance;
    if (child >= size) continue;
    const uint64_t first = begin(child);
    schedule.send(process(child), data + first, begin(child + subtree(child, size)) - first, 0, {received});
  }

  const int right = (place + 1) % size;
  const auto has = [&](int at, int block) { return block >= at && block < at + subtree(at, size); };
  Step newest = received;  // how the block to be sent came here
  for (int round = 0; round + 1 < size; ++round) {
    const int sent = (place - round + size) % size;
    const int expected = (place - round - 1 + size) % size;
    const uint32_t lane = 1 + static_cast<uint32_t>(round);
    if (!has(right, sent)) {
      schedule.send(process(right), data + begin(sent), begin(sent + 1) - begin(sent), lane, {newest});
    }
    newest = received;
    if (!has(place, expected)) {
      const int left = (place - 1 + size) % size;
      newest = schedule.receive(process(left), data + begin(expected), begin(expected + 1) - begin(expected), lane);
    }
  }
}

}  // namespace vif::coll
