// Models of react/tenure.hpp: a helper never goes while somebody counts on it, and there is never more than one.
#include <gtest/gtest.h>

#include "model/explore.hpp"
#include "react/tenure.hpp"

namespace vif::model {
namespace {

template <class Atoms>
struct Office {
  react::Tenure<Atoms> tenure;
  typename Atoms::template Atomic<uint32_t> helpers{0};
  typename Atoms::template Plain<int> kept{0};  // the helper's own state, handed to the next one

  // The life of a helper that finds nothing to do: it goes as soon as it may.
  void helper_that_ends() {
    require(helpers.fetch_add(1, std::memory_order_relaxed) == 0, "there is one helper at a time");
    kept = kept + 1;
    helpers.fetch_sub(1, std::memory_order_relaxed);
  }
};

Limits bounds(int preemptions, int stale_reads) {
  Limits limits;
  limits.preemptions = preemptions;
  limits.stale_reads = stale_reads;
  return limits;
}

// One wants the helper while it is about to go: if want() was true, may_go() is false until release().
TEST(TenureModel, AHelperThatIsWantedStays) {
  Result result = check(
      [](Program& program) {
        auto office = program.make<Office<ModelAtoms>>("office");
        auto counted_on = program.make<ModelAtoms::Atomic<uint32_t>>("counted_on");
        require(office->tenure.begin(), "the first one begins");
        const int owner = program.thread("owner", [=] {
          if (office->tenure.want()) {
            counted_on->store(1, std::memory_order_relaxed);
            require(office->tenure.is_present(), "it is there for as long as it is wanted");
            counted_on->store(0, std::memory_order_relaxed);
            office->tenure.release();
          }
        });
        program.handler(
            owner,
            [=] {
              // A handler wants it too, and never starts one.
              if (office->tenure.want()) require(office->tenure.is_present(), "also for a handler");
            },
            1);
        program.thread("helper", [=] { office->tenure.may_go(); });
      },
      bounds(-1, -1));
  EXPECT_TRUE(result.passed) << result.report;
}

// Two threads start it at once, and it goes in between: never two, and the second sees what the first one left.
template <class Atoms>
Body successors() {
  return [](Program& program) {
    auto office = program.make<Office<Atoms>>("office");
    for (const char* name : {"one", "another"}) {
      program.thread(name, [=] {
        if (!office->tenure.begin()) return;
        office->helper_that_ends();
        require(office->tenure.may_go(), "nobody wants it");
      });
    }
  };
}

TEST(TenureModel, OneAtATimeAndInSuccession) {
  Result result = check(successors<ModelAtoms>(), bounds(-1, -1));
  EXPECT_TRUE(result.passed) << result.report;
}

TEST(TenureModel, FindsAMissingRelease) {
  EXPECT_FALSE(explore(successors<AtomsWithoutRelease>(), bounds(2, 1)).passed);
}

}  // namespace
}  // namespace vif::model
