// Models of sched/door.hpp, sched/guard.hpp and sched/tally.hpp: a core that sleeps misses no event, whoever pushes and
// wherever an interrupt lands; chains come in order; "all is quiet" is said only when it is, and always in the end;
// stealing as a whole.
#include <gtest/gtest.h>

#include <array>

#include "model/explore.hpp"
#include "sched/door.hpp"
#include "sched/guard.hpp"
#include "sched/tally.hpp"

namespace vif::model {
namespace {

Limits bounds(int preemptions, int stale_reads) {
  Limits limits;
  limits.preemptions = preemptions;
  limits.stale_reads = stale_reads;
  return limits;
}

// A core reduced to its door: it takes letters until it has all, and sleeps when there are none.
template <class Atoms>
struct Desk {
  using Door = sched::Door<Atoms>;
  struct Letter : Door::Record {
    ModelPlain<int> pusher{0};
    ModelPlain<int> number{0};
  };

  void push(int index, int pusher, int number) {
    write(index, pusher, number);
    wake(door.push(letters[index]));
  }
  // Two letters by one push: requirement 49, without a lock.
  void push_two(int index, int pusher, int number) {
    write(index, pusher, number);
    write(index + 1, pusher, number + 1);
    letters[index + 1].next.store(&letters[index], std::memory_order_relaxed);
    wake(door.push_chain(letters[index + 1], letters[index]));
  }

  bool take_all() {
    bool some = false;
    while (auto* record = door.take(tray)) {
      auto& letter = static_cast<Letter&>(*record);
      const int pusher = letter.pusher;
      require(letter.number == next[pusher], "the letters of one pusher come in order, each once");
      ++next[pusher];
      ++taken;
      some = true;
    }
    return some;
  }

  void serve(int count, bool away) {
    while (taken < count) {
      if (take_all()) continue;
      door.rest(away ? bell::Posture::away : bell::Posture::sleeping);
      if (!take_all()) {
        if (away) {
          // A descriptor: readable once it has been written, until it is read.
          while (descriptor.load(std::memory_order_acquire) == 0) Atoms::wait(descriptor, 0, -1);
          descriptor.store(0, std::memory_order_relaxed);
        } else {
          door.sleep(-1);
        }
      }
      door.stand_up();
    }
  }

  Door door;
  typename Door::Tray tray;
  typename Atoms::template Atomic<uint32_t> descriptor{0};
  Letter letters[6];
  int next[3] = {};
  int taken = 0;

 private:
  void write(int index, int pusher, int number) {
    letters[index].pusher = pusher;
    letters[index].number = number;
  }
  void wake(bell::Call call) {
    if (call != bell::Call::helper) return;
    descriptor.store(1, std::memory_order_release);
    Atoms::wake(descriptor, 1);
  }
};

// Two posters and a handler of the first, each with its letters; the core sleeps in between.
template <class Atoms>
Body desk(int handler_letters, bool away) {
  return [=](Program& program) {
    auto state = program.make<Desk<Atoms>>("desk");
    const int count = 3 + handler_letters;
    program.thread("core", [=] { state->serve(count, away); });
    const int poster = program.thread("poster", [=] { state->push_two(0, 0, 0); });
    if (handler_letters != 0) {
      program.handler(
          poster, [=] { state->push(2, 1, 0); }, 0);
    }
    program.thread("other", [=] {
      if (handler_letters != 0) raise(poster);
      state->push(3, 2, 0);
    });
    program.at_end([=] { require(state->taken == count, "every letter was taken"); });
  };
}

// Requirement 13.
TEST(DoorModel, ASleepingCoreMissesNothing) {
  for (bool away : {false, true}) {
    Result plain = check(desk<ModelAtoms>(0, away), bounds(2, 1), 10000);
    EXPECT_TRUE(plain.passed) << plain.report;
    Result handler = check(desk<ModelAtoms>(1, away), bounds(1, 1), 10000);
    EXPECT_TRUE(handler.passed) << handler.report;
  }
}

TEST(DoorModel, FindsWhatIsMissing) {
  EXPECT_FALSE(explore(desk<AtomsWithoutFences>(0, false), bounds(2, 1)).passed);
  EXPECT_FALSE(explore(desk<AtomsWithoutRelease>(0, false), bounds(2, 1)).passed);
  EXPECT_FALSE(explore(desk<AtomsWithoutAcquire>(0, false), bounds(2, 1)).passed);
}

// A colour that its home and a thief run in turn: the thief borrows what waits, under the home's guard, and says so
// when it is done; what is posted meanwhile waits. Exclusion, order, and no event twice.
template <class Atoms>
struct Home {
  sched::Guard<Atoms> guard;
  ModelPlain<int> first{0}, last{0};             // numbers of the events that wait: [first, last)
  ModelPlain<bool> lent{false};                  // under the guard
  typename Atoms::template Atomic<int> back{0};  // the message of the thief
  ModelPlain<int> next{0};                       // of the colour's own data: the number that must run now

  void run(int number) {
    require(next == number, "the events of a colour run in order, each once, one at a time");
    next = number + 1;
  }
  void close() {
    guard.close([] { Atoms::pause(); });
  }

  void serve(int turns) {
    for (int turn = 0; turn < turns; ++turn) {
      close();
      if (back.exchange(0, std::memory_order_acquire) != 0) lent = false;
      int number = -1;
      if (turn == 0) last = last + 1;  // one more is posted
      if (!lent && first < last) {
        number = first;
        first = first + 1;
        lent = true;  // runs: a thief must not take it
      }
      guard.open();
      if (number < 0) continue;
      run(number);
      close();
      lent = false;
      guard.open();
    }
  }

  void steal() {
    if (!guard.try_close()) return;
    int begin = 0, end = 0;
    if (!lent) {
      begin = first;
      end = last;
      if (begin != end) lent = true;
      first = end;
    }
    guard.open();
    for (int number = begin; number < end; ++number) run(number);
    if (begin != end) back.store(1, std::memory_order_release);
  }
};

template <class Atoms>
Body theft() {
  return [=](Program& program) {
    auto home = program.make<Home<Atoms>>("home");
    home->last = 2;
    program.thread("core", [=] { home->serve(3); });
    program.thread("thief", [=] { home->steal(); });
    program.at_end([=] { require(home->next == home->first, "what was taken has run"); });
  };
}

TEST(GuardModel, AColourThatIsStolenKeepsItsOrder) {
  Result result = check(theft<ModelAtoms>(), bounds(3, 1));
  EXPECT_TRUE(result.passed) << result.report;
  EXPECT_FALSE(explore(theft<AtomsWithoutRelease>(), bounds(2, 1)).passed);
  EXPECT_FALSE(explore(theft<AtomsWithoutAcquire>(), bounds(2, 1)).passed);
}

// Two cores that hand one event to and fro `hops` times after it came from outside, and an observer.
template <class Atoms>
struct Office {
  using Tally = sched::Tally<Atoms>;

  // A core: while there may be an event, take it, and hand it on if it has hops left.
  void serve(std::size_t self, int turns) {
    for (int turn = 0; turn < turns; ++turn) {
      const uint32_t event = inbox[self].exchange(0, std::memory_order_acq_rel);
      if (event != 0) {
        tallies[self].took(1);
        if (event > 1) {
          tallies[self].hands(1);
          inbox[1 - self].store(event - 1, std::memory_order_release);
        } else {
          done.store(1, std::memory_order_relaxed);
        }
      }
      if (tallies[self].idle()) {
        watchers.core_is_idle([this] { return quiet(); });
      }
    }
  }
  bool quiet() { return sched::all_quiet<Atoms>(observed); }

  std::array<Tally, 3> tallies;  // the last one: threads from outside
  std::array<Tally*, 3> observed{&tallies[0], &tallies[1], &tallies[2]};
  std::array<typename Atoms::template Atomic<uint32_t>, 2> inbox{};
  typename Atoms::template Atomic<uint32_t> done{0};
  typename Atoms::template Atomic<uint32_t> stopping{0};
  sched::Watchers<Atoms> watchers;
};

template <class Atoms>
Body office(uint32_t hops) {
  return [=](Program& program) {
    auto state = program.make<Office<Atoms>>("office");
    state->tallies[0].idle();
    state->tallies[1].idle();
    state->tallies[2].idle();
    state->tallies[2].comes_from_outside();
    state->inbox[0].store(hops, std::memory_order_relaxed);
    program.thread("first", [=] { state->serve(0, 2); });
    program.thread("second", [=] { state->serve(1, 1); });
    program.thread("observer", [=] {
      for (int look = 0; look < 2; ++look) {
        if (state->quiet()) require(state->done.load() == 1, "what is said to be quiet is quiet");
      }
    });
  };
}

TEST(TallyModel, QuietIsSaidOnlyWhenItIs) {
  for (uint32_t hops : {1U, 2U, 3U}) {
    Result result = check(office<ModelAtoms>(hops), bounds(2, 1), 5000);
    EXPECT_TRUE(result.passed) << result.report;
  }
}

// One look instead of two: the first core is seen before it begins, the second when it has finished its part, and the
// event from outside hides that the first still works.
Body still_at_work(bool twice) {
  return [=](Program& program) {
    auto state = program.make<Office<ModelAtoms>>("office");
    for (auto& tally : state->tallies) tally.idle();
    state->tallies[2].comes_from_outside();
    program.thread("first", [=] {
      state->tallies[0].took(1);
      state->tallies[0].hands(1);
      state->inbox[1].store(1, std::memory_order_release);
      state->done.store(1, std::memory_order_relaxed);
      state->tallies[0].idle();
    });
    program.thread("second", [=] {
      if (state->inbox[1].exchange(0, std::memory_order_acq_rel) == 0) return;
      state->tallies[1].took(1);
      state->tallies[1].idle();
    });
    program.thread("observer", [=] {
      uint64_t handed, taken;
      const bool once = sched::look_once<ModelAtoms>(state->observed, handed, taken) && handed == taken;
      if (twice ? state->quiet() : once) require(state->done.load() == 1, "what is said to be quiet is quiet");
    });
  };
}

TEST(TallyModel, OneLookIsNotEnough) {
  EXPECT_FALSE(explore(still_at_work(false), bounds(3, 0)).passed);
  Result result = check(still_at_work(true), bounds(3, 0));
  EXPECT_TRUE(result.passed) << result.report;
}

// The observer waits for quiet: the core that is the last to be idle wakes it.
template <class Atoms>
Body waited_for() {
  return [=](Program& program) {
    auto state = program.make<Office<Atoms>>("office");
    state->tallies[2].idle();
    state->tallies[2].comes_from_outside();
    state->inbox[0].store(1, std::memory_order_relaxed);
    program.thread("first", [=] { state->serve(0, 1); });
    program.thread("second", [=] { state->serve(1, 1); });
    program.thread("observer", [=] {
      state->watchers.watch([&] { return state->quiet(); });
      require(state->done.load() == 1, "all is done when the wait ends");
    });
  };
}

TEST(TallyModel, WhoWaitsForQuietIsWoken) {
  Result result = check(waited_for<ModelAtoms>(), bounds(2, 1));
  EXPECT_TRUE(result.passed) << result.report;
  EXPECT_FALSE(explore(waited_for<AtomsWithoutFences>(), bounds(2, 2)).passed);
}

// A thread from outside against the end: either its event is run, or it is refused; the end never leaves it behind.
template <class Atoms>
Body refused() {
  return [=](Program& program) {
    auto state = program.make<Office<Atoms>>("office");
    state->tallies[1].idle();
    auto accepted = program.make<ModelAtomic<uint32_t>>("accepted");
    program.thread("core", [=] { state->serve(0, 2); });
    state->tallies[0].idle();
    state->tallies[2].idle();
    program.thread("outside", [=] {
      state->tallies[2].comes_from_outside();
      if (state->stopping.load(std::memory_order_seq_cst) != 0) {
        state->tallies[2].is_refused();
        return;
      }
      accepted->store(1, std::memory_order_relaxed);
      state->inbox[0].store(1, std::memory_order_release);
    });
    program.thread("end", [=] {
      state->stopping.store(1, std::memory_order_seq_cst);
      if (state->quiet()) {
        require(accepted->load() == 0 || state->done.load() == 1, "an event that was accepted has run");
      }
    });
  };
}

TEST(TallyModel, TheEndLeavesNoAcceptedEventBehind) {
  Result result = check(refused<ModelAtoms>(), bounds(2, 1), 10000);
  EXPECT_TRUE(result.passed) << result.report;
}

// Stealing as a whole, as core_steal.cpp does it: two events of one colour come from outside into the home's inbox; the
// home and a thief take them in, whoever has the guard; the thief lends the colour and gives it back by a message; the
// home sleeps when there is nothing for it; an observer asks whether all is quiet.
template <class Atoms>
struct House {
  using Door = sched::Door<Atoms>;
  static constexpr int events = 2;
  struct Letter : Door::Record {
    bool is_event = true;  // or the message that gives the colour back; set before it is pushed
  };

  void run(int number) {
    require(next == number, "the events of a colour run in order, each once, one at a time");
    next = number + 1;
    done.fetch_add(1, std::memory_order_relaxed);
  }
  void close() {
    guard.close([] { Atoms::pause(); });
  }
  // With the guard closed, by the home or by the thief.
  void take_in() {
    uint64_t taken = 0;
    for (; auto* record = door.take(tray); ++taken) {
      if (static_cast<Letter&>(*record).is_event) {
        last = last + 1;
      } else {
        lent = false;
      }
    }
    if (taken != 0) tallies[0].took(taken);
  }
  bool may_run() { return !lent && first < last; }

  void live_at_home() {
    for (;;) {
      close();
      take_in();
      const bool runs = may_run();
      const int number = first;
      if (runs) {
        first = number + 1;
        lent = true;  // it runs: no thief may take the colour
      }
      const bool ends = !runs && !lent && first == events;
      if (!runs && tallies[0].idle()) watchers.core_is_idle([this] { return quiet(); });
      guard.open();
      if (ends) return;
      if (runs) {
        run(number);
        close();
        lent = false;
        guard.open();
      } else {
        sleep();
      }
    }
  }
  void sleep() {
    door.rest(bell::Posture::sleeping);
    close();
    take_in();
    const bool nothing = !may_run() && !(first == events && !lent);
    if (nothing && tallies[0].idle()) watchers.core_is_idle([this] { return quiet(); });
    guard.open();
    if (nothing) door.sleep(-1);
    door.stand_up();
  }

  void steal() {
    if (door.untouched() && tray.empty()) return;
    if (!guard.try_close()) return;
    take_in();
    const bool some = may_run();
    const int begin = first, end = some ? static_cast<int>(last) : begin;
    if (some) {
      first = end;
      lent = true;
      tallies[1].hands(1);  // before the guard opens: the home cannot be seen idle earlier
    }
    guard.open();
    if (!some) return;
    tallies[1].took(1);
    for (int number = begin; number < end; ++number) run(number);
    tallies[1].hands(1);
    letters[events].is_event = false;
    door.push(letters[events]);
    if (tallies[1].idle()) watchers.core_is_idle([this] { return quiet(); });
  }

  void post(int number) {
    tallies[2].comes_from_outside();
    door.push(letters[number]);
  }
  bool quiet() { return sched::all_quiet<Atoms>(observed); }

  sched::Guard<Atoms> guard;
  Door door;
  typename Door::Tray tray;
  Letter letters[events + 1];
  ModelPlain<int> first{0}, last{0};  // numbers of the events that wait: [first, last); under the guard
  ModelPlain<bool> lent{false};       // or running; under the guard
  ModelPlain<int> next{0};            // the colour's own data: the number that must run now
  typename Atoms::template Atomic<int> done{0};
  std::array<sched::Tally<Atoms>, 3> tallies;  // home, thief, outside
  std::array<sched::Tally<Atoms>*, 3> observed{&tallies[0], &tallies[1], &tallies[2]};
  sched::Watchers<Atoms> watchers;
};

template <class Atoms>
Body house(bool observed) {
  return [=](Program& program) {
    auto state = program.make<House<Atoms>>("house");
    for (auto& tally : state->tallies) tally.idle();
    program.thread("home", [=] { state->live_at_home(); });
    program.thread("thief", [=] { state->steal(); });
    program.thread("outside", [=] {
      state->post(0);
      state->post(1);
      // What it posted has run when all is quiet after it.
      if (observed && state->quiet()) require(state->done.load() == 2, "what is said to be quiet is quiet");
    });
    program.at_end([=] { require(state->next == 2, "every event has run"); });
  };
}

TEST(StealingModel, NothingIsLostDoubledOrReorderedAndQuietIsTrue) {
  for (const bool observed : {false, true}) {
    Result result = check(house<ModelAtoms>(observed), bounds(observed ? 1 : 2, 1), 4000);
    EXPECT_TRUE(result.passed) << result.report;
  }
}

TEST(StealingModel, FindsWhatIsMissing) {
  EXPECT_FALSE(explore(house<AtomsWithoutFences>(false), bounds(2, 1)).passed);
  EXPECT_FALSE(explore(house<AtomsWithoutRelease>(false), bounds(2, 1)).passed);
  EXPECT_FALSE(explore(house<AtomsWithoutAcquire>(false), bounds(2, 1)).passed);
}

}  // namespace
}  // namespace vif::model
