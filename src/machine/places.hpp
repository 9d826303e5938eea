// Where in the machine a process is: which core, cache, package, memory node its CPUs belong to. Context: app.
#pragma once

#include <string>
#include <vector>

#include "machine/cpus.hpp"

namespace vif::machine {

// Parts of a machine, from the largest to the smallest.
enum class Part { machine, package, numa_node, l3_cache, l2_cache, core, processing_unit };

struct PartName {
  Part part;
  const char* name;  // as hwloc calls it
};
const std::vector<PartName>& part_names();

// The part of that kind that has all CPUs of the mask, as a number that is the same for all processes on the machine;
// -1 when they belong to several, or when it is not known.
int part_of(const CpuMask& mask, Part part, const FileReader& read = read_file);

// A list of CPUs such as "0-3,8".
CpuMask cpus_in(const std::string& text);

// The CPUs of this process's affinity.
CpuMask own_affinity();

}  // namespace vif::machine
