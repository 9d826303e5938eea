// Affinity and control groups, and who competes with whom for CPUs. Context: app.
#include "machine/cpus.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <sched.h>

namespace vif::machine {
namespace {

// The path of this process in a hierarchy, from /proc/self/cgroup. `controller` empty: version 2.
bool cgroup_path(const std::string& list, const std::string& controller, std::string& path) {
  std::istringstream lines(list);
  std::string line;
  while (std::getline(lines, line)) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool matches = controller.empty() ? names == ",," : names.find("," + controller + ",") != std::string::npos;
    if (!matches) continue;
    path = line.substr(second + 1);
    return true;
  }
  return false;
}

void tighten(double& quota, double limit) {
  if (limit > 0 && (quota == 0 || limit < quota)) quota = limit;
}

// Calls visit(folder) for the group and all that it lies in.
template <class Visit>
void each_ancestor(const std::string& root, std::string path, Visit visit) {
  if (path == "/") path.clear();
  for (;;) {
    visit(root + path);
    const size_t slash = path.rfind('/');
    if (path.empty() || slash == std::string::npos) return;
    path.erase(slash);
  }
}

}  // namespace

bool read_file(const std::string& path, std::string& text) {
  std::ifstream file(path);
  if (!file) return false;
  std::ostringstream all;
  all << file.rdbuf();
  text = all.str();
  return true;
}

double cgroup_quota(const FileReader& read) {
  std::string list, path, text;
  double quota = 0;
  if (!read("/proc/self/cgroup", list)) return 0;
  if (cgroup_path(list, "", path)) {
    // The second place is where version 2 lies beside version 1.
    for (const char* root : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
      each_ancestor(root, path, [&](const std::string& folder) {
        if (!read(folder + "/cpu.max", text) || text.rfind("max", 0) == 0) return;
        char* end = nullptr;
        const double time = std::strtod(text.c_str(), &end);
        const double period = std::strtod(end, nullptr);
        if (time > 0 && period > 0) tighten(quota, time / period);
      });
    }
  }
  if (cgroup_path(list, "cpu", path)) {
    each_ancestor("/sys/fs/cgroup/cpu", path, [&](const std::string& folder) {
      std::string period_text;
      if (!read(folder + "/cpu.cfs_quota_us", text) || !read(folder + "/cpu.cfs_period_us", period_text)) return;
      const double time = std::strtod(text.c_str(), nullptr);
      const double period = std::strtod(period_text.c_str(), nullptr);
      if (time > 0 && period > 0) tighten(quota, time / period);
    });
  }
  return quota;
}

int usable_cpus() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  int cpus = sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 1;
  const double quota = cgroup_quota();
  if (quota > 0) cpus = std::min(cpus, static_cast<int>(std::ceil(quota)));
  return std::max(cpus, 1);
}

namespace {

// The processes whose CPUs overlap with those of `mine`, directly or through others.
std::vector<CpuMask> competitors(const std::vector<CpuMask>& masks, std::size_t mine) {
  CpuMask shared = masks[mine];
  for (bool grown = true; grown;) {
    grown = false;
    for (const CpuMask& mask : masks) {
      if ((mask & shared).none() || (mask & ~shared).none()) continue;
      shared |= mask;
      grown = true;
    }
  }
  std::vector<CpuMask> list;
  for (const CpuMask& mask : masks) {
    if ((mask & shared).any()) list.push_back(mask);
  }
  return list;
}

// Gives each process a CPU of its own as long as possible (a maximum matching, by augmenting paths).
class Seating {
 public:
  explicit Seating(const std::vector<CpuMask>& masks) : masks_(masks), sitting_(CpuMask().size(), -1) {}

  bool all_sit() {
    for (std::size_t i = 0; i < masks_.size(); ++i) {
      tried_.reset();
      if (!seat(i)) return false;
    }
    return true;
  }

 private:
  bool seat(std::size_t process) {
    const CpuMask free = masks_[process] & ~taken_;
    if (free.any()) return sit(process, free._Find_first());
    // Every CPU that it may use is taken: perhaps somebody there can move.
    for (CpuMask candidates = masks_[process] & ~tried_; candidates.any(); candidates = masks_[process] & ~tried_) {
      const std::size_t cpu = candidates._Find_first();
      tried_.set(cpu);
      if (seat(static_cast<std::size_t>(sitting_[cpu]))) return sit(process, cpu);
    }
    return false;
  }

  bool sit(std::size_t process, std::size_t cpu) {
    taken_.set(cpu);
    sitting_[cpu] = static_cast<int>(process);
    return true;
  }

  const std::vector<CpuMask>& masks_;
  std::vector<int> sitting_;  // by CPU: the process that has it
  CpuMask taken_;
  CpuMask tried_;
};

}  // namespace

bool oversubscribed(const std::vector<CpuMask>& masks, int mine, double quota) {
  // A little slack: 2 processes on a quota of 1.999 CPUs are not worth another way of waiting.
  if (quota > 0 && static_cast<double>(masks.size()) > quota + 0.01) return true;
  const std::vector<CpuMask> mates = competitors(masks, static_cast<std::size_t>(mine));
  return mates.size() > CpuMask().size() || !Seating(mates).all_sit();
}

bool oversubscribed(const std::vector<CpuMask>& masks, int mine) { return oversubscribed(masks, mine, cgroup_quota()); }

}  // namespace vif::machine
