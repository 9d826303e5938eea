// The processes that came from this one. Context: app.
#include "descendants.hpp"

#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include <dirent.h>
#include <unistd.h>

#include "launch/wire.hpp"

namespace vif::tool {

namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<pid_t> all_processes() {
  std::vector<pid_t> list;
  DIR* folder = opendir("/proc");
  if (folder == nullptr) return list;
  while (const dirent* entry = readdir(folder)) {
    if (const auto number = launch::parse_number(entry->d_name)) list.push_back(static_cast<pid_t>(*number));
  }
  closedir(folder);
  return list;
}

// The parent of a process: the second field after the name, which is in parentheses and may hold anything.
pid_t parent_of(pid_t process) {
  const std::string stat = contents("/proc/" + std::to_string(process) + "/stat");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return -1;
  std::istringstream fields(stat.substr(name_end + 1));
  char state = 0;
  pid_t parent = -1;
  fields >> state >> parent;
  return parent;
}

void add_family(const std::multimap<pid_t, pid_t>& by_parent, pid_t parent, pid_t spared, std::vector<pid_t>& family) {
  const auto [first, last] = by_parent.equal_range(parent);
  for (auto child = first; child != last; ++child) {
    if (child->second == spared) continue;
    family.push_back(child->second);
    add_family(by_parent, child->second, spared, family);
  }
}

}  // namespace

int signal_descendants(int signal, pid_t spared) {
  std::multimap<pid_t, pid_t> by_parent;
  for (const pid_t process : all_processes()) by_parent.emplace(parent_of(process), process);
  std::vector<pid_t> family;
  add_family(by_parent, getpid(), spared, family);
  for (const pid_t process : family) kill(process, signal);
  return static_cast<int>(family.size());
}

int kill_marked(const std::string& mark) {
  int count = 0;
  for (const pid_t process : all_processes()) {
    if (process == getpid()) continue;
    // Entries end with a zero byte; the first one has none before it.
    const std::string environment = '\0' + contents("/proc/" + std::to_string(process) + "/environ") + '\0';
    const bool marked = environment.find('\0' + mark + '\0') != std::string::npos ||
                        environment.find('\0' + mark + '/') != std::string::npos;
    if (!marked) continue;
    kill(process, SIGKILL);
    ++count;
  }
  return count;
}

}  // namespace vif::tool
