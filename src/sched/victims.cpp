// Context: app.
#include "sched/victims.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace vif::sched {
namespace {

constexpr int no_shared_cache = 100;

// "0-3,8": whether the list names the CPU.
bool names(const std::string& list, int cpu) {
  const char* at = list.c_str();
  while (*at != '\0') {
    char* end;
    const long first = std::strtol(at, &end, 10);
    if (end == at) return false;
    long last = first;
    if (*end == '-') last = std::strtol(end + 1, &end, 10);
    if (first <= cpu && cpu <= last) return true;
    at = *end == ',' ? end + 1 : end;
    if (*end != ',') return false;
  }
  return false;
}

// The level of the closest cache that the two share.
int distance(int mine, int other, const machine::FileReader& read) {
  if (mine < 0 || other < 0) return no_shared_cache;
  int closest = no_shared_cache;
  for (int index = 0;; ++index) {
    const std::string folder =
        "/sys/devices/system/cpu/cpu" + std::to_string(mine) + "/cache/index" + std::to_string(index) + "/";
    std::string level, shared;
    if (!read(folder + "level", level) || !read(folder + "shared_cpu_list", shared)) return closest;
    if (names(shared, other)) closest = std::min(closest, std::atoi(level.c_str()));
  }
}

}  // namespace

std::vector<int> victims(const std::vector<int>& cpus, int mine, const machine::FileReader& read) {
  const int count = static_cast<int>(cpus.size());
  std::vector<int> order;
  std::vector<int> far(cpus.size());
  for (int step = 1; step < count; ++step) {
    const int other = (mine + step) % count;
    far[static_cast<std::size_t>(other)] =
        distance(cpus[static_cast<std::size_t>(mine)], cpus[static_cast<std::size_t>(other)], read);
    order.push_back(other);
  }
  std::stable_sort(order.begin(), order.end(), [&far](int left, int right) {
    return far[static_cast<std::size_t>(left)] < far[static_cast<std::size_t>(right)];
  });
  return order;
}

}  // namespace vif::sched
