// The CPUs that a process may use. Context: app.
#pragma once

#include <bitset>
#include <functional>
#include <string>
#include <vector>

namespace vif::machine {

using CpuMask = std::bitset<1024>;

// Reads a whole file; false when it cannot be read. Injected, so that tests give trees of their own.
using FileReader = std::function<bool(const std::string& path, std::string& text)>;
bool read_file(const std::string& path, std::string& text);

// CPU time that the control groups of this process allow, in CPUs (1.5 = one CPU and a half); 0 when there is no limit.
double cgroup_quota(const FileReader& read = read_file);

// How many CPUs this process may use: those of its affinity, or fewer where a control group gives less time. At
// least 1.
int usable_cpus();

// Whether process `mine`, and those that compete with it for CPUs directly or through others, cannot have a CPU each.
// It is the same answer for all that compete. masks: the affinity of every process of the job on this host; quota: as
// above, shared by all.
bool oversubscribed(const std::vector<CpuMask>& masks, int mine, double quota);
bool oversubscribed(const std::vector<CpuMask>& masks, int mine);  // with the quota of this process

}  // namespace vif::machine
