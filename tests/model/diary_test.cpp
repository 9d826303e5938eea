// Model of trace/diary.hpp: a reader believes only what one operation wrote, however the writer is interrupted by it.
#include "trace/diary.hpp"

#include <gtest/gtest.h>

#include "model/explore.hpp"

namespace vif::model {
namespace {

// Each operation n is about n in every word.
trace::Note about(uint32_t n) {
  trace::Note note;
  note.function = static_cast<uint16_t>(n);
  note.context = n;
  note.bytes = n;
  note.members = n;
  return note;
}

template <class Atoms>
struct Pages {
  trace::Diary<Atoms, 2> diary;

  void operate(uint32_t n) {
    diary.begin(static_cast<uint16_t>(n));
    diary.note() = about(n);
    diary.rewrite();
    diary.end();
  }

  void look() {
    const uint64_t begun = diary.begun();
    for (uint64_t operation = begun > 2 ? begun - 2 : 0; operation < begun; ++operation) {
      trace::Note note;
      if (!diary.read(operation, note)) continue;
      const bool started = note.bytes == 0 && note.function == operation;  // begun, and not said yet what it is about
      require(started || (note.bytes == operation && note.members == operation && note.context == operation),
              "what is read was written by one operation");
    }
  }
};

template <class Atoms>
Body written_and_read(uint32_t operations) {
  return [=](Program& program) {
    auto pages = program.make<Pages<Atoms>>("pages");
    int writer = program.thread("writer", [=] {
      for (uint32_t n = 0; n < operations; ++n) pages->operate(n);
    });
    program.handler(
        writer, [=] { pages->look(); }, 1);
    program.thread("reader", [=] { pages->look(); });
  };
}

TEST(DiaryModel, AReaderBelievesOnlyWholeOperations) {
  Limits limits;
  limits.preemptions = 2;
  limits.stale_reads = 1;
  Result few = check(written_and_read<ModelAtoms>(1), limits);
  EXPECT_TRUE(few.passed) << few.report;
  Result many = sample(written_and_read<ModelAtoms>(4), 20000);
  EXPECT_TRUE(many.passed) << many.report;
}

TEST(DiaryModel, WithoutReleaseMixturesAreBelieved) {
  Result result = sample(written_and_read<AtomsWithoutRelease>(4), 50000);
  EXPECT_FALSE(result.passed);
}

}  // namespace
}  // namespace vif::model
