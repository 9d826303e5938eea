// The environment that the ranks of a program get. Context: app.
#include <cstring>

#include <unistd.h>

#include "plan.hpp"

namespace vif::tool {

namespace {

bool private_variable(const char* entry) {
  return std::strncmp(entry, "PMI_", 4) == 0 || std::strncmp(entry, "VIF_JOB_", 8) == 0 ||
         std::strncmp(entry, "MPI_LOCAL", 9) == 0;
}

void set_entry(std::vector<std::string>& environment, const std::string& name, const std::string& value) {
  const std::string start = name + "=";
  for (std::string& entry : environment) {
    if (entry.starts_with(start)) {
      entry = start + value;
      return;
    }
  }
  environment.push_back(start + value);
}

}  // namespace

std::vector<std::string> program_environment(const Program& program) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    // What another launcher told us about ourselves is not true of our ranks.
    if (!private_variable(*entry)) environment.emplace_back(*entry);
  }
  for (const auto& [name, value] : program.environment) set_entry(environment, name, value);
  return environment;
}

}  // namespace vif::tool
