// Model of rma/slot.hpp with its mailbox: what the origin put into a slot is there when the target takes it, the answer
// is there when the origin sees the end, and no slot is served twice, also when a handler serves.
#include <gtest/gtest.h>

#include "model/explore.hpp"
#include "net/shm/transfer.hpp"
#include "rma/slot.hpp"

namespace vif::model {
namespace {

constexpr uint32_t slots = 2;

template <class Atoms>
struct Mail {
  net::shm::MatchedList<Atoms> mailbox;
  rma::SlotState<Atoms> states[slots + 1];
  uint32_t links[slots + 1] = {};
  ModelPlain<int> data[slots + 1];
  int served = 0;

  void operate(uint32_t slot, int number) {
    require(states[slot].is_free(), "a slot is used again only when it is free");
    data[slot] = number;
    states[slot].post();
    mailbox.push(slot, links[slot]);
    while (!states[slot].finished()) Atoms::pause();
    require(static_cast<int>(data[slot]) == -number, "the answer is there");
    require(states[slot].was_refused() == (number == 2), "and so is whether it was refused");
    states[slot].give_back();
  }

  void serve() {
    for (uint32_t slot = mailbox.take_all(); slot != 0;) {
      const uint32_t next = links[slot];
      const int number = data[slot];
      data[slot] = -number;
      ++served;
      states[slot].finish(number == 2);
      slot = next;
    }
  }
};

// One origin uses its slot twice; the target looks until it has served both.
template <class Atoms>
Body serving() {
  return [](Program& program) {
    auto mail = program.make<Mail<Atoms>>("mail");
    program.thread("target", [=] {
      while (mail->served < 2) {
        if (mail->mailbox.empty()) {
          Atoms::pause();
        } else {
          mail->serve();
        }
      }
    });
    program.thread("origin", [=] {
      mail->operate(1, 2);
      mail->operate(1, 3);
    });
    program.at_end([=] { require(mail->served == 2, "each was served once"); });
  };
}

// Two origins post at once; the target looks a few times, and at the end.
Body posting_together() {
  return [](Program& program) {
    auto mail = program.make<Mail<ModelAtoms>>("mail");
    for (const uint32_t slot : {1u, 2u}) {
      program.thread(slot == 1 ? "origin" : "another", [=] {
        mail->data[slot] = static_cast<int>(slot);
        mail->states[slot].post();
        mail->mailbox.push(slot, mail->links[slot]);
      });
    }
    program.thread("target", [=] {
      mail->serve();
      mail->serve();
    });
    program.at_end([=] {
      mail->serve();
      require(mail->served == 2, "each was served once");
    });
  };
}

Body in_handlers() {
  return [](Program& program) {
    auto mail = program.make<Mail<ModelAtoms>>("mail");
    const int target = program.thread("target", [] { compute(); });
    program.handler(
        target, [=] { mail->serve(); }, 0);
    program.thread("origin", [=] {
      mail->data[1] = 1;
      mail->states[1].post();
      mail->mailbox.push(1, mail->links[1]);
      raise(target);
    });
    program.at_end([=] { require(mail->served == 1 && mail->states[1].finished(), "the handler has served it"); });
  };
}

Limits bounds(int preemptions, int stale_reads) {
  Limits limits;
  limits.preemptions = preemptions;
  limits.stale_reads = stale_reads;
  return limits;
}

TEST(SlotModel, EachIsServedOnceAndTheAnswerIsThere) {
  Result again = check(serving<ModelAtoms>(), bounds(2, 1));
  EXPECT_TRUE(again.passed) << again.report;
  Result result = check(posting_together(), bounds(2, 1));
  EXPECT_TRUE(result.passed) << result.report;
}

TEST(SlotModel, AHandlerServes) {
  Result result = check(in_handlers(), bounds(2, 1));
  EXPECT_TRUE(result.passed) << result.report;
}

TEST(SlotModel, FindsMissingOrderings) {
  EXPECT_FALSE(explore(serving<AtomsWithoutRelease>(), bounds(2, 1)).passed);
  EXPECT_FALSE(explore(serving<AtomsWithoutAcquire>(), bounds(2, 1)).passed);
}

}  // namespace
}  // namespace vif::model
