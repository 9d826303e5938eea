// Model of rpc/mailbox.hpp: whatever is put, by threads and by handlers that interrupt them half-way, is taken by a
// taker that comes only when it is called.
#include "rpc/mailbox.hpp"

#include <gtest/gtest.h>

#include "model/explore.hpp"

namespace vif::model {
namespace {

template <class Atoms>
struct Post {
  using Box = rpc::Mailbox<Atoms>;
  struct Letter : Box::Record {
    ModelPlain<int> text{0};
  };
  Box box;
  Letter letters[3];
  typename Atoms::template Atomic<uint32_t> calls{0};  // the eventfd: called and not yet read
  int taken = 0;

  void put(int index) {
    letters[index].text = index + 1;
    if (box.put(letters[index])) {
      calls.fetch_add(1, std::memory_order_release);
      Atoms::wake(calls, 1);
    }
  }
  void round() {
    box.begin();
    while (auto* record = box.take()) {
      require(static_cast<Letter&>(*record).text != 0, "what was written came along");
      ++taken;
    }
  }
};

// Two threads put one letter each, and a handler on top of the first one puts another.
template <class Atoms>
Body posting(int letters) {
  return [=](Program& program) {
    auto post = program.make<Post<Atoms>>("post");
    const int first = program.thread("first", [=] { post->put(0); });
    program.handler(
        first, [=] { post->put(2); }, 0);
    program.thread("second", [=] {
      if (letters == 3) raise(first);
      post->put(1);
    });
    program.thread("taker", [=] {
      while (post->taken < letters) {
        if (post->calls.exchange(0, std::memory_order_acquire) == 0) {
          Atoms::wait(post->calls, 0, -1);
          continue;
        }
        post->round();
      }
    });
    program.at_end([=] { require(post->taken == letters, "everything was taken"); });
  };
}

Limits bounds(int preemptions, int stale_reads) {
  Limits limits;
  limits.preemptions = preemptions;
  limits.stale_reads = stale_reads;
  return limits;
}

TEST(MailboxModel, WhatIsPutIsTaken) {
  Result two = check(posting<ModelAtoms>(2), bounds(2, 2));
  EXPECT_TRUE(two.passed) << two.report;
  Result three = check(posting<ModelAtoms>(3), bounds(2, 1));
  EXPECT_TRUE(three.passed) << three.report;
}

TEST(MailboxModel, FindsAMissingAcquire) {
  EXPECT_FALSE(explore(posting<AtomsWithoutAcquire>(2), bounds(3, 2)).passed);
}

}  // namespace
}  // namespace vif::model
