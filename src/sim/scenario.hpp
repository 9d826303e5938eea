// Scenario: a non-blocking collective beside a computation on a simulated machine, measured as Algorithm 1 of
// H. Taboada's thesis (Bordeaux 2018, section 4.1) does: the collective alone, the computation alone, and both; each
// time the moment at which the last rank is done. All ranks begin at time zero, which stands for its barriers, and each
// of the three is a simulation of its own. Context: app.
#pragma once

#include <string>
#include <vector>

#include "sim/job.hpp"

namespace vif::sim {

struct Scenario {
  std::string collective = "reduce";  // see collectives_of_scenarios()
  uint64_t bytes = 2 << 20;           // the vector, or the block of one rank
  int split = -1;                     // S of split-tree; -1: not split; -2: chosen by the model
  double compute_ns = 0;
  Time patience = -1;  // of the call that starts; -1: what the first S steps take, and as much again
  uint64_t seed = 1;
  Chaos chaos;
};

struct Measured {
  std::string error;  // a sentence, else empty
  Time alone = 0;     // the collective: start and wait at once
  Time compute = 0;
  Time both = 0;
  int split = -1;                // that was used
  uint64_t by_application = 0;   // messages whose bytes the application's threads moved, beside computation
  uint64_t by_others = 0;        // and progress threads or interrupts
  double turns_of_progress = 0;  // how often a progress thread was chosen, on average, beside computation
  uint64_t digest = 0;           // of the trace of both

  // Equation 4.1, clamped to 0 and 1, and as it is.
  double overlap() const;
  double unclamped_overlap() const;
};

const std::vector<std::string>& collectives_of_scenarios();
// The time of one message of that collective at its leaves, copied and combined.
double message_time(const Machine& machine, const Scenario& scenario);

Measured measure(const Machine& machine, const JobOptions& options, const Scenario& scenario);
// One run; `kept` gets its trace when it is not null.
Time run_once(const Machine& machine, const JobOptions& options, const Scenario& scenario, bool communicate,
              bool compute, Measured& measured, Trace* kept = nullptr);

}  // namespace vif::sim
