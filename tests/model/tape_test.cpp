// Models of trace/tape.hpp and trace/watchlist.hpp: what is read from a tape was written as one, whatever interrupts
// its writer; and nobody asks an operation that has been taken off the watch list.
#include <gtest/gtest.h>

#include "model/explore.hpp"
#include "trace/tape.hpp"
#include "trace/watchlist.hpp"

namespace vif::model {
namespace {

trace::Event about(uint64_t number) {
  trace::Event event;
  event.what = trace::What::copy;
  event.thread = static_cast<uint32_t>(number);
  event.bytes = number;
  event.begin = event.end = event.waited = static_cast<int64_t>(number);
  return event;
}

template <class Atoms>
struct Recording {
  static constexpr uint64_t capacity = 3;
  trace::TapeSlot<Atoms> slots[capacity];
  typename Atoms::template Atomic<uint64_t> used{0};
  trace::Tape<Atoms> tape{slots, capacity, &used};
  int added = 0;

  void add(uint64_t number) { added += tape.add(about(number)) ? 1 : 0; }

  int look() {
    int whole = 0;
    for (const trace::TapeSlot<Atoms>& slot : slots) {
      trace::Event event;
      if (!slot.read(event)) continue;
      ++whole;
      const bool one = event.thread == event.bytes && event.waited == event.begin && event.end == event.begin &&
                       static_cast<uint64_t>(event.begin) == event.bytes && event.bytes != 0;
      require(one, "what is read was written by one");
    }
    return whole;
  }
};

template <class Atoms>
Body recorded_and_read() {
  return [=](Program& program) {
    auto state = program.make<Recording<Atoms>>("recording");
    const int writer = program.thread("writer", [=] {
      state->add(1);
      state->add(2);
    });
    program.handler(
        writer, [=] { state->add(3); }, 1);
    program.thread("other", [=] { state->add(4); });
    program.thread("reader", [=] { state->look(); });
    program.at_end([=] { require(state->look() == state->added, "what was added is there"); });
  };
}

TEST(TapeModel, AReaderBelievesOnlyWholeEvents) {
  const Result result = sample(recorded_and_read<ModelAtoms>(), 20000);
  EXPECT_TRUE(result.passed) << result.report;
}

TEST(TapeModel, WithoutReleaseHalfAnEventIsBelieved) {
  EXPECT_FALSE(sample(recorded_and_read<AtomsWithoutRelease>(), 50000).passed);
}

// Two operations, one after the other, whose objects are gone once they are off the list.
template <class Atoms>
struct Watched {
  trace::Watchlist<Atoms, 2> list;
  typename Atoms::template Plain<int> objects[2] = {};
  typename Atoms::template Atomic<uint32_t> complete{0};
  int found = 0;

  static uintptr_t name(int number) { return static_cast<uintptr_t>(number) + 100; }

  void look(trace::Reaction by) {
    list.look(by, true, 7, [this](uintptr_t object) {
      const int alive = objects[object - 100];  // the scheduler reports it when the owner writes meanwhile
      require(alive == 1, "nobody asks an operation that is gone");
      return complete.load(std::memory_order_acquire) > object - 100;
    });
  }

  void operate(int number) {
    auto* place = list.take();
    require(place != nullptr, "there is room");
    objects[number] = 1;
    list.watch(*place, name(number));
    complete.fetch_add(1, std::memory_order_release);
    look(trace::Reaction::other_call);
    auto* same = list.take_off(name(number));
    require(same == place, "it is still watched");
    require(same->found.load(std::memory_order_acquire) != 0, "it was found complete");
    require(same->found_at.load(std::memory_order_relaxed) == 7, "with the time of the finding");
    objects[number] = 0;
    list.leave(*same);
  }
};

template <class Atoms>
Body watched_and_gone(int operations) {
  return [=](Program& program) {
    auto state = program.make<Watched<Atoms>>("watched");
    const int owner = program.thread("owner", [=] {
      for (int number = 0; number < operations; ++number) state->operate(number);
    });
    program.handler(
        owner, [=] { state->look(trace::Reaction::interrupt); }, 1);
    program.thread("helper", [=] { state->look(trace::Reaction::helper); });
  };
}

TEST(WatchlistModel, NobodyAsksAnOperationThatIsGone) {
  Limits limits;
  limits.preemptions = 2;
  limits.stale_reads = 1;
  const Result few = check(watched_and_gone<ModelAtoms>(1), limits);
  EXPECT_TRUE(few.passed) << few.report;
  const Result many = sample(watched_and_gone<ModelAtoms>(2), 20000);
  EXPECT_TRUE(many.passed) << many.report;
}

TEST(WatchlistModel, WithoutReleaseTheFindingIsNotWhole) {
  EXPECT_FALSE(sample(watched_and_gone<AtomsWithoutRelease>(2), 50000).passed);
}

}  // namespace
}  // namespace vif::model
