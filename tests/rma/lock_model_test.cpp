// Models of rma/ticket_lock.hpp and rma/element_lock.hpp: exclusive holders exclude, shared ones are together with
// their like only, what a holder wrote is seen by the next, and whoever sleeps for the lock is woken.
#include <gtest/gtest.h>

#include "bell/posture.hpp"
#include "model/explore.hpp"
#include "rma/element_lock.hpp"
#include "rma/ticket_lock.hpp"

namespace vif::model {
namespace {

constexpr uint32_t processes = 3;

template <class Atoms>
struct Locked {
  rma::TicketLock<Atoms> lock;
  typename rma::TicketLock<Atoms>::Place places[processes];
  bell::PostureWord<Atoms> bells[processes];
  ModelPlain<int> value;
  int writers = 0, readers = 0;  // of the model itself: who is inside
  int written = 0;

  Locked() { value = 0; }

  // As Engine::wait_until: arm, look again, sleep.
  void enter(uint32_t me, uint32_t ticket, bool exclusive) {
    while (!lock.may_enter(ticket, exclusive)) {
      bells[me].rest(bell::Posture::sleeping);
      if (!lock.may_enter(ticket, exclusive)) bells[me].sleep(-1);
      bells[me].be_quiet();
    }
    ring(lock.entered(places, processes, ticket, exclusive));
  }

  void ring(uint32_t whom) {
    if (whom != rma::TicketLock<Atoms>::nobody) bells[whom - 1].ring(false);
  }

  void use(uint32_t me, bool exclusive) {
    const uint32_t ticket = lock.take(places, processes, me + 1);
    enter(me, ticket, exclusive);
    if (exclusive) {
      ++writers;
      require(writers == 1 && readers == 0, "an exclusive holder is alone");
      value = static_cast<int>(value) + 1;
      require(writers == 1 && readers == 0, "an exclusive holder stays alone");
      ++written;
      --writers;
    } else {
      ++readers;
      require(writers == 0, "a shared holder meets no exclusive one");
      require(static_cast<int>(value) == written, "a shared holder sees what was written");
      --readers;
    }
    ring(lock.leave(places, processes, ticket, exclusive));
  }
};

template <class Atoms>
Body users(std::vector<std::vector<bool>> exclusive) {
  return [=](Program& program) {
    auto state = program.make<Locked<Atoms>>("lock");
    const char* const names[] = {"first", "second", "third"};
    int writes = 0;
    for (uint32_t i = 0; i < exclusive.size(); ++i) {
      for (const bool each : exclusive[i]) writes += each ? 1 : 0;
      program.thread(names[i], [=] {
        for (const bool each : exclusive[i]) state->use(i, each);
      });
    }
    program.at_end([=] { require(state->written == writes, "everybody had its turn"); });
  };
}

Limits bounds(int preemptions, int stale_reads) {
  Limits limits;
  limits.preemptions = preemptions;
  limits.stale_reads = stale_reads;
  return limits;
}

TEST(TicketLockModel, ExclusiveHoldersExcludeAndNobodySleepsOn) {
  Result result = check(users<ModelAtoms>({{true, true}, {true}}), bounds(2, 1));
  EXPECT_TRUE(result.passed) << result.report;
}

TEST(TicketLockModel, SharedHoldersAreTogetherAndSeeWhatWasWritten) {
  Result two = check(users<ModelAtoms>({{true, false}, {false, true}}), bounds(2, 1));
  EXPECT_TRUE(two.passed) << two.report;
  Result three = check(users<ModelAtoms>({{true}, {false}, {false}}), bounds(2, 0));
  EXPECT_TRUE(three.passed) << three.report;
}

TEST(TicketLockModel, FindsMissingOrderings) {
  EXPECT_FALSE(explore(users<AtomsWithoutRelease>({{true}, {true}}), bounds(2, 1)).passed);
  EXPECT_FALSE(explore(users<AtomsWithoutAcquire>({{true}, {true}}), bounds(2, 1)).passed);
  EXPECT_FALSE(explore(users<AtomsWithoutFences>({{true}, {true}}), bounds(3, 2)).passed);
}

template <class Atoms>
Body accumulating() {
  return [](Program& program) {
    struct Element {
      rma::ElementLock<Atoms> lock;
      ModelPlain<int> value;
      Element() { value = 0; }
    };
    auto element = program.make<Element>("element");
    for (const char* name : {"one", "other"}) {
      program.thread(name, [=] {
        for (int i = 0; i < 2; ++i) {
          while (!element->lock.try_acquire()) Atoms::pause();
          element->value = static_cast<int>(element->value) + 1;
          element->lock.release();
        }
      });
    }
    program.at_end([=] { require(static_cast<int>(element->value) == 4, "no addition is lost"); });
  };
}

TEST(ElementLockModel, NoAdditionIsLost) {
  Result result = check(accumulating<ModelAtoms>(), bounds(3, 1));
  EXPECT_TRUE(result.passed) << result.report;
  EXPECT_FALSE(explore(accumulating<AtomsWithoutRelease>(), bounds(2, 1)).passed);
  EXPECT_FALSE(explore(accumulating<AtomsWithoutAcquire>(), bounds(2, 1)).passed);
}

}  // namespace
}  // namespace vif::model
