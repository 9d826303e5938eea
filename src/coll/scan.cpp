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

// Each process combines what comes from the one below and passes it on.
//
// Ordered as by the semaphores of H. Taboada's thesis (Bordeaux 2018, section 6.3), which are messages without bytes
// here, so that they work between processes and belong to one operation alone: `go` lets the next process post its
// receive, `posted` lets this one send. Steps that become ready at once are started in the order in which they were
// added, so the receive is posted before `posted` is sent.
void chain(Schedule& schedule, const void* in, void* out, uint64_t count, bool with_own, bool ordered) {
  constexpr uint32_t go_lane = 1;
  constexpr uint32_t posted_lane = 2;
  const int rank = schedule.rank();
  const uint64_t bytes = count * schedule.reduction().element_size;
  const bool first = rank == 0;
  const bool last = rank + 1 == schedule.size();
  const void* passed = in;
  Step ready = Schedule::none;
  if (!first) {
    std::byte* const theirs = schedule.temporary(bytes);
    const Step go = ordered ? schedule.receive(rank - 1, nullptr, 0, go_lane) : Schedule::none;
    const Step received = schedule.receive(rank - 1, theirs, bytes, 0, {go});
    if (ordered) schedule.send(rank - 1, nullptr, 0, posted_lane, {go});
    if (with_own) {
      const Step own = schedule.copy(out, in, bytes);
      ready = schedule.reduce(theirs, out, count, {received, own});
      passed = out;
    } else {
      // Not before `in` is read: it may be the same memory.
      std::byte* const sum = last ? nullptr : schedule.temporary(bytes);
      ready = last ? received : schedule.copy(sum, in, bytes);
      if (!last) ready = schedule.reduce(theirs, sum, count, {ready, received});
      passed = sum;
      schedule.copy(out, theirs, bytes, {ready});
    }
  } else if (with_own) {
    schedule.copy(out, in, bytes);
  }
  if (last) return;
  Step may_send = Schedule::none;
  if (ordered) {
    schedule.send(rank + 1, nullptr, 0, go_lane, {ready});
    may_send = schedule.receive(rank + 1, nullptr, 0, posted_lane);
  }
  schedule.send(rank + 1, passed, bytes, 0, {ready, may_send});
}

}  // namespace

void scan_chain(Schedule& schedule, const void* in, void* out, uint64_t count, bool ordered) {
  chain(schedule, in, out, count, true, ordered);
}

void exscan_chain(Schedule& schedule, const void* in, void* out, uint64_t count, bool ordered) {
  chain(schedule, in, out, count, false, ordered);
}

void scan_doubling(Schedule& schedule, const void* in, void* out, uint64_t count) {
  prefix(schedule, in, out, count, true);
}

void exscan_doubling(Schedule& schedule, const void* in, void* out, uint64_t count) {
  prefix(schedule, in, out, count, false);
}

}  // namespace vif::coll
