// Tests of the modelled memory: the classic small programs, each with the orderings that forbid its odd outcome and
// without.
#include <gtest/gtest.h>

#include "model/explore.hpp"

namespace vif::model {
namespace {

using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

struct Words {
  ModelAtomic<uint32_t> x{0};
  ModelAtomic<uint32_t> y{0};
  ModelPlain<uint32_t> plain{0};
  uint32_t seen[4] = {};
};

Limits everything() {
  Limits limits;
  limits.preemptions = -1;
  limits.stale_reads = -1;
  return limits;
}

bool holds(const Body& body) {
  Result result = explore(body, everything());
  EXPECT_TRUE(result.complete || !result.passed);
  return result.passed;
}

// Store buffering: both threads miss the other's store.
Body store_buffering(bool fences, std::memory_order store, std::memory_order load) {
  return [=](Program& program) {
    auto words = program.make<Words>("words");
    auto side = [=](ModelAtomic<uint32_t>& mine, ModelAtomic<uint32_t>& other, uint32_t& seen) {
      mine.store(1, store);
      if (fences) ModelAtoms::fence();
      seen = other.load(load);
    };
    program.thread("left", [=] { side(words->x, words->y, words->seen[0]); });
    program.thread("right", [=] { side(words->y, words->x, words->seen[1]); });
    program.at_end([=] { require(words->seen[0] + words->seen[1] > 0, "both missed the other's store"); });
  };
}

TEST(Memory, StoreBufferingNeedsFullFencesOrSeqCst) {
  EXPECT_FALSE(holds(store_buffering(false, memory_order_relaxed, memory_order_relaxed)));
  EXPECT_FALSE(holds(store_buffering(false, memory_order_release, memory_order_acquire)));
  EXPECT_FALSE(holds(store_buffering(false, memory_order_seq_cst, memory_order_acquire)));
  EXPECT_TRUE(holds(store_buffering(true, memory_order_relaxed, memory_order_relaxed)));
  EXPECT_TRUE(holds(store_buffering(false, memory_order_seq_cst, memory_order_seq_cst)));
}

// Message passing: the flag is seen, the data is not.
Body message_passing(std::memory_order store, std::memory_order load) {
  return [=](Program& program) {
    auto words = program.make<Words>("words");
    program.thread("writer", [=] {
      words->x.store(7, memory_order_relaxed);
      words->y.store(1, store);
    });
    program.thread("reader", [=] {
      if (words->y.load(load) == 1)
        require(words->x.load(memory_order_relaxed) == 7, "the data is there with the flag");
    });
  };
}

TEST(Memory, MessagePassingNeedsReleaseAndAcquire) {
  EXPECT_FALSE(holds(message_passing(memory_order_relaxed, memory_order_relaxed)));
  EXPECT_FALSE(holds(message_passing(memory_order_release, memory_order_relaxed)));
  EXPECT_FALSE(holds(message_passing(memory_order_relaxed, memory_order_acquire)));
  EXPECT_TRUE(holds(message_passing(memory_order_release, memory_order_acquire)));
}

TEST(Memory, FencesMakeRelaxedAccessesReleaseAndAcquire) {
  auto body = [](bool writer_fence, bool reader_fence) {
    return [=](Program& program) {
      auto words = program.make<Words>("words");
      program.thread("writer", [=] {
        words->x.store(7, memory_order_relaxed);
        if (writer_fence) ModelAtoms::fence();
        words->y.store(1, memory_order_relaxed);
      });
      program.thread("reader", [=] {
        uint32_t flag = words->y.load(memory_order_relaxed);
        if (reader_fence) ModelAtoms::fence();
        if (flag == 1) require(words->x.load(memory_order_relaxed) == 7, "the data is there with the flag");
      });
    };
  };
  EXPECT_FALSE(holds(body(false, true)));
  EXPECT_FALSE(holds(body(true, false)));
  EXPECT_TRUE(holds(body(true, true)));
}

TEST(Memory, ReadModifyWritesCarryTheReleaseSequence) {
  auto body = [](bool modify) {
    return [=](Program& program) {
      auto words = program.make<Words>("words");
      program.thread("writer", [=] {
        words->x.store(7, memory_order_relaxed);
        words->y.store(1, memory_order_release);
      });
      program.thread("middle", [=] {
        if (modify) {
          words->y.fetch_add(1, memory_order_relaxed);
        } else if (words->y.load(memory_order_relaxed) == 1) {
          words->y.store(2, memory_order_relaxed);
        }
      });
      program.thread("reader", [=] {
        if (words->y.load(memory_order_acquire) == 2)
          require(words->x.load(memory_order_relaxed) == 7, "the data is there");
      });
    };
  };
  EXPECT_TRUE(holds(body(true)));
  EXPECT_FALSE(holds(body(false)));
}

TEST(Memory, OneVariableNeverGoesBack) {
  EXPECT_TRUE(holds([](Program& program) {
    auto words = program.make<Words>("words");
    program.thread("writer", [=] {
      words->x.store(1, memory_order_relaxed);
      words->x.store(2, memory_order_relaxed);
    });
    program.thread("reader", [=] {
      uint32_t first = words->x.load(memory_order_relaxed);
      require(words->x.load(memory_order_relaxed) >= first, "a later load sees no older value");
    });
  }));
}

TEST(Memory, ReadersMayDisagreeOnTheOrderOfIndependentWrites) {
  auto body = [](std::memory_order store, std::memory_order load) {
    return [=](Program& program) {
      auto words = program.make<Words>("words");
      program.thread("x", [=] { words->x.store(1, store); });
      program.thread("y", [=] { words->y.store(1, store); });
      program.thread("xy", [=] { words->seen[0] = words->x.load(load), words->seen[1] = words->y.load(load); });
      program.thread("yx", [=] { words->seen[2] = words->y.load(load), words->seen[3] = words->x.load(load); });
      program.at_end([=] {
        require(!(words->seen[0] == 1 && words->seen[1] == 0 && words->seen[2] == 1 && words->seen[3] == 0),
                "the readers agree");
      });
    };
  };
  EXPECT_FALSE(holds(body(memory_order_release, memory_order_acquire)));
  EXPECT_TRUE(holds(body(memory_order_seq_cst, memory_order_seq_cst)));
}

TEST(Memory, CompareExchangeIsAtomicAndMayFailOnAnOldValue) {
  EXPECT_TRUE(holds([](Program& program) {
    auto words = program.make<Words>("words");
    for (const char* name : {"left", "right"}) {
      program.thread(name, [=] {
        uint32_t seen = 0;
        while (!words->x.compare_exchange_strong(seen, seen + 1, memory_order_relaxed)) {
        }
      });
    }
    program.at_end([=] { require(words->x.load() == 2, "no increment is lost"); });
  }));
  EXPECT_FALSE(holds([](Program& program) {
    auto words = program.make<Words>("words");
    words->x.store(1);
    program.thread("writer", [=] { words->x.store(0, memory_order_relaxed), words->y.store(1, memory_order_relaxed); });
    program.thread("taker", [=] {
      uint32_t expected = 0;
      if (words->y.load(memory_order_relaxed) == 1)
        require(words->x.compare_exchange_strong(expected, 2, memory_order_acq_rel, memory_order_relaxed),
                "it is free");
    });
  }));
}

// Plain data behind a flag.
Body handed_over(std::memory_order store, std::memory_order load) {
  return [=](Program& program) {
    auto words = program.make<Words>("words");
    program.thread("writer", [=] {
      words->plain = 5;
      words->y.store(1, store);
    });
    program.thread("reader", [=] {
      if (words->y.load(load) == 1) require(words->plain == 5, "the data is there");
    });
  };
}

TEST(Memory, FindsDataRacesOnPlainVariables) {
  EXPECT_TRUE(holds(handed_over(memory_order_release, memory_order_acquire)));
  Result result = explore(handed_over(memory_order_release, memory_order_relaxed), everything());
  EXPECT_FALSE(result.passed);
  EXPECT_NE(result.report.find("Data race"), std::string::npos) << result.report;
}

TEST(Memory, FindsAWriteThatRacesWithAnEarlierRead) {
  auto body = [](std::memory_order store) {
    return [=](Program& program) {
      auto words = program.make<Words>("words");
      program.thread("reader", [=] {
        words->seen[0] = words->plain;
        words->y.store(1, store);
      });
      program.thread("writer", [=] {
        if (words->y.load(memory_order_acquire) == 1) words->plain = 5;
      });
    };
  };
  EXPECT_TRUE(holds(body(memory_order_release)));
  EXPECT_FALSE(holds(body(memory_order_relaxed)));
}

TEST(Memory, TheHandlerSeesHalfDonePlainWritesOfItsThread) {
  Result result = explore([](Program& program) {
    auto words = program.make<Words>("words");
    int thread = program.thread("t", [=] {
      words->x.store(1, memory_order_relaxed);
      words->plain = 1;
      words->plain = 2;
    });
    program.handler(
        thread, [=] { require(words->plain != 1, "the value is never half done"); }, 1);
  });
  EXPECT_FALSE(result.passed);
}

}  // namespace
}  // namespace vif::model
