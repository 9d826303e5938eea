// Choosers: who runs next, and which of several visible values a load returns.
//
// An execution asks its chooser each time more than one thing may happen. Three ways to answer:
//   Enumerator  all answers, one after the other, depth first
//   Uniform     each possible answer equally likely
//   Priorities  threads have random priorities that change at a few random moments (the "PCT" way): finds the failures
//   that
//               need few but precisely placed switches far better than Uniform does
// Context: model tests only, one kernel thread.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace vif::model {

enum class Action : uint8_t {
  go,       // the thread does its next access
  handler,  // the interrupt lands here: the thread's handler runs on top of it
  time_out  // the thread's wait ends because its time is over
};

struct Step {
  uint16_t thread;
  Action action;
};

class Chooser {
 public:
  virtual ~Chooser() = default;
  // Index of the step to do; the span has two entries or more.
  virtual std::size_t choose_step(std::span<const Step> steps) = 0;
  // A number below count (two or more); 0 is the ordinary case (the newest value, say).
  virtual std::size_t choose_value(std::size_t count) = 0;
};

class Enumerator final : public Chooser {
 public:
  std::size_t choose_step(std::span<const Step> steps) override { return choose_value(steps.size()); }
  std::size_t choose_value(std::size_t count) override;
  // Goes to the next execution; false when all were seen.
  bool advance();

 private:
  struct Choice {
    std::size_t chosen;
    std::size_t count;
  };
  std::vector<Choice> path_;
  std::size_t position_ = 0;
};

class Uniform final : public Chooser {
 public:
  explicit Uniform(uint64_t seed) : random_(seed) {}
  std::size_t choose_step(std::span<const Step> steps) override { return choose_value(steps.size()); }
  std::size_t choose_value(std::size_t count) override { return random_() % count; }

 private:
  std::mt19937_64 random_;
};

class Priorities final : public Chooser {
 public:
  explicit Priorities(uint64_t seed);
  std::size_t choose_step(std::span<const Step> steps) override;
  std::size_t choose_value(std::size_t count) override;

 private:
  static constexpr int changes = 3;         // moments at which the running thread becomes the least important
  static constexpr uint64_t horizon = 128;  // they are spread over that many choices

  uint64_t& priority(uint16_t thread);

  std::mt19937_64 random_;
  std::vector<uint64_t> priorities_;
  uint64_t moments_[changes];
  uint64_t choices_ = 0;
};

}  // namespace vif::model
