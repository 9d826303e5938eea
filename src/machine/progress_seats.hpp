// Where the ranks of one host and their progress threads go on its CPUs: the places of rank_places.hpp, which numbers
// the CPUs of a regular machine, on the real one. A launcher that binds ranks and each rank itself ask the same
// question, so that they agree without talking. Context: app.
#pragma once

#include <string>
#include <vector>

#include "machine/cpus.hpp"
#include "machine/rank_places.hpp"

namespace vif::machine {

// This host as a Shape: cpus[i] is the CPU that the Shape numbers i. Where NUMA nodes or cores differ in size, each
// counts as the smallest: the CPUs beyond are left out.
struct HostMap {
  Shape shape;
  std::vector<int> cpus;
};
HostMap map_host(const CpuMask& usable, const FileReader& read = read_file);

struct Seat {
  int task = -1;       // CPU of the rank; -1: not laid down
  int progress = -1;   // CPU of its progress thread; -1: with its rank
  bool alone = false;  // that CPU is nobody else's: the thread may look there instead of sleeping
};

struct Seats {
  std::vector<Seat> list;  // by rank within the host
  int serving = 0;         // cores without a rank
  std::string note;        // why the place could not be had, a sentence; then no CPU is laid down
};
Seats seat_ranks(int ranks, const HostMap& host, ProgressPlace place);

// The CPUs that the job may use on this host: those that its launcher names (VIF_JOB_CPUS, as "0-3,8"), else all.
CpuMask job_cpus(const FileReader& read = read_file);
// A list of CPUs as the kernel writes them.
std::string cpu_list(const CpuMask& mask);

}  // namespace vif::machine
