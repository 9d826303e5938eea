// What `vif run` is asked to do, and the reading of its command line.
// Context: app.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace vif::tool {

enum class Binding {
  none,         // ranks go where the kernel puts them
  core,         // each rank has a core of its own, when there are enough
  spread,       // --bind-to auto: as `core`, but only for a job of at least two ranks, and silently not otherwise
  scatter_numa  // balanced over the NUMA nodes and spread within each, so that progress threads find a place
};

// One program of the job: what stands between two ':'.
struct Program {
  int ranks = 1;
  std::vector<std::string> command;  // program and arguments
  std::vector<std::pair<std::string, std::string>> environment;
  std::string directory;  // empty: the launcher's
};

struct Plan {
  std::vector<Program> programs;
  Binding binding = Binding::none;
  bool prefix = false;
  double timeout_seconds = 0;  // 0: none

  int ranks() const;
};

// The outcome of reading the command line.
struct Reading {
  enum class Kind { run, help, man, version, wrong };
  Kind kind = Kind::wrong;
  Plan plan;
  std::string sentence;  // of Kind::wrong: what is wrong and what to do
};

// `arguments` excludes the name of the command.
Reading read_run_arguments(const std::vector<std::string>& arguments);

// The environment of this process as the ranks of a program get it, before the job's own variables are added:
// "NAME=value".
std::vector<std::string> program_environment(const Program& program);

std::string run_help();
std::string run_man_page();

}  // namespace vif::tool
