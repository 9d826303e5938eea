// A job for tests: processes of this host with an engine each, without a launcher.
#pragma once

#include <functional>
#include <string>

#include "net/engine.hpp"

namespace vif::test {

// Forks `processes` processes, gives each an engine, runs `body` in it, and waits for all. Returns the number of
// processes that did not return 0 (what they said is on standard error). Environment set before is seen by all.
int run_job(int processes, const std::function<int(net::Engine&)>& body, int thread_level = 0);

// In a body: what a process of the job has told the others at its start; empty: nothing of that name.
std::string job_value(const std::string& key);

// What a body returns to end well without waiting for the others (which may be gone).
inline constexpr int leave_without_meeting = -1;

}  // namespace vif::test

// In the body of a job: leave with a message when the condition is false.
#define JOB_CHECK(condition)                                                                                 \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      std::fprintf(stderr, "%s:%d: rank %d: false: %s\n", __FILE__, __LINE__, engine.process(), #condition); \
      return 1;                                                                                              \
    }                                                                                                        \
  } while (0)
