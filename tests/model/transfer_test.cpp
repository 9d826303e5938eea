// Model of net/shm/transfer.hpp: each byte is copied once by one of the sides, both see the end, a match (or a probe
// that keeps the message for one) and a cancel exclude each other, and the descriptor is used again only when the
// receiver has left it.
#include <gtest/gtest.h>

#include "model/explore.hpp"
#include "net/shm/transfer.hpp"

namespace vif::model {
namespace {

using net::shm::Route;

constexpr int slots = 3;  // "bytes" of a message, copied in slices of two, the sender's from the front

template <class Atoms>
struct Messages {
  net::shm::Transfer<Atoms, 2> transfer;
  typename Atoms::template Atomic<uint32_t> packet{0};  // the request to send, number of the message
  ModelPlain<int> source[slots];
  ModelPlain<int> destination[slots];
  int copied = 0;  // slots of all messages
  int cancelled = 0;

  // One claim; false when there is nothing to claim.
  bool copy_some(bool front) {
    uint64_t from = 0;
    uint64_t bytes = 0;
    if (!transfer.claim(front, 2, from, bytes)) return false;
    for (uint64_t i = from; i < from + bytes; ++i) {
      destination[i] = static_cast<int>(source[i]);
      ++copied;
    }
    transfer.finish(bytes);
    return true;
  }

  void send(int number, bool cancels) {
    for (auto& slot : source) slot = number * 10;
    transfer.offer(static_cast<uint64_t>(number), slots, false, false);
    packet.store(static_cast<uint32_t>(number), std::memory_order_release);
    if (cancels && transfer.withdraw()) {
      ++cancelled;
    } else {
      while (!transfer.is_matched() || !transfer.complete()) {
        if (!transfer.is_matched() || !copy_some(true)) Atoms::pause();
      }
    }
    for (auto& slot : source) slot = -1;  // the buffer is the user's again
    while (!transfer.reclaim()) Atoms::pause();
  }

  void receive(int number, bool probes) {
    while (packet.load(std::memory_order_acquire) != static_cast<uint32_t>(number)) Atoms::pause();
    for (auto& slot : destination) slot = 0;
    const bool kept = probes && transfer.keep();
    const bool matched = (kept || !probes) && transfer.match(1, slots, Route::cross_memory, false);
    require(!kept || matched, "what a probe has kept cannot be cancelled any more");
    if (matched) {
      require(transfer.sender_address() == static_cast<uint64_t>(number), "the descriptor is of this message");
      while (!transfer.complete()) {
        if (!copy_some(false)) Atoms::pause();
      }
      for (auto& slot : destination) require(slot == number * 10, "every byte has arrived");
    }
    transfer.leave();
  }
};

template <class Atoms>
Body exchange(int messages, bool cancels, bool probes = false) {
  return [=](Program& program) {
    auto state = program.make<Messages<Atoms>>("messages");
    program.name(state->transfer, "transfer");
    program.thread("sender", [=] {
      for (int n = 1; n <= messages; ++n) state->send(n, cancels);
    });
    program.thread("receiver", [=] {
      for (int n = 1; n <= messages; ++n) state->receive(n, probes);
    });
    program.at_end([=] {
      require(state->copied == slots * (messages - state->cancelled),
              "every byte was copied once, and none of a cancelled message");
    });
  };
}

// The sender computes: it has offered, and is interrupted. The handler copies too, wherever it lands.
Body interrupted() {
  return [](Program& program) {
    auto state = program.make<Messages<ModelAtoms>>("messages");
    int sender = program.thread("sender", [=] { state->send(1, false); });
    program.handler(
        sender,
        [=] {
          if (state->transfer.is_matched()) state->copy_some(true);
        },
        1);
    program.thread("receiver", [=] { state->receive(1, false); });
    program.at_end([=] { require(state->copied == slots, "every byte was copied once"); });
  };
}

Limits bounds(int preemptions, int stale_reads) {
  Limits limits;
  limits.preemptions = preemptions;
  limits.stale_reads = stale_reads;
  return limits;
}

TEST(TransferModel, EveryByteIsCopiedOnceAndBothSeeTheEnd) {
  Result one = check(exchange<ModelAtoms>(1, false), bounds(3, 1), 5000);
  EXPECT_TRUE(one.passed) << one.report;
  Result two = check(exchange<ModelAtoms>(2, false), bounds(2, 1), 5000);
  EXPECT_TRUE(two.passed) << two.report;
}

TEST(TransferModel, CancelAndMatchExcludeEachOther) {
  Result result = check(exchange<ModelAtoms>(2, true), bounds(2, 1), 5000);
  EXPECT_TRUE(result.passed) << result.report;
}

TEST(TransferModel, CancelAndMatchedProbeExcludeEachOther) {
  Result result = check(exchange<ModelAtoms>(2, true, true), bounds(2, 1), 5000);
  EXPECT_TRUE(result.passed) << result.report;
}

TEST(TransferModel, AnInterruptedSenderCopiesToo) {
  Result result = check(interrupted(), bounds(2, 1), 5000);
  EXPECT_TRUE(result.passed) << result.report;
}

TEST(TransferModel, FindsMissingOrderings) {
  EXPECT_FALSE(explore(exchange<AtomsWithoutRelease>(1, false), bounds(2, 1)).passed);
  EXPECT_FALSE(explore(exchange<AtomsWithoutAcquire>(1, false), bounds(2, 1)).passed);
}

// Receivers push what they matched; the sender and its handler take everything, each transfer once.
template <class Atoms>
struct Matches {
  net::shm::MatchedList<Atoms> list;
  ModelPlain<int> matched[4];  // written by the receiver before its push; [0] is unused
  uint32_t links[4] = {};      // next_matched of each: ordered by the list alone
  int taken[4] = {};

  void match(uint32_t id) {
    matched[id] = 1;
    list.push(id, links[id]);
  }
  int take() {
    int count = 0;
    for (uint32_t id = list.take_all(); id != 0; id = links[id]) {
      require(matched[id] == 1, "the match is visible");
      ++taken[id];
      ++count;
    }
    return count;
  }
};

template <class Atoms>
Body matches() {
  return [](Program& program) {
    auto state = program.make<Matches<Atoms>>("matches");
    program.name(state->list, "list");
    int sender = program.thread("sender", [=] {
      state->take();
      state->take();
    });
    program.handler(
        sender, [=] { state->take(); }, 1);
    program.thread("receiver 1", [=] {
      state->match(1);
      state->match(2);
    });
    program.thread("receiver 2", [=] { state->match(3); });
    program.at_end([=] {
      state->take();
      for (int id = 1; id <= 3; ++id) require(state->taken[id] == 1, "each match is taken once");
    });
  };
}

TEST(MatchedListModel, EachMatchIsTakenOnce) {
  Result result = check(matches<ModelAtoms>(), bounds(2, 1), 5000);
  EXPECT_TRUE(result.passed) << result.report;
}

TEST(MatchedListModel, FindsMissingOrderings) {
  EXPECT_FALSE(explore(matches<AtomsWithoutRelease>(), bounds(2, 1)).passed);
  EXPECT_FALSE(explore(matches<AtomsWithoutAcquire>(), bounds(2, 1)).passed);
}

}  // namespace
}  // namespace vif::model
