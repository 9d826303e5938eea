// Barrier by messages. Context: app.
#include "coll/algorithms.hpp"

namespace vif::coll {

// Dissemination (Hensgen, Finkel, Manber 1988): in round k each process tells the one 2^k further, once it has heard
// from those of the rounds before. After ceil(log2 n) rounds each has heard, directly or not, from all.
void barrier_dissemination(Schedule& schedule) {
  const int size = schedule.size();
  const int rank = schedule.rank();
  Step heard = Schedule::none;
  uint32_t round = 0;
  for (int distance = 1; distance < size; distance *= 2, ++round) {
    const Step next = schedule.receive((rank - distance + size) % size, nullptr, 0, round);
    schedule.send((rank + distance) % size, nullptr, 0, round, {heard});
    heard = schedule.join({heard, next});
  }
}

}  // namespace vif::coll
