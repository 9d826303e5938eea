// Models of memory/returns.hpp and memory/parcel.hpp: an object that comes back by either way is given out again only
// after its last use elsewhere, exactly once, and none is lost.
#include "memory/returns.hpp"

#include <gtest/gtest.h>

#include "base/inbox.hpp"
#include "memory/parcel.hpp"
#include "model/explore.hpp"

namespace vif::model {
namespace {

constexpr unsigned objects = 2;

// One owner with a block of two objects; whoever has one writes in it.
template <class Atoms>
struct Shop {
  using Box = base::Inbox<Atoms>;
  using Crumbs = memory::Parcel<Atoms, 2>;

  // Owner: hands a free object to the destination, through a mailbox of the program (which orders it, as any would).
  bool give(int customer) {
    for (unsigned i = 0; i < objects; ++i) {
      if (!free[i]) continue;
      free[i] = false;
      contents[i] = customer;  // a data race unless the last user's accesses happened before
      ++given;
      counter[customer].store(i + 1, std::memory_order_release);
      return true;
    }
    return false;
  }

  // Owner: what came back.
  void look() {
    const uint64_t came = returns.look(0);
    for (unsigned i = 0; i < objects; ++i) {
      if ((came >> i & 1) != 0) take_back(i);
    }
    while (typename Box::Record* record = box.take()) {
      auto* parcel = static_cast<Crumbs*>(record);
      for (uint32_t i = 0; i < parcel->count; ++i) {
        take_back(static_cast<unsigned>(reinterpret_cast<uintptr_t>(static_cast<void*>(parcel->objects[i]))));
      }
    }
  }

  void take_back(unsigned i) {
    require(!free[i], "an object comes back once each time it was given");
    free[i] = true;
    ++back;
  }

  // A customer: the object that waits for it, or -1.
  int receive(int customer) {
    const unsigned number = counter[customer].load(std::memory_order_acquire);
    if (number == 0) return -1;
    counter[customer].store(0, std::memory_order_relaxed);
    const auto i = static_cast<int>(number - 1);
    require(contents[i] == customer, "the object is the one that was given");
    contents[i] = 7;
    return i;
  }

  void post(Crumbs& parcel, int object) {
    parcel.put(reinterpret_cast<void*>(static_cast<uintptr_t>(object)), 16, 16);
    box.push(parcel);
  }

  memory::ReturnBits<Atoms, 1> returns;
  Box box;
  Crumbs parcels[1];
  ModelAtomic<unsigned> counter[3];  // the program's own way to hand over: never weakened
  ModelPlain<int> contents[objects];
  bool free[objects] = {true, true};
  int given = 0;
  int back = 0;
};

// The owner gives `rounds` objects to the destination, which gives them back by bits; meanwhile a third thread posts
// a parcel, and a handler on the owner or on the destination posts another.
template <class Atoms>
Body shop(int rounds, bool handler_on_owner) {
  return [=](Program& program) {
    auto state = program.make<Shop<Atoms>>("shop");
    program.name(state->returns, "returns");
    const int owner = program.thread("owner", [=] {
      state->give(1);  // to the third party
      for (int round = 0; round < rounds; ++round) {
        while (!state->give(0)) {
          state->look();
          Atoms::pause();
        }
        while (state->counter[0].load(std::memory_order_relaxed) != 0) Atoms::pause();
      }
    });
    const int destination = program.thread("destination", [=] {
      for (int round = 0; round < rounds; ++round) {
        int object = -1;
        while ((object = state->receive(0)) < 0) Atoms::pause();
        state->returns.give_back(static_cast<unsigned>(object));
      }
    });
    // The third party frees in a handler: a push may land on top of anything, even of a look.
    program.handler(
        handler_on_owner ? owner : destination,
        [=] {
          const int object = state->receive(1);
          if (object >= 0) state->post(state->parcels[0], object);
        },
        1);
    program.at_end([=] {
      state->look();
      const bool waits = state->counter[1].load(std::memory_order_relaxed) != 0;
      require(state->back + (waits ? 1 : 0) == state->given, "every object came back");
    });
  };
}

// The third party is a thread. Both objects are out at the start; only the owner waits.
template <class Atoms>
Body third_thread() {
  return [=](Program& program) {
    auto state = program.make<Shop<Atoms>>("shop");
    program.name(state->returns, "returns");
    state->give(1);
    state->give(0);
    program.thread("owner", [=] {
      for (int round = 0; round < 2; ++round) {
        while (state->back <= round) {
          state->look();
          Atoms::pause();
        }
        state->give(2);  // writes in what came back
      }
    });
    program.thread("destination", [=] { state->returns.give_back(static_cast<unsigned>(state->receive(0))); });
    program.thread("third", [=] { state->post(state->parcels[0], state->receive(1)); });
  };
}

Limits bounds(int preemptions, int stale_reads) {
  Limits limits;
  limits.preemptions = preemptions;
  limits.stale_reads = stale_reads;
  return limits;
}

TEST(ReturnsModel, ObjectsComeBackOnceWhereverAnInterruptLandsOnTheOwner) {
  Result result = check(shop<ModelAtoms>(3, true), bounds(1, 1), 20000);
  EXPECT_TRUE(result.passed) << result.report;
  RecordProperty("executions", std::to_string(result.executions));
}

TEST(ReturnsModel, ObjectsComeBackOnceWhereverAnInterruptLandsOnTheDestination) {
  Result result = check(shop<ModelAtoms>(3, false), bounds(1, 1), 20000);
  EXPECT_TRUE(result.passed) << result.report;
  RecordProperty("executions", std::to_string(result.executions));
}

TEST(ReturnsModel, BothWaysBackTogether) {
  Result result = check(third_thread<ModelAtoms>(), bounds(2, 1), 20000);
  EXPECT_TRUE(result.passed) << result.report;
  RecordProperty("executions", std::to_string(result.executions));
}

TEST(ReturnsModel, FindsMissingOrderings) {
  EXPECT_FALSE(explore(shop<AtomsWithoutRelease>(3, true), bounds(1, 1)).passed);
  EXPECT_FALSE(explore(shop<AtomsWithoutAcquire>(3, true), bounds(1, 1)).passed);
}

}  // namespace
}  // namespace vif::model
