// Gathers whose result all processes get, by messages. Context: app.
#include "coll/algorithms.hpp"

namespace vif::coll {

// Ring: in each of n - 1 rounds a process passes on what it received in the round before.
void allgather_ring(Schedule& schedule, const void* in, void* out, const Blocks& blocks) {
  const int size = schedule.size();
  const int rank = schedule.rank();
  const int right = (rank + 1) % size;
  const int left = (rank - 1 + size) % size;
  Step ready = Schedule::none;
  if (in != in_place) ready = schedule.copy(blocks.at(out, rank), in, blocks.size(rank));
  for (int round = 0; round + 1 < size; ++round) {
    const int leaving = (rank - round + size) % size;
    const int coming = (left - round + size) % size;
    const uint32_t lane = static_cast<uint32_t>(round);
    schedule.send(right, blocks.at(out, leaving), blocks.size(leaving), lane, {ready});
    ready = schedule.receive(left, blocks.at(out, coming), blocks.size(coming), lane);
  }
}

// Recursive doubling (Thakur, Rabenseifner, Gropp 2005): in round k aligned groups of 2^k processes exchange what they
// have.
void allgather_doubling(Schedule& schedule, const void* in, uint64_t bytes, void* out) {
  const int rank = schedule.rank();
  std::byte* const result = static_cast<std::byte*>(out);
  Step ready = Schedule::none;
  if (in != in_place) ready = schedule.copy(result + static_cast<uint64_t>(rank) * bytes, in, bytes);
  uint32_t lane = 0;
  for (int group = 1; group < schedule.size(); group *= 2, ++lane) {
    const int partner = rank ^ group;
    const uint64_t length = static_cast<uint64_t>(group) * bytes;
    std::byte* const theirs = result + static_cast<uint64_t>(partner & ~(group - 1)) * bytes;
    const std::byte* const ours = result + static_cast<uint64_t>(rank & ~(group - 1)) * bytes;
    const Step received = schedule.receive(partner, theirs, length, lane);
    schedule.send(partner, ours, length, lane, {ready});
    ready = schedule.join({ready, received});
  }
}

// Bruck (Bruck, Ho, Kipnis, Upfal, Weathersby 1997): a logarithm of rounds for any number of processes. Blocks are
// collected in the order "mine, the next process's, ..." and turned at the end.
void allgather_bruck(Schedule& schedule, const void* in, uint64_t bytes, void* out) {
  const int size = schedule.size();
  const int rank = schedule.rank();
  std::byte* const result = static_cast<std::byte*>(out);
  std::byte* const blocks = schedule.temporary(static_cast<uint64_t>(size) * bytes);
  const void* const own = in != in_place ? in : result + static_cast<uint64_t>(rank) * bytes;
  Step ready = schedule.copy(blocks, own, bytes);
  uint32_t lane = 0;
  for (int have = 1; have < size; have *= 2, ++lane) {
    const uint64_t length = static_cast<uint64_t>(std::min(have, size - have)) * bytes;
    std::byte* const next = blocks + static_cast<uint64_t>(have) * bytes;
    const Step received = schedule.receive((rank + have) % size, next, length, lane);
    schedule.send((rank - have + size) % size, blocks, length, lane, {ready});
    ready = schedule.join({ready, received});
  }
  const uint64_t upper = static_cast<uint64_t>(size - rank) * bytes;
  schedule.copy(result + static_cast<uint64_t>(rank) * bytes, blocks, upper, {ready});
  schedule.copy(result, blocks + upper, static_cast<uint64_t>(rank) * bytes, {ready});
}

}  // namespace vif::coll
