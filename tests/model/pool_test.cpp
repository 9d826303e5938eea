// Model of base/pool.hpp: no place is in two hands, none is lost, contents come along; with handlers that take and
// give.
#include "base/pool.hpp"

#include <gtest/gtest.h>

#include "model/explore.hpp"

namespace vif::model {
namespace {

template <class Atoms, uint32_t capacity>
struct Places {
  typename base::Pool<Atoms>::Link links[capacity];
  base::Pool<Atoms> pool{links, capacity};
  ModelPlain<int> contents[capacity];  // touched by whoever holds the place: two hands would race

  void borrow(bool must) {
    uint32_t place = pool.take();
    if (place == base::Pool<Atoms>::none) {
      require(!must, "there is a place for everybody");
      return;
    }
    contents[place] = contents[place] + 1;
    pool.give(place);
  }

  void end() {
    bool seen[capacity] = {};
    for (uint32_t i = 0; i < capacity; ++i) {
      uint32_t place = pool.take();
      require(place < capacity && !seen[place], "every place is there again, once");
      if (place < capacity) seen[place] = true;
    }
    require(pool.take() == base::Pool<Atoms>::none, "and no other");
  }
};

template <class Atoms, uint32_t capacity>
Body borrowers(int rounds, bool must) {
  return [=](Program& program) {
    auto places = program.make<Places<Atoms, capacity>>("places");
    int thread = program.thread("app", [=] {
      for (int i = 0; i < rounds; ++i) places->borrow(must);
    });
    program.handler(
        thread, [=] { places->borrow(must); }, 1);
    program.thread("other", [=] {
      for (int i = 0; i < rounds; ++i) places->borrow(must);
    });
    program.at_end([=] { places->end(); });
  };
}

Limits bounds(int preemptions) {
  Limits limits;
  limits.preemptions = preemptions;
  limits.stale_reads = 1;
  return limits;
}

TEST(PoolModel, NoPlaceIsLostOrSharedWithTwoThreadsAndAHandler) {
  Result enough = check(borrowers<ModelAtoms, 3>(1, true), bounds(3));
  EXPECT_TRUE(enough.passed) << enough.report;
  Result scarce = check(borrowers<ModelAtoms, 2>(2, false), bounds(2));
  EXPECT_TRUE(scarce.passed) << scarce.report;
}

TEST(PoolModel, ALongerRunBySampling) {
  Result result = sample(borrowers<ModelAtoms, 2>(3, false), 20000);
  EXPECT_TRUE(result.passed) << result.report;
}

TEST(PoolModel, FindsMissingOrderings) {
  EXPECT_FALSE(explore(borrowers<AtomsWithoutRelease, 2>(2, false), bounds(2)).passed);
  EXPECT_FALSE(explore(borrowers<AtomsWithoutAcquire, 2>(2, false), bounds(2)).passed);
}

// The count beside the head is what prevents the classic failure: this pool has none.
struct Uncounted {
  ModelAtomic<uint32_t> head{0};
  ModelAtomic<uint32_t> links[3] = {1, 2, UINT32_MAX};
  ModelPlain<int> contents[3];

  uint32_t take() {
    uint32_t place = head.load(std::memory_order_acquire);
    while (place != UINT32_MAX && !head.compare_exchange_strong(place, links[place].load(std::memory_order_relaxed),
                                                                std::memory_order_acq_rel, std::memory_order_acquire)) {
    }
    return place;
  }
  void give(uint32_t place) {
    uint32_t next = head.load(std::memory_order_relaxed);
    do {
      links[place].store(next, std::memory_order_relaxed);
    } while (!head.compare_exchange_strong(next, place, std::memory_order_acq_rel, std::memory_order_relaxed));
  }
};

TEST(PoolModel, FindsTheHeadThatWentAwayAndCameBack) {
  Result result = explore(
      [](Program& program) {
        auto pool = program.make<Uncounted>("pool");
        int thread = program.thread("app", [=] {
          uint32_t place = pool->take();
          if (place != UINT32_MAX) pool->contents[place] = 1;
          uint32_t another = pool->take();
          require(another == UINT32_MAX || another != 1, "place 1 is still held by the handler");
        });
        // Takes 0 and 1, gives back 0 and keeps 1.
        program.handler(
            thread,
            [=] {
              uint32_t first = pool->take();
              uint32_t second = pool->take();
              if (first == 0 && second == 1) {
                pool->give(first);
              } else {
                if (second != UINT32_MAX) pool->give(second);
                if (first != UINT32_MAX) pool->give(first);
              }
            },
            1);
      },
      bounds(0));
  EXPECT_FALSE(result.passed);
  EXPECT_NE(result.report.find("place 1 is still held"), std::string::npos) << result.report;
}

}  // namespace
}  // namespace vif::model
