// Models of coll/area.hpp: whatever the order of steps, everybody gets the data
// of the right use, nobody writes over what another still reads, and whoever
// sleeps is rung.
#include "coll/area.hpp"

#include <gtest/gtest.h>

#include "model/explore.hpp"

namespace vif::model {
namespace {

// A few processes, one slot, and a bell for each process on which it sleeps
// until it is rung.
template <class Atoms, int size>
struct Team {
  template <class T>
  using Atomic = typename Atoms::template Atomic<T>;

  void ring_others(int rank) {
    for (int other = 0; other < size; ++other) {
      if (other == rank) continue;
      Atoms::fence();
      bells[other].fetch_add(1, std::memory_order_seq_cst);
      Atoms::wake(bells[other], 1);
    }
  }

  template <class Condition>
  void wait_until(int rank, Condition condition) {
    for (;;) {
      const uint32_t bell = bells[rank].load(std::memory_order_seq_cst);
      if (condition()) return;
      Atoms::wait(bells[rank], bell, -1);
    }
  }

  // Everybody gives a value and reads those of all; with `result`, the last one
  // makes one of them that all read.
  void exchange(int rank, uint64_t use, bool result) {
    const coll::SlotUse<Atoms> it(words, use, size);
    wait_until(rank, [&] { return it.open_or_ask(); });
    blocks[rank] = value(rank, use);
    if (it.arrive()) {
      if (result) {
        combined = sum(use);
        it.publish();
      }
      ring_others(rank);
    }
    if (result) {
      wait_until(rank, [&] { return it.published(); });
      int got = combined;
      require(got == expected(use), "the result is the one of this use");
    } else {
      wait_until(rank, [&] { return it.arrived(); });
      require(sum(use) == expected(use), "all blocks are those of this use");
    }
    if (it.depart()) ring_others(rank);
  }

  // Process 0 gives a value to all.
  void broadcast(int rank, uint64_t use) {
    const coll::SlotUse<Atoms> it(words, use, size);
    wait_until(rank, [&] { return it.open_or_ask(); });
    if (rank == 0) {
      combined = value(0, use);
      it.announce();
      ring_others(rank);
    } else {
      wait_until(rank, [&] { return it.arrived(); });
      int got = combined;
      require(got == value(0, use), "the data is the one of this use");
    }
    if (it.depart()) ring_others(rank);
  }

  static int value(int rank, uint64_t use) { return static_cast<int>(use) * 100 + rank + 1; }
  static int expected(uint64_t use) {
    int all = 0;
    for (int rank = 0; rank < size; ++rank) all += value(rank, use);
    return all;
  }
  int sum(uint64_t) {
    int all = 0;
    for (int rank = 0; rank < size; ++rank) all += blocks[rank];
    return all;
  }

  coll::SlotWords<Atoms> words;
  Atomic<uint32_t> bells[size] = {};
  ModelPlain<int> blocks[size];
  ModelPlain<int> combined{0};
};

enum class What { exchange, result, broadcast };

template <class Atoms, int size>
Body program_of(What what, uint64_t uses) {
  return [=](Program& program) {
    auto team = program.make<Team<Atoms, size>>("team");
    for (int rank = 0; rank < size; ++rank) {
      program.thread("process", [=] {
        for (uint64_t use = 0; use < uses; ++use) {
          if (what == What::broadcast) {
            team->broadcast(rank, use);
          } else {
            team->exchange(rank, use, what == What::result);
          }
        }
      });
    }
  };
}

Limits bounds(int preemptions, int stale_reads) {
  Limits limits;
  limits.preemptions = preemptions;
  limits.stale_reads = stale_reads;
  return limits;
}

TEST(AreaModel, two_processes_use_one_slot_again_and_again) {
  for (What what : {What::exchange, What::result, What::broadcast}) {
    const Result result = check(program_of<ModelAtoms, 2>(what, 2), bounds(2, 1), 5000);
    EXPECT_TRUE(result.passed) << static_cast<int>(what) << ": " << result.report;
    RecordProperty("executions", std::to_string(result.executions));
  }
}

TEST(AreaModel, three_processes_by_sampling) {
  for (What what : {What::exchange, What::result, What::broadcast}) {
    const Result result = sample(program_of<ModelAtoms, 3>(what, 3), 10000);
    EXPECT_TRUE(result.passed) << static_cast<int>(what) << ": " << result.report;
  }
}

// The model would see the orderings that area.hpp names, were they missing.
TEST(AreaModel, finds_missing_orderings) {
  for (What what : {What::exchange, What::result, What::broadcast}) {
    const Result released = explore(program_of<AtomsWithoutRelease, 2>(what, 2), bounds(2, 1));
    EXPECT_FALSE(released.passed);
    EXPECT_NE(released.report.find("Data race"), std::string::npos) << released.report;
    const Result acquired = explore(program_of<AtomsWithoutAcquire, 2>(what, 2), bounds(2, 1));
    EXPECT_FALSE(acquired.passed);
    EXPECT_NE(acquired.report.find("Data race"), std::string::npos) << acquired.report;
  }
}

TEST(AreaModel, finds_that_a_starved_process_would_not_be_rung_without_the_fences) {
  const Result result = explore(program_of<AtomsWithoutFences, 2>(What::broadcast, 2), bounds(2, 1));
  EXPECT_FALSE(result.passed);
  EXPECT_NE(result.report.find("sleep"), std::string::npos) << result.report;
}

}  // namespace
}  // namespace vif::model
