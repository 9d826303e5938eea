#include "mpi/info_environment.hpp"

#include <sys/utsname.h>
#include <unistd.h>
#include <fstream>
#include <iterator>

namespace vif::mpi {
namespace {

// The command line, whose words /proc ends with zeros: the command, and the rest joined by blanks.
void add_command(Info& info) {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string line((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::string command = line.substr(0, line.find('\0'));
  std::string arguments;
  for (std::size_t at = command.size() + 1; at < line.size();) {
    const std::string word = line.substr(at, line.find('\0', at) - at);
    if (!arguments.empty()) arguments += ' ';
    arguments += word;
    at += word.size() + 1;
  }
  if (!command.empty()) set_value(info, "command", command.substr(0, MPI_MAX_INFO_VAL - 1));
  if (!arguments.empty()) set_value(info, "argv", arguments.substr(0, MPI_MAX_INFO_VAL - 1));
}

Info* make() {
  auto* info = new Info;
  add_command(*info);
  char folder[4096];
  if (getcwd(folder, sizeof folder) != nullptr) set_value(*info, "wdir", folder);
  utsname system;
  if (uname(&system) == 0) {
    set_value(*info, "host", system.nodename);
    set_value(*info, "arch", system.machine);
  }
  return info;
}

}  // namespace

Info& environment_info() {
  // Never destroyed: the handle is valid until the end of the program.
  static Info* info = make();
  return *info;
}

void complete_environment_info(int processes, int thread_level) {
  Info& info = environment_info();
  set_value(info, "maxprocs", std::to_string(processes));
  set_value(info, "soft", std::to_string(processes));
  set_value(info, "thread_level", thread_level_name(thread_level));
}

const char* thread_level_name(int thread_level) {
  switch (thread_level) {
    case MPI_THREAD_SINGLE:
      return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED:
      return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED:
      return "MPI_THREAD_SERIALIZED";
    default:
      return "MPI_THREAD_MULTIPLE";
  }
}

}  // namespace vif::mpi
