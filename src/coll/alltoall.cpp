// Exchanges of a block between every two processes, by messages. Context: app.
#include "coll/algorithms.hpp"

namespace vif::coll {

namespace {

// How many exchanges of one process may be under way at once. More only fill the memory for early messages.
constexpr int window = 32;

// A copy of all blocks, one after the other, for an exchange in place. `offsets` tells where each begins.
Step set_aside(Schedule& schedule, const void* from, const Blocks& blocks, std::byte*& memory,
               std::vector<uint64_t>& offsets) {
  uint64_t total = 0;
  for (int peer = 0; peer < schedule.size(); ++peer) {
    offsets.push_back(total);
    total += blocks.size(peer);
  }
  memory = schedule.temporary(total);
  Step ready = Schedule::none;
  for (int peer = 0; peer < schedule.size(); ++peer) {
    std::byte* const to = memory + offsets[static_cast<std::size_t>(peer)];
    ready = schedule.join({ready, schedule.copy(to, blocks.at(from, peer), blocks.size(peer))});
  }
  return ready;
}

}  // namespace

// Pairwise exchange: in round i each process sends to the one i further and receives from the one i before, so that
// nobody is the target of many at once. A round starts when the one `window` rounds before is over.
void alltoall_pairwise(Schedule& schedule, const void* in, const Blocks& from, void* out, const Blocks& to) {
  const int size = schedule.size();
  const int rank = schedule.rank();
  std::byte* aside = nullptr;
  std::vector<uint64_t> offsets;
  Step ready = Schedule::none;
  if (in == in_place) {
    ready = set_aside(schedule, out, to, aside, offsets);
  } else {
    schedule.copy(to.at(out, rank), from.at(in, rank), from.size(rank));
  }
  std::vector<Step> over(static_cast<std::size_t>(size), Schedule::none);
  for (int round = 1; round < size; ++round) {
    const int target = (rank + round) % size;
    const int origin = (rank - round + size) % size;
    const Step before = round > window ? over[static_cast<std::size_t>(round - window)] : Schedule::none;
    const uint64_t leaving = in == in_place ? to.size(target) : from.size(target);
    const std::byte* data = in == in_place ? aside + offsets[static_cast<std::size_t>(target)] : from.at(in, target);
    Step received = Schedule::none;
    Step sent = Schedule::none;
    if (to.size(origin) != 0)
      received = schedule.receive(origin, to.at(out, origin), to.size(origin), 0, {ready, before});
    if (leaving != 0) sent = schedule.send(target, data, leaving, 0, {ready, before});
    over[static_cast<std::size_t>(round)] = schedule.join({before, sent, received});
  }
}

// Bruck (Bruck, Ho, Kipnis, Upfal, Weathersby 1997): a logarithm of messages; every block travels up to that many
// times. Block i of the turned order is for the process i further; in round k those with bit k in i move on by 2^k.
void alltoall_bruck(Schedule& schedule, const void* in, uint64_t bytes, void* out) {
  const int size = schedule.size();
  const int rank = schedule.rank();
  const auto at = [bytes](std::byte* base, int block) { return base + static_cast<uint64_t>(block) * bytes; };
  std::byte* const result = static_cast<std::byte*>(out);
  const std::byte* const own = in == in_place ? result : static_cast<const std::byte*>(in);
  std::byte* const turned = schedule.temporary(static_cast<uint64_t>(size) * bytes);
  const uint64_t upper = static_cast<uint64_t>(size - rank) * bytes;
  const uint64_t lower = static_cast<uint64_t>(rank) * bytes;
  Step ready = schedule.copy(turned, own + lower, upper);
  ready = schedule.join({ready, schedule.copy(turned + upper, own, lower)});

  uint32_t lane = 0;
  for (int distance = 1; distance < size; distance *= 2, ++lane) {
    int moving = 0;
    for (int block = 0; block < size; ++block) moving += (block & distance) != 0;
    std::byte* const packed = schedule.temporary(static_cast<uint64_t>(moving) * bytes);
    std::byte* const theirs = schedule.temporary(static_cast<uint64_t>(moving) * bytes);
    const uint64_t length = static_cast<uint64_t>(moving) * bytes;
    const Step received = schedule.receive((rank - distance + size) % size, theirs, length, lane);
    Step all_packed = Schedule::none;
    int index = 0;
    for (int block = 0; block < size; ++block) {
      if ((block & distance) == 0) continue;
      all_packed = schedule.join({all_packed, schedule.copy(at(packed, index++), at(turned, block), bytes, {ready})});
    }
    schedule.send((rank + distance) % size, packed, length, lane, {all_packed});
    Step all_unpacked = ready;
    index = 0;
    for (int block = 0; block < size; ++block) {
      if ((block & distance) == 0) continue;
      const Step copied = schedule.copy(at(turned, block), at(theirs, index++), bytes, {received, all_packed});
      all_unpacked = schedule.join({all_unpacked, copied});
    }
    ready = all_unpacked;
  }
  for (int block = 0; block < size; ++block) {
    schedule.copy(at(result, (rank - block + size) % size), at(turned, block), bytes, {ready});
  }
}

}  // namespace vif::coll
