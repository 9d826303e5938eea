#include "machine/places.hpp"

#include <sched.h>
#include <algorithm>
#include <cstdlib>

namespace vif::machine {

namespace {

const std::string devices = "/sys/devices/system/";

std::string in_words(std::size_t number) { return std::to_string(number); }

// The number of a part is that of its first CPU.
int first_of(const CpuMask& mask) {
  for (std::size_t cpu = 0; cpu < mask.size(); ++cpu) {
    if (mask.test(cpu)) return static_cast<int>(cpu);
  }
  return -1;
}

bool read_list(const std::string& path, const FileReader& read, CpuMask& mask) {
  std::string text;
  if (!read(path, text)) return false;
  mask = cpus_in(text);
  return mask.any();
}

CpuMask cache_of(std::size_t cpu, int level, const FileReader& read) {
  const std::string folder = devices + "cpu/cpu" + in_words(cpu) + "/cache/index";
  for (std::size_t index = 0; index < 8; ++index) {
    std::string text;
    CpuMask mask;
    if (!read(folder + in_words(index) + "/level", text)) break;
    if (std::atoi(text.c_str()) == level && read_list(folder + in_words(index) + "/shared_cpu_list", read, mask)) {
      return mask;
    }
  }
  return {};
}

CpuMask node_of(std::size_t cpu, const FileReader& read) {
  CpuMask nodes;
  if (!read_list(devices + "node/online", read, nodes)) return {};
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    CpuMask mask;
    if (nodes.test(node) && read_list(devices + "node/node" + in_words(node) + "/cpulist", read, mask) &&
        mask.test(cpu)) {
      return mask;
    }
  }
  return {};
}

// All CPUs of the part that a CPU belongs to; none when it is not known.
CpuMask whole_part(std::size_t cpu, Part part, const FileReader& read) {
  const std::string topology = devices + "cpu/cpu" + in_words(cpu) + "/topology/";
  CpuMask mask;
  switch (part) {
    case Part::machine:
      return mask.set();
    case Part::package:
      read_list(topology + "package_cpus_list", read, mask) || read_list(topology + "core_siblings_list", read, mask);
      return mask;
    case Part::numa_node:
      return node_of(cpu, read);
    case Part::l3_cache:
      return cache_of(cpu, 3, read);
    case Part::l2_cache:
      return cache_of(cpu, 2, read);
    case Part::core:
      read_list(topology + "core_cpus_list", read, mask) || read_list(topology + "thread_siblings_list", read, mask);
      return mask;
    case Part::processing_unit:
      return mask.set(cpu);
  }
  return mask;
}

}  // namespace

CpuMask cpus_in(const std::string& text) {
  CpuMask mask;
  const char* at = text.c_str();
  while (*at >= '0' && *at <= '9') {
    char* end;
    const unsigned long first = std::strtoul(at, &end, 10);
    unsigned long last = first;
    if (*end == '-') last = std::strtoul(end + 1, &end, 10);
    for (unsigned long cpu = first; cpu <= last && cpu < mask.size(); ++cpu) mask.set(cpu);
    at = *end == ',' ? end + 1 : end;
  }
  return mask;
}

const std::vector<PartName>& part_names() {
  static const std::vector<PartName> names = {{Part::machine, "Machine"},    {Part::package, "Package"},
                                              {Part::numa_node, "NUMANode"}, {Part::l3_cache, "L3Cache"},
                                              {Part::l2_cache, "L2Cache"},   {Part::core, "Core"},
                                              {Part::processing_unit, "PU"}};
  return names;
}

int part_of(const CpuMask& mask, Part part, const FileReader& read) {
  const int first = first_of(mask);
  if (first < 0) return -1;
  const CpuMask whole = whole_part(static_cast<std::size_t>(first), part, read);
  return (mask & ~whole).none() ? first_of(whole) : -1;
}

CpuMask own_affinity() {
  CpuMask mask;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return mask;
  for (std::size_t cpu = 0; cpu < std::min<std::size_t>(mask.size(), CPU_SETSIZE); ++cpu)
    mask[cpu] = CPU_ISSET(cpu, &set);
  return mask;
}

}  // namespace vif::machine
