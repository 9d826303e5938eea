// The commands of vif. Each takes the arguments that follow its name and returns the exit code.
// Context: app.
#pragma once

#include <string>
#include <vector>

namespace vif::tool {

using Arguments = std::vector<std::string>;

struct Command {
  const char* name;
  const char* purpose;
  int (*run)(const Arguments& arguments);
};

const std::vector<Command>& commands();

int run_command(const Arguments& arguments);
int info_command(const Arguments& arguments);
int hang_command(const Arguments& arguments);
int bench_command(const Arguments& arguments);
int report_command(const Arguments& arguments);
int demo_command(const Arguments& arguments);
int trace_command(const Arguments& arguments);
int sim_command(const Arguments& arguments);

}  // namespace vif::tool
