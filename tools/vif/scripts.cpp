// The commands that are Python programs: bench, report and demo. Context: app.
//
// They lie in libexec/vif beside bin (an installation, or a build tree that has copied them), or in the source tree
// that this command was built from, which only a build tree knows.
#include <cerrno>
#include <cstdio>
#include <system_error>

#include <unistd.h>

#include "commands.hpp"
#include "installation.hpp"
#include "places.hpp"

namespace vif::tool {

namespace {

bool readable(const std::string& path) { return access(path.c_str(), R_OK) == 0; }

std::string find_script(const std::string& name, const std::string& prefix) {
  const std::string installed = prefix + "/libexec/vif/" + name;
  if (readable(installed)) return installed;
  // An installation that lost its script must not run one from wherever it was built.
  const std::string source = std::string(source_folder) + "/bench/" + name;
  if (prefix == build_folder && readable(source)) return source;
  return {};
}

int run_script(const std::string& command, const std::string& name, const Arguments& arguments) {
  const std::string prefix = own_prefix();
  const std::string script = find_script(name, prefix);
  if (script.empty()) {
    std::fprintf(stderr, "vif %s: %s is not in '%s/libexec/vif': build or install Vif again.\n", command.c_str(),
                 name.c_str(), prefix.c_str());
    return 1;
  }
  // Pictures need matplotlib, which the project keeps in an environment of its own.
  const std::string own_python = std::string(source_folder) + "/.venv/bin/python3";
  const std::string python = prefix == build_folder && access(own_python.c_str(), X_OK) == 0 ? own_python : "python3";
  std::vector<char*> words = {const_cast<char*>(python.c_str()), const_cast<char*>(script.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  const int error = errno;
  std::fprintf(stderr, "vif %s: cannot start %s: %s. Python 3.9 or later is needed.\n", command.c_str(), python.c_str(),
               std::generic_category().message(error).c_str());
  return 127;
}

}  // namespace

int bench_command(const Arguments& arguments) { return run_script("bench", "vif_bench.py", arguments); }
int report_command(const Arguments& arguments) { return run_script("report", "vif_report.py", arguments); }
int demo_command(const Arguments& arguments) { return run_script("demo", "demo.py", arguments); }

}  // namespace vif::tool
