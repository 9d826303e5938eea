// Model of sched/watch_state.hpp: runs on any core, cancel() from anywhere; no run begins after a cancel.
#include <gtest/gtest.h>

#include "model/explore.hpp"
#include "sched/watch_state.hpp"

namespace vif::model {
namespace {

template <class Atoms>
struct Timer {
  using State = sched::WatchState<Atoms>;
  State state;
  ModelPlain<int> contents{0};  // what the function works on
  typename Atoms::template Atomic<int> runs{0};
  typename Atoms::template Atomic<bool> cancelled{false};

  void fire(bool again) {
    const bool too_late = cancelled.load(std::memory_order_seq_cst);
    if (!state.begin()) return;
    require(!too_late, "no run begins after a cancel has returned");
    contents = contents + 1;
    runs.fetch_add(1, std::memory_order_relaxed);
    state.end(again);
  }
};

template <class Atoms>
Body timer(bool again) {
  return [=](Program& program) {
    auto state = program.make<Timer<Atoms>>("timer");
    program.thread("home", [=] {
      state->fire(again);
      state->fire(again);
    });
    program.thread("user", [=] {
      using Cancel = typename Timer<Atoms>::State::Cancel;
      const Cancel result = state->state.cancel();
      if (result == Cancel::prevented) {
        state->contents = state->contents + 1;  // no run is under way: it may be touched
      } else if (result == Cancel::too_late) {
        require(!again, "a watch that repeats is never too late to be cancelled once");
      }
      state->cancelled.store(true, std::memory_order_seq_cst);
      require(state->state.cancel() == Cancel::too_late, "the second cancel is too late");
    });
    program.at_end([=] {
      require(!state->state.may_run(), "it does not run any more");
      require(state->runs.load() <= (again ? 2 : 1), "what is to run once runs once");
    });
  };
}

TEST(WatchModel, NoRunBeginsAfterACancel) {
  for (bool again : {false, true}) {
    Limits limits;
    limits.preemptions = -1;
    limits.stale_reads = 2;
    Result result = check(timer<ModelAtoms>(again), limits);
    EXPECT_TRUE(result.passed) << result.report;
    EXPECT_FALSE(explore(timer<AtomsWithoutRelease>(true), limits).passed);
    EXPECT_FALSE(explore(timer<AtomsWithoutAcquire>(true), limits).passed);
  }
}

}  // namespace
}  // namespace vif::model
