// Context: app.
#include "machine/placement.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <sched.h>

namespace vif::machine {

int cpu_of(int process, int thread, const FileReader& read) {
  std::string text;
  if (!read("/proc/" + std::to_string(process) + "/task/" + std::to_string(thread) + "/stat", text)) return -1;
  // The name, in brackets, may hold anything; the processor is the 37th word after it (proc(5)).
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return -1;
  std::istringstream words(text.substr(name_end + 1));
  std::string word;
  for (int i = 0; i < 37; ++i) {
    if (!(words >> word)) return -1;
  }
  return std::atoi(word.c_str());
}

int cpu_apart(int mine, const std::vector<int>& others, const CpuMask& usable) {
  if (mine < 0) return -1;
  const int count = static_cast<int>(usable.size());
  std::vector<int> there(usable.size());
  for (int cpu : others) {
    if (cpu >= 0 && cpu < count) ++there[static_cast<size_t>(cpu)];
  }
  int best = -1;
  for (int i = 1; i < count; ++i) {
    const auto cpu = static_cast<size_t>((mine + i) % count);
    if (!usable.test(cpu)) continue;
    if (best < 0 || there[cpu] < there[static_cast<size_t>(best)]) best = static_cast<int>(cpu);
  }
  return best >= 0 && there[static_cast<size_t>(best)] < there[static_cast<size_t>(mine)] ? best : -1;
}

bool move_to(int cpu) {
  cpu_set_t before, there;
  if (sched_getaffinity(0, sizeof before, &before) != 0 || !CPU_ISSET(cpu, &before)) return false;
  CPU_ZERO(&there);
  CPU_SET(cpu, &there);
  if (sched_setaffinity(0, sizeof there, &there) != 0) return false;
  return sched_setaffinity(0, sizeof before, &before) == 0;
}

}  // namespace vif::machine
