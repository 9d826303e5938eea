// Starts one process of a job. Context: app, in a launcher that has one thread.
#pragma once

#include <string>
#include <vector>

#include <sched.h>
#include <sys/resource.h>
#include <sys/types.h>

namespace vif::tool {

// All that a new process needs. The descriptors are the launcher's; those in `keep` stay open under the same number.
struct Birth {
  std::vector<std::string> command;
  std::vector<std::string> environment;
  std::string directory;  // empty: the launcher's
  int input = -1;         // becomes descriptor 0
  int output = -1;        // 1
  int errors = -1;        // 2
  std::vector<int> keep;
  const cpu_set_t* cpus = nullptr;  // where it may run; nullptr: anywhere
  const rlimit* files = nullptr;    // limit on descriptors to restore; nullptr: as it is
  sigset_t mask{};                  // signal mask to start with
};

// The process, or -1 with `error` (an errno value) and `sentence_part` ("start './a'") set. The process leads a process
// group of its own and is killed when the launcher dies.
pid_t start_process(const Birth& birth, int& error, std::string& sentence_part);

}  // namespace vif::tool
