// The overlap report: for each place in the program that starts something non-blocking, how much of it was hidden
// behind the program's computation, how long the program waited for it, and by what it was found complete. Context:
// app.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "trace_job.hpp"

namespace vif::tool {

// All operations of one call in the program, of all ranks.
struct OverlapSite {
  std::string place;
  std::string function;
  uint64_t times = 0;
  uint64_t bytes = 0;
  double start_ms = 0;   // in the calls that start
  double hidden_ms = 0;  // from there until they were complete, or the program came to wait: beside its computation
  double waited_ms = 0;  // in calls that ask or wait for them
  std::array<uint64_t, trace::reactions> by{};

  double hidden_part() const;  // of the time that they took, as far as the program saw it: 0 to 1
};

// A call that waited, blocking ones and MPI_Wait.
struct WaitingSite {
  std::string place;
  std::string function;
  uint64_t times = 0;
  double spent_ms = 0;
  double waited_ms = 0;  // of that, for others
};

struct OverlapReport {
  std::size_t ranks = 0;
  double length_ms = 0;
  uint64_t lost = 0;
  std::vector<OverlapSite> sites;     // the longest waited for first
  std::vector<WaitingSite> waitings;  // likewise
};

OverlapReport overlap_of(const TracedJob& job);
std::string text_of(const OverlapReport& report);
std::string json_of(const OverlapReport& report);

}  // namespace vif::tool
