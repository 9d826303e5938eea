// Models of base/inbox.hpp and base/ownership.hpp, together as they are used: nothing is lost, order is kept, one owner
// at a time, wherever an interrupt lands and whoever pushes.
#include "base/inbox.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/ownership.hpp"
#include "model/explore.hpp"

namespace vif::model {
namespace {

// An engine reduced to its inbox: whoever may, takes everything. A letter's contents are read to see that they came
// along.
template <class Atoms>
struct Office {
  using Box = base::Inbox<Atoms>;
  struct Letter : Box::Record {
    ModelPlain<int> pusher{0};
    ModelPlain<int> number{0};
  };

  void hand_over(int index, int pusher, int number) {
    Letter& letter = letters[index];
    letter.pusher = pusher;
    letter.number = number;
    box.push(letter);
    if (!ownership.try_acquire()) return;
    do {
      take_all();
    } while (ownership.release());
  }

  void take_all() {
    busy = 1;  // two owners at once would be a data race on this
    while (typename Box::Record* record = box.take()) {
      auto& letter = static_cast<Letter&>(*record);
      int pusher = letter.pusher;
      require(letter.number == next[pusher], "the letters of one pusher come in order, each once");
      ++next[pusher];
      ++taken;
    }
    busy = 0;
  }

  void end(int count) {
    require(!ownership.held(), "nobody owns the office when all are gone");
    require(taken == count, "every letter was taken");
    require(box.empty(), "the empty inbox says so");
  }

  Box box;
  base::Ownership<Atoms> ownership;
  ModelPlain<int> busy{0};
  Letter letters[4];
  int next[3] = {};
  int taken = 0;
};

// One thread, which hands over letters, and its handler, which hands over two in two interrupts: the plain way.
template <class Atoms>
Body alone(int letters) {
  return [=](Program& program) {
    auto office = program.make<Office<Atoms>>("office");
    auto from_handler = std::make_shared<int>(0);
    int thread = program.thread("app", [=] {
      for (int i = 0; i < letters; ++i) office->hand_over(i, 0, i);
    });
    program.handler(
        thread,
        [=] {
          int number = (*from_handler)++;
          office->hand_over(2 + number, 1, number);
        },
        0);
    program.thread("elsewhere", [=] {
      raise(thread);
      raise(thread);
    });
    program.at_end([=] { office->end(letters + 2); });
  };
}

// Two threads and a handler on the first; all hand over letters.
template <class Atoms>
Body together(int letters) {
  return [=](Program& program) {
    auto office = program.make<Office<Atoms>>("office");
    office->ownership.set_shared(true);
    int thread = program.thread("app", [=] {
      for (int i = 0; i < letters; ++i) office->hand_over(i, 0, i);
    });
    program.handler(
        thread, [=] { office->hand_over(2, 1, 0); }, 0);
    program.thread("other", [=] {
      raise(thread);
      office->hand_over(3, 2, 0);
    });
    program.at_end([=] { office->end(letters + 2); });
  };
}

Limits bounds(int preemptions, int stale_reads) {
  Limits limits;
  limits.preemptions = preemptions;
  limits.stale_reads = stale_reads;
  return limits;
}

TEST(InboxModel, AThreadAndItsHandlerLoseNothing) {
  Result result = check(alone<ModelAtoms>(2), bounds(1, 0));
  EXPECT_TRUE(result.passed) << result.report;
  RecordProperty("executions", std::to_string(result.executions));
}

TEST(InboxModel, TwoThreadsAndAHandlerLoseNothing) {
  Result result = check(together<ModelAtoms>(1), bounds(2, 1), 20000);
  EXPECT_TRUE(result.passed) << result.report;
  RecordProperty("executions", std::to_string(result.executions));
}

TEST(InboxModel, ALongerRunBySampling) {
  Result result = sample(together<ModelAtoms>(2), 30000);
  EXPECT_TRUE(result.passed) << result.report;
}

TEST(InboxModel, FindsMissingOrderings) {
  Result released = explore(together<AtomsWithoutRelease>(1), bounds(2, 1));
  EXPECT_FALSE(released.passed);
  Result acquired = explore(together<AtomsWithoutAcquire>(1), bounds(2, 1));
  EXPECT_FALSE(acquired.passed);
}

// What ownership.hpp warns of: the loop "until the inbox is empty" never ends in a handler that interrupted a push.
TEST(InboxModel, LoopingUntilTheInboxIsEmptyWouldHang) {
  Limits limits = bounds(1, 0);
  limits.steps = 300;
  Result result = explore(
      [](Program& program) {
        auto office = program.make<Office<ModelAtoms>>("office");
        auto handle = [office](int index, int pusher) {
          office->box.push(office->letters[index]);
          office->letters[index].pusher = pusher;
          if (!office->ownership.try_acquire()) return;
          do {
            while (office->box.take() != nullptr) {
            }
          } while (office->ownership.release_and_look([office] { return !office->box.empty(); }));
        };
        int thread = program.thread("app", [=] { handle(0, 0); });
        program.handler(
            thread, [=] { handle(1, 1); }, 1);
      },
      limits);
  EXPECT_FALSE(result.passed);
  EXPECT_NE(result.report.find("does not end"), std::string::npos) << result.report;
}

// set_shared() in the middle of an ownership, with a mark left before, between or after: the mark is not lost.
TEST(OwnershipModel, ChangingTheWayKeepsTheMark) {
  for (bool to_shared : {true, false}) {
    Result result = check(
        [=](Program& program) {
          auto office = program.make<Office<ModelAtoms>>("office");
          if (!to_shared) office->ownership.set_shared(true);
          int thread = program.thread("app", [=] {
            require(office->ownership.try_acquire(), "nobody else is there");
            office->ownership.set_shared(to_shared);
            do {
              office->take_all();
            } while (office->ownership.release());
          });
          program.handler(
              thread, [=] { office->hand_over(0, 1, 0); }, 0);
          program.thread("elsewhere", [=] { raise(thread); });
          program.at_end([=] { office->end(1); });
        },
        bounds(-1, -1));
    EXPECT_TRUE(result.passed) << (to_shared ? "to shared: " : "to alone: ") << result.report;
  }
}

// Work without marks: a word that another thread sets, then rings nobody; the owner asks after its release.
template <class Atoms>
Body looked_at(bool look) {
  return [=](Program& program) {
    struct State {
      base::Ownership<Atoms> ownership;
      typename Atoms::template Atomic<uint32_t> work{0};
      typename Atoms::template Atomic<uint32_t> held{0};
      int treated = 0;
    };
    auto state = program.make<State>("state");
    state->ownership.set_shared(true);
    auto treat = [=] {
      if (state->work.exchange(0, std::memory_order_acq_rel) != 0) ++state->treated;
    };
    program.thread("owner", [=] {
      require(state->ownership.try_acquire(), "nobody else owns it");
      treat();
      bool again = true;
      while (again) {
        again =
            look ? state->ownership.release_and_look([=] { return state->work.load(std::memory_order_relaxed) != 0; })
                 : state->ownership.release();
        if (again) treat();
      }
    });
    program.thread("publisher", [=] {
      state->work.store(1, std::memory_order_release);
      Atoms::fence();
      // Rings only an owner that is gone: the owner, seen to be there, looks by itself.
      if (!state->ownership.held() && state->work.load(std::memory_order_relaxed) != 0) treat();
    });
    program.at_end([=] { require(state->treated == 1, "the work was treated"); });
  };
}

TEST(OwnershipModel, ReleaseAndLookFindsWorkThatLeavesNoMark) {
  Result result = check(looked_at<ModelAtoms>(true), bounds(-1, -1));
  EXPECT_TRUE(result.passed) << result.report;
  EXPECT_FALSE(explore(looked_at<ModelAtoms>(false), bounds(-1, -1)).passed);
  EXPECT_FALSE(explore(looked_at<AtomsWithoutFences>(true), bounds(-1, -1)).passed);
}

}  // namespace
}  // namespace vif::model
