// What a traced job has left: the tapes of its processes on one clock, and what each thread did when. Context: app.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/tape_file.hpp"

namespace vif::tool {

struct TracedJob {
  // By job, then by process. Times are nanoseconds since the first event of all.
  std::vector<trace::Recorded> ranks;
  int64_t length = 0;

  // Events that found no room.
  uint64_t lost() const;
};

// Reads all tapes of a folder. False with a full sentence in `error`.
bool read_traced_job(const std::string& folder, TracedJob& job, std::string& error);

// "rank 3"; with several jobs or none of ours, more.
std::string name_of_rank(const TracedJob& job, const trace::Recorded& rank);

enum class Activity : uint8_t { compute, call, wait, sleep, interrupt, helper, copy };
inline constexpr int activities = 7;
const char* name_of(Activity activity);

// A time in which a thread did one thing: what lies innermost.
struct Stretch {
  int64_t begin;
  int64_t end;
  uint32_t thread;
  uint16_t cpu;
  Activity activity;
  uint16_t function;  // the call that it lies in; for a computation that of the call before
};
// Of all threads of a process, each thread's in order. Between two calls of a thread it computes.
std::vector<Stretch> stretches_of(const trace::Recorded& rank);

// The files that are shown. False when writing failed.
bool write_perfetto(const TracedJob& job, const std::string& path);
bool write_paje(const TracedJob& job, const std::string& path);
// Where the time of each rank went.
std::string summary_of(const TracedJob& job);

}  // namespace vif::tool
