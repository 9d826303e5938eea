// The vif command; as `mpirun` or `mpiexec` it is `vif run`. Context: app.
#include <cstdio>
#include <string>
#include <vector>

#include "commands.hpp"
#include "text.hpp"
#include "version.hpp"

namespace {

using vif::tool::Command;

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

int wrong(const std::string& sentence) {
  std::fprintf(stderr, "vif: %s\n", sentence.c_str());
  return 2;
}

void print_help() {
  std::printf(
      "Usage: vif COMMAND [OPTIONS]\n\nVif is an MPI library whose communications progress while the program "
      "computes.\n\n"
      "Commands:\n");
  for (const Command& command : vif::tool::commands()) {
    std::printf("%s", vif::tool::format_option({command.name, command.purpose}).c_str());
  }
  std::printf(
      "\n'vif COMMAND --help' says more about a command. Other options:\n"
      "  --version           Print the version.\n"
      "  --help              Print this text.\n");
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string called = base_name(argc > 0 ? argv[0] : "vif");
  if (called == "mpirun" || called == "mpiexec") return vif::tool::run_command(arguments);
  if (arguments.empty()) {
    print_help();
    return 2;
  }
  const std::string name = arguments[0];
  if (name == "--help" || name == "-h" || name == "help") {
    print_help();
    return 0;
  }
  if (name == "--version" || name == "-V") {
    std::printf("vif %s\n", vif::tool::version);
    return 0;
  }
  arguments.erase(arguments.begin());
  std::vector<std::string> names;
  for (const Command& command : vif::tool::commands()) {
    if (name == command.name) return command.run(arguments);
    names.push_back(command.name);
  }
  const std::string near = vif::tool::nearest(name, names);
  return wrong("There is no command '" + name + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?") +
               (near.empty() ? ": " : " ") + "'vif --help' lists the commands.");
}
