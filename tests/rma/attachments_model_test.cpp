// Model of rma/attachments.hpp: who looks while the owner attaches and detaches never finds memory that was never
// attached, made up of an old and a new entry; a handler on top of the owner never waits.
#include <gtest/gtest.h>

#include "model/explore.hpp"
#include "rma/attachments.hpp"

namespace vif::model {
namespace {

// Attached: 10 to 11, and 20 to 24. Detaching the first moves the second into its place.
template <class Atoms>
struct Table {
  using Attachments = rma::Attachments<Atoms>;
  using Answer = typename Attachments::Answer;
  Attachments attachments;
  typename Attachments::Entry entries[2];
  int busy = 0;

  void attach(uint64_t begin, uint64_t bytes) {
    attachments.change(1, [&](uint64_t count) {
      entries[count].begin.store(begin, std::memory_order_relaxed);
      entries[count].bytes.store(bytes, std::memory_order_relaxed);
      return count + 1;
    });
  }
  void detach_first() {
    attachments.change(1, [&](uint64_t count) {
      entries[0].begin.store(entries[count - 1].begin.load(std::memory_order_relaxed), std::memory_order_relaxed);
      entries[0].bytes.store(entries[count - 1].bytes.load(std::memory_order_relaxed), std::memory_order_relaxed);
      return count - 1;
    });
  }
  Answer find(uint64_t begin, uint64_t end) {
    return attachments.find(begin, end, [this](uint64_t place, uint64_t count) {
      require(place == 1 && count <= 2, "place and count belong together");
      return entries;
    });
  }
  void look() {
    require(find(10, 14) != Answer::yes, "no entry is half old and half new");
    require(find(20, 24) != Answer::no, "what stays attached is found, or the reader is told to look again");
  }
};

template <class Atoms>
Body changing(bool with_handler) {
  return [=](Program& program) {
    auto table = program.make<Table<Atoms>>("table");
    table->attach(10, 1);
    table->attach(20, 4);
    const int owner = program.thread("owner", [=] {
      table->detach_first();
      table->attach(30, 2);
    });
    if (with_handler) {
      program.handler(
          owner, [=] { table->look(); }, 1);
    } else {
      program.thread("reader", [=] { table->look(); });
    }
  };
}

Limits bounds(int preemptions, int stale_reads) {
  Limits limits;
  limits.preemptions = preemptions;
  limits.stale_reads = stale_reads;
  return limits;
}

TEST(AttachmentsModel, ReadersSeeWholeEntries) {
  Result result = check(changing<ModelAtoms>(false), bounds(2, 2));
  EXPECT_TRUE(result.passed) << result.report;
}

TEST(AttachmentsModel, AHandlerOnTopOfTheOwnerNeverWaits) {
  Result result = check(changing<ModelAtoms>(true), bounds(2, 1));
  EXPECT_TRUE(result.passed) << result.report;
}

TEST(AttachmentsModel, FindsMissingOrderings) {
  EXPECT_FALSE(explore(changing<AtomsWithoutFences>(false), bounds(2, 3)).passed);
}

}  // namespace
}  // namespace vif::model
