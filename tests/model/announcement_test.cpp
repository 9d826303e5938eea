// Model of net/shm/announcement.hpp: what a sender takes is what was announced, and each announcement is either taken
// or withdrawn.
#include <gtest/gtest.h>

#include "model/explore.hpp"
#include "net/shm/announcement.hpp"

namespace vif::model {
namespace {

using net::shm::Announced;

template <class Atoms>
struct Pair {
  net::shm::Announcement<Atoms> announcement;
  typename Atoms::template Atomic<uint32_t> published{0};  // the packet of the message that took it, by number
  int taken = 0;
  int withdrawn = 0;

  void receive(int number) {
    const auto n = static_cast<uint64_t>(number);
    require(announcement.announce({7, 1, number, false, 0, n * 100, n * 1000, {n, n, n}}), "the last one was settled");
    if (announcement.withdraw()) {
      ++withdrawn;
      return;
    }
    while (published.load(std::memory_order_acquire) != static_cast<uint32_t>(number)) Atoms::pause();
    require(announcement.settle(), "a message took it");
    require(!announcement.withdraw(), "what is settled cannot be withdrawn");
  }

  void send(int number) {
    Announced values;
    if (!announcement.take(7, 1, number, 0, values)) return;
    ++taken;
    require(values.address == static_cast<uint64_t>(number) * 100, "the address is of this announcement");
    require(values.length == static_cast<uint64_t>(number) * 1000, "the length is of this announcement");
    require(values.place.pages == static_cast<uint64_t>(number) && values.place.offset == values.place.pages,
            "the place is of this announcement");
    published.store(static_cast<uint32_t>(number), std::memory_order_release);
  }
};

// The sender has messages for each announcement, and tries some of them late.
Body play(int announcements) {
  return [=](Program& program) {
    auto state = program.make<Pair<ModelAtoms>>("pair");
    program.name(state->announcement, "announcement");
    program.thread("receiver", [=] {
      for (int n = 1; n <= announcements; ++n) state->receive(n);
    });
    program.thread("sender", [=] {
      for (int n = 1; n <= announcements; ++n) state->send(n);
    });
    program.at_end(
        [=] { require(state->taken + state->withdrawn == announcements, "each was taken or withdrawn, once"); });
  };
}

// The message with the right values that comes too late takes nothing, and neither does one of another kind.
Body mismatched() {
  return [](Program& program) {
    auto state = program.make<Pair<ModelAtoms>>("pair");
    program.thread("receiver", [=] {
      require(state->announcement.announce({7, 1, 5, false, 3, 100, 1000, {}}), "it is free at first");
      require(state->announcement.withdraw(), "nobody took it");
      require(!state->announcement.settle(), "nobody took it");
    });
    program.thread("sender", [=] {
      Announced values;
      require(!state->announcement.take(8, 1, 5, 3, values), "another communicator");
      require(!state->announcement.take(7, 2, 5, 3, values), "another source");
      require(!state->announcement.take(7, 1, 6, 3, values), "another tag");
      require(!state->announcement.take(7, 1, 5, 4, values), "a packet has been sent since");
    });
  };
}

Limits bounds(int preemptions, int stale_reads) {
  Limits limits;
  limits.preemptions = preemptions;
  limits.stale_reads = stale_reads;
  return limits;
}

TEST(AnnouncementModel, EachIsTakenOrWithdrawnOnce) {
  Result result = check(play(2), bounds(3, 2), 5000);
  EXPECT_TRUE(result.passed) << result.report;
  Result more = check(play(3), bounds(2, 1), 5000);
  EXPECT_TRUE(more.passed) << more.report;
}

TEST(AnnouncementModel, OnlyTheMessageThatFitsTakesIt) {
  Result result = check(mismatched(), bounds(2, 1), 2000);
  EXPECT_TRUE(result.passed) << result.report;
}

}  // namespace
}  // namespace vif::model
