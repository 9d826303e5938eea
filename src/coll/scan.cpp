// Prefix reductions by messages. Context: app.
#include "coll/algorithms.hpp"

namespace vif::coll {

namespace {

// Recursive doubling (Kogge, Stone 1973; Hillis, Steele 1986): each process keeps the combination of its aligned
// group of 2^k processes, and of those in it that are not above itself. In round k it exchanges the first with the
// process that differs in bit k; what comes from below goes into the second. Where that partner does not exist the
// group is incomplete, but then nobody above needs it.
void prefix(Schedule& schedule, const void* in, void* out, uint64_t count, bool with_own) {
  const int size = schedule.size();
  const int rank = schedule.rank();
  const uint64_t bytes = count * schedule.reduction().element_size;
  std::byte* group = schedule.temporary(bytes);
  Step group_ready = schedule.copy(group, in, bytes);
  // Not before `in` is copied: it may be the same memory.
  Step result_ready = with_own ? schedule.copy(out, in, bytes, {group_ready}) : group_ready;
  bool result_empty = !with_own;
  uint32_t lane = 0;
  for (int bit = 1; bit < size; bit *= 2, ++lane) {
    const int partner = rank ^ bit;
    if (partner >= size) continue;
    std::byte* const theirs = schedule.temporary(bytes);
    const Step received = schedule.receive(partner, theirs, bytes, lane);
    const Step sent = schedule.send(partner, group, bytes, lane, {group_ready});
    if (partner > rank) {
      group_ready = schedule.reduce(group, theirs, count, {group_ready, received});
      group = theirs;
      continue;
    }
    group_ready = schedule.reduce(theirs, group, count, {group_ready, received, sent});
    result_ready = result_empty ? schedule.copy(out, theirs, bytes, {result_ready, received})
                                : schedule.reduce(theirs, out, count, {result_ready, received});
    result_empty = false;
  }
}

}  // namespace

void scan_doubling(Schedule& schedule, const void* in, void* out, uint64_t count) {
  prefix(schedule, in, out, count, true);
}

void exscan_doubling(Schedule& schedule, const void* in, void* out, uint64_t count) {
  prefix(schedule, in, out, count, false);
}

}  // namespace vif::coll
