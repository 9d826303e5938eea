// Models of bell/posture.hpp: "arm, then look again" against "publish, fence, ring", with the interrupt landing
// anywhere; "sleep" against "wake"; one interrupt for a burst.
#include <gtest/gtest.h>

#include "bell/posture.hpp"
#include "model/explore.hpp"

namespace vif::model {
namespace {

using bell::Call;
using bell::Posture;

template <class Atoms>
struct Bell {
  bell::PostureWord<Atoms> posture;
  typename Atoms::template Atomic<uint32_t> work{0};  // published by ringers, taken by the owner
  int owner = -1;
  int treated = 0;
  int arms = 0;
  int interrupts = 0;

  void treat() {
    uint32_t taken = work.exchange(0, std::memory_order_acquire);
    treated += static_cast<int>(taken);
  }
  bool has_work() { return work.load(std::memory_order_relaxed) != 0; }

  // Leaves the library with something pending: arm, then look again.
  void leave() {
    for (;;) {
      ++arms;
      posture.rest(Posture::armed);
      if (!has_work()) return;
      posture.be_quiet();
      treat();
    }
  }

  void publish_and_ring() {
    work.fetch_add(1, std::memory_order_release);
    if (posture.ring(false) == Call::interrupt) {
      ++interrupts;
      raise(owner);
    }
  }
};

// The owner computes, enters the library and leaves it `entries` times, always with something pending.
template <class Atoms>
Body computing(int ringers, int burst, int entries) {
  return [=](Program& program) {
    auto bell = program.make<Bell<Atoms>>("bell");
    bell->owner = program.thread("owner", [=] {
      bell->leave();
      for (int i = 0; i < entries; ++i) {
        compute();
        bell->posture.be_quiet();
        bell->treat();
        bell->leave();
      }
    });
    program.handler(
        bell->owner,
        [=] {
          bell->treat();
          bell->leave();
        },
        0);
    for (int i = 0; i < ringers; ++i) {
      program.thread(i == 0 ? "ringer" : "another", [=] {
        for (int n = 0; n < burst; ++n) bell->publish_and_ring();
      });
    }
    program.at_end([=] {
      require(bell->treated == ringers * burst, "an event reaches the owner that computes");
      require(bell->interrupts <= bell->arms, "there is one interrupt at most each time that the owner arms");
    });
  };
}

Limits bounds(int preemptions, int stale_reads) {
  Limits limits;
  limits.preemptions = preemptions;
  limits.stale_reads = stale_reads;
  return limits;
}

TEST(BellModel, AnEventReachesAnOwnerThatComputes) {
  Result one = check(computing<ModelAtoms>(1, 1, 0), bounds(-1, -1));
  EXPECT_TRUE(one.passed) << one.report;
  Result entering = check(computing<ModelAtoms>(1, 2, 1), bounds(3, 2));
  EXPECT_TRUE(entering.passed) << entering.report;
  Result two = check(computing<ModelAtoms>(2, 1, 1), bounds(2, 1));
  EXPECT_TRUE(two.passed) << two.report;
}

TEST(BellModel, FindsAMissingFence) {
  Result result = explore(computing<AtomsWithoutFences>(1, 1, 0), bounds(2, 1));
  EXPECT_FALSE(result.passed);
  EXPECT_NE(result.report.find("reaches the owner"), std::string::npos) << result.report;
}

// The owner arms once and computes; whatever the others do, it is interrupted once.
TEST(BellModel, ABurstGivesOneInterrupt) {
  Result result = check(
      [](Program& program) {
        auto bell = program.make<Bell<ModelAtoms>>("bell");
        bell->posture.rest(Posture::armed);
        bell->owner = program.thread("owner", [] { compute(); });
        program.handler(
            bell->owner, [=] { bell->treat(); }, 0);
        for (const char* name : {"ringer", "another"}) {
          program.thread(name, [=] {
            bell->publish_and_ring();
            bell->publish_and_ring();
          });
        }
        program.at_end([=] { require(bell->interrupts == 1, "a burst gives exactly one interrupt"); });
      },
      bounds(2, 1));
  EXPECT_TRUE(result.passed) << result.report;
}

TEST(BellModel, AQuietOwnerIsNeverInterrupted) {
  Result result = check(
      [](Program& program) {
        auto bell = program.make<Bell<ModelAtoms>>("bell");
        bell->owner = program.thread("owner", [=] {
          bell->posture.be_quiet();
          bell->treat();
        });
        program.thread("ringer", [=] {
          bell->work.fetch_add(1, std::memory_order_release);
          require(bell->posture.ring(false) == Call::nothing, "nobody rings a quiet owner");
        });
      },
      bounds(-1, -1));
  EXPECT_TRUE(result.passed) << result.report;
}

// The owner sleeps until all events came. Its handler may land anywhere, even in the sleep, without harm.
template <class Atoms>
Body sleeping(int ringers, bool look_again) {
  return [=](Program& program) {
    auto bell = program.make<Bell<Atoms>>("bell");
    bell->owner = program.thread("owner", [=] {
      while (bell->treated < ringers) {
        bell->posture.rest(Posture::sleeping);
        if (!look_again || !bell->has_work()) bell->posture.sleep(-1);
        bell->posture.be_quiet();
        bell->treat();
      }
    });
    program.handler(
        bell->owner, [] { compute(); }, 1);
    for (int i = 0; i < ringers; ++i) {
      program.thread(i == 0 ? "ringer" : "another", [=] {
        bell->work.fetch_add(1, std::memory_order_release);
        require(bell->posture.ring(true) != Call::interrupt, "a sleeper is woken, not interrupted");
      });
    }
  };
}

TEST(BellModel, ASleeperIsWoken) {
  Result one = check(sleeping<ModelAtoms>(1, true), bounds(3, -1));
  EXPECT_TRUE(one.passed) << one.report;
  Result two = check(sleeping<ModelAtoms>(2, true), bounds(2, 1));
  EXPECT_TRUE(two.passed) << two.report;
}

TEST(BellModel, FindsASleepWithoutLookingAgainAndAMissingFence) {
  EXPECT_FALSE(explore(sleeping<ModelAtoms>(1, false), bounds(2, 1)).passed);
  Result result = explore(sleeping<AtomsWithoutFences>(1, true), bounds(2, 1));
  EXPECT_FALSE(result.passed);
  EXPECT_NE(result.report.find("Deadlock"), std::string::npos) << result.report;
}

// The handler lands while its thread is about to sleep, and takes the very work that the thread would have been woken
// for: the thread must not sleep on. It looks at its condition between rest() and sleep(), and the handler tells by
// ringing.
template <class Atoms>
Body handler_takes_the_work(bool tell) {
  return [=](Program& program) {
    auto bell = program.make<Bell<Atoms>>("bell");
    bell->owner = program.thread("owner", [=] {
      for (;;) {
        bell->posture.rest(Posture::sleeping);
        bell->treat();
        if (bell->treated == 1) break;
        bell->posture.sleep(-1);
      }
      bell->posture.be_quiet();
    });
    program.handler(
        bell->owner,
        [=] {
          bell->treat();
          if (tell) bell->posture.ring(true);
        },
        0);
    program.thread("ringer", [=] {
      bell->work.fetch_add(1, std::memory_order_release);
      raise(bell->owner);  // for some other reason: a late interrupt from before
      bell->posture.ring(true);
    });
  };
}

TEST(BellModel, AHandlerThatTakesTheWorkOfASleeperTellsIt) {
  Result told = check(handler_takes_the_work<ModelAtoms>(true), bounds(-1, 2));
  EXPECT_TRUE(told.passed) << told.report;
}

// The owner is blocked in a call of the program that must not be cut short; a helper thread treats its events
// meanwhile, and makes the owner's posture `away` again, by `rest_again`. Then the owner comes back and sleeps for one
// event more.
template <class Atoms, class RestAgain>
Body away(bool comes_back, RestAgain rest_again) {
  return [=](Program& program) {
    auto bell = program.make<Bell<Atoms>>("bell");
    auto helper_word = program.make<ModelAtomic<uint32_t>>("helper word");
    auto taken = program.make<ModelAtomic<uint32_t>>("taken");
    bell->posture.rest(Posture::away);
    auto treat = [=] {
      uint32_t got = bell->work.exchange(0, std::memory_order_acquire);
      if (got == 0) return;
      taken->fetch_add(got, std::memory_order_acq_rel);
      bell->posture.ring(true);  // the owner may sleep for what was just treated
    };
    program.thread("owner", [=] {
      if (!comes_back) return;
      bell->posture.be_quiet();
      for (;;) {
        bell->posture.rest(Posture::sleeping);
        treat();
        if (taken->load(std::memory_order_acquire) == 2) break;
        bell->posture.sleep(-1);
      }
      bell->posture.be_quiet();
    });
    program.thread("helper", [=] {
      uint32_t treated = 0;
      for (;;) {
        uint32_t seen = helper_word->load(std::memory_order_acquire);
        if (seen / 2 != treated) {
          treated = seen / 2;
          treat();
          rest_again(bell->posture);
          treat();
        } else if (seen % 2 != 0) {
          return;  // no more rings will come
        } else {
          ModelAtoms::wait(*helper_word, seen, -1);
        }
      }
    });
    program.thread("ringer", [=] {
      for (int i = 0; i < 2; ++i) {
        bell->work.fetch_add(1, std::memory_order_release);
        Call call = bell->posture.ring(comes_back && i == 1);  // the last event matters to sleepers only
        require(call != Call::interrupt, "nobody is interrupted");
        if (call != Call::helper) continue;
        helper_word->fetch_add(2, std::memory_order_release);
        ModelAtoms::wake(*helper_word, 1);
      }
      helper_word->fetch_add(1, std::memory_order_release);
      ModelAtoms::wake(*helper_word, 1);
    });
    program.at_end([=] { require(taken->load() == 2, "every event was treated"); });
  };
}

TEST(BellModel, AHelperTreatsTheEventsOfAnOwnerThatIsAway) {
  auto rest_again = [](auto& posture) { posture.rest_again(Posture::away); };
  Result result = check(away<ModelAtoms>(false, rest_again), bounds(2, 1));
  EXPECT_TRUE(result.passed) << result.report;
  EXPECT_FALSE(explore(away<AtomsWithoutFences>(false, rest_again), bounds(2, 1)).passed);
}

TEST(BellModel, AHelperDoesNotDisturbAnOwnerThatCameBackToSleep) {
  auto rest_again = [](auto& posture) { posture.rest_again(Posture::away); };
  Result result = check(away<ModelAtoms>(true, rest_again), bounds(2, 1));
  EXPECT_TRUE(result.passed) << result.report;
  // With rest() the helper may replace `sleeping` by `away`, and nobody wakes the owner.
  auto rest = [](auto& posture) { posture.rest(Posture::away); };
  Result overwritten = explore(away<ModelAtoms>(true, rest), bounds(2, 1));
  EXPECT_FALSE(overwritten.passed);
  EXPECT_NE(overwritten.report.find("Deadlock"), std::string::npos) << overwritten.report;
}

// The thread that takes user interrupts ends while the process is armed for them; a handler in another thread keeps the
// rest of the process up meanwhile (net/core_rest.cpp). A user interrupt to the thread that ends is lost. A signal
// shows its handler what its sender had written, by the locks of the kernel: `carried`.
template <class Atoms>
Body departing(bool look_after_resting) {
  return [=](Program& program) {
    auto bell = program.make<Bell<Atoms>>("bell");
    auto resting = program.make<typename Atoms::template Atomic<uint32_t>>("resting");
    auto carried = program.make<ModelAtomic<uint32_t>>("carried");
    constexpr auto user = static_cast<uint32_t>(Posture::armed_user);
    auto signal = [=] {
      carried->fetch_add(1, std::memory_order_release);
      raise(bell->owner);
    };
    auto publish_and_ring = [=] {
      bell->work.fetch_add(1, std::memory_order_release);
      if (bell->posture.ring(false) == Call::interrupt) signal();
    };
    bell->posture.rest(Posture::armed_user);
    resting->store(user, std::memory_order_relaxed);
    bell->owner = program.thread("other", [] { compute(); });
    program.handler(
        bell->owner,
        [=] {
          carried->fetch_add(0, std::memory_order_acquire);
          do {
            bell->treat();
            const uint32_t kept = resting->load(std::memory_order_relaxed);
            bell->posture.rest_again(static_cast<Posture>(kept));
            if (look_after_resting && kept == user && resting->load(std::memory_order_relaxed) != kept) {
              bell->posture.lose_user_interrupts();
            }
          } while (bell->has_work());
        },
        0);
    program.thread("receiver", [=] {
      uint32_t lost = user;
      resting->compare_exchange_strong(lost, static_cast<uint32_t>(Posture::armed), std::memory_order_relaxed,
                                       std::memory_order_relaxed);
      Atoms::fence();
      bell->posture.lose_user_interrupts();
      signal();
    });
    program.thread("ringer", [=] {
      publish_and_ring();
      signal();  // for some other reason: a late interrupt from before
      publish_and_ring();
    });
    program.at_end([=] { require(bell->treated == 2, "no event is lost with the thread that took the interrupts"); });
  };
}

TEST(BellModel, NoEventIsLostWithTheThreadThatTookUserInterrupts) {
  Result result = check(departing<ModelAtoms>(true), bounds(2, 2));
  EXPECT_TRUE(result.passed) << result.report;
  EXPECT_FALSE(explore(departing<ModelAtoms>(false), bounds(2, 2)).passed);
  EXPECT_FALSE(explore(departing<AtomsWithoutFences>(true), bounds(2, 2)).passed);
}

}  // namespace
}  // namespace vif::model
