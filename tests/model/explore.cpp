// Enumeration and sampling of executions.
#include "model/explore.hpp"

#include <cstdlib>
#include <random>

namespace vif::model {

int Program::thread(const char* name, std::function<void()> body) {
  plan_.threads.push_back({name, std::move(body), nullptr, 0});
  return static_cast<int>(plan_.threads.size() - 1);
}

void Program::handler(int thread, std::function<void()> body, int interrupts) {
  ThreadPlan& plan = plan_.threads.at(static_cast<std::size_t>(thread));
  plan.handler = std::move(body);
  plan.interrupts = interrupts;
}

namespace {

std::function<void(Plan&)> set_up_of(const Body& body) {
  return [&body](Plan& plan) {
    Program program(plan);
    body(program);
  };
}

void fill_report(Result& result, const Execution& execution, const std::string& how) {
  result.report = execution.failure() + "\n" + how + "\n" + execution.trace();
}

uint64_t base_seed() {
  if (const char* given = std::getenv("VIF_TEST_SEED")) return std::strtoull(given, nullptr, 0);
  return std::random_device{}();
}

}  // namespace

Result explore(const Body& body, const Limits& limits) {
  Result result;
  Execution execution(limits);
  auto set_up = set_up_of(body);
  // Without a limit there is one round; it sees everything.
  for (int preemptions = limits.preemptions < 0 ? -1 : 0; preemptions <= limits.preemptions; ++preemptions) {
    Enumerator chooser;
    result.last_round = 0;
    do {
      if (result.executions == limits.executions) {
        result.passed = true;
        result.report = "The enumeration was cut short after " + std::to_string(limits.executions) +
                        " executions: lower the other limits, or raise Limits::executions.";
        return result;
      }
      ++result.executions;
      ++result.last_round;
      if (!execution.run(set_up, chooser, preemptions, limits.stale_reads)) {
        fill_report(result, execution,
                    "Found by enumeration, execution " + std::to_string(result.last_round) + " with " +
                        (preemptions < 0 ? std::string("any number of") : "at most " + std::to_string(preemptions)) +
                        " preemptions.");
        return result;
      }
    } while (chooser.advance());
  }
  result.passed = true;
  result.complete = true;
  return result;
}

Result sample(const Body& body, uint64_t executions, const Limits& limits) {
  Result result;
  Execution execution(limits);
  auto set_up = set_up_of(body);
  uint64_t first = base_seed();
  for (uint64_t i = 0; i < executions; ++i) {
    uint64_t seed = first + i;
    Uniform uniform(seed);
    Priorities priorities(seed);
    // Even seeds one way, odd seeds the other, so that the seed alone repeats the execution.
    Chooser& chooser = seed % 2 == 0 ? static_cast<Chooser&>(uniform) : static_cast<Chooser&>(priorities);
    ++result.executions;
    if (execution.run(set_up, chooser, -1, -1)) continue;
    fill_report(result, execution, "Found by sampling; repeat it with VIF_TEST_SEED=" + std::to_string(seed) + ".");
    return result;
  }
  result.passed = true;
  return result;
}

Result check(const Body& body, const Limits& limits, uint64_t samples) {
  Result enumerated = explore(body, limits);
  if (!enumerated.passed) return enumerated;
  Result sampled = sample(body, samples, limits);
  sampled.executions += enumerated.executions;
  sampled.last_round = enumerated.last_round;
  sampled.complete = enumerated.complete;
  if (sampled.passed && !enumerated.complete) {
    sampled.passed = false;
    sampled.report = enumerated.report;
  }
  return sampled;
}

void require(bool condition, const std::string& why) {
  if (!condition) Execution::now().fail("Requirement not met: " + why + ".");
}

void raise(int thread) { Execution::now().raise(thread); }

void compute() {
  Execution::now().point();
  Execution::now().record("computes", nullptr, 0);
}

std::size_t choose(std::size_t count) { return Execution::now().choose(count); }

bool in_handler() { return Execution::now().in_handler(); }

}  // namespace vif::model
