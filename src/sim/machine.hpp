// Machine: what a simulated machine is made of, and what things cost on it.
//
// A description is a JSON file (machines/): its shape, and a value with its source for each cost. A value without a
// source is refused: figures that a simulation gives are worth what its parameters are worth, and none of them may be
// fitted to the results. docs/guides/simulator.md explains the parameters.
//
// CPUs (hardware threads) are numbered node by node, in a node NUMA node by NUMA node, core by core: the hardware
// threads of a core follow each other. Context: app.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vif::sim {

using Time = int64_t;  // virtual nanoseconds

struct Machine {
  std::string name;
  std::string what;
  int nodes = 1;
  int numa_nodes = 1;        // of a node
  int cores = 1;             // of a NUMA node
  int threads_per_core = 1;  // hardware threads

  // Times in nanoseconds, rates in bytes per microsecond.
  double switch_ns = 0;             // a core goes from one user-level thread to another
  double look_ns = 0;               // a thread looks, once, whether what it waits for has come
  double message_ns = 0;            // CPU time that one message costs each side, apart from its bytes
  double latency_ns = 0;            // until another core of the NUMA node sees what one has written
  double far_latency_ns = 0;        // the same between NUMA nodes
  double copy_rate = 1;             // one core copies
  double combine_rate = 1;          // one core reduces two vectors to one: bytes of the result
  double far_factor = 1;            // a copy from another NUMA node takes that many times as long
  double memory_rate = 1;           // all cores of a NUMA node together copy
  double interrupt_ns = 0;          // what an interrupt takes from the thread that it interrupts
  double interrupt_latency_ns = 0;  // until it comes there
  double wake_ns = 0;               // until a sleeping thread runs on an idle CPU
  double smt_share = 1;             // speed of a hardware thread beside a busy one, for computation
  double smt_copy_share = 1;        // the same, when one of the two copies
  double quantum_ns = 0;            // a thread that others wait for keeps its CPU so long; 0: until it gives it up
  double network_latency_ns = 0;    // between nodes
  double network_rate = 1;          // of a node's link, each way
  double network_message_ns = 0;    // CPU time of one message on each side

  struct Source {
    std::string parameter;
    double value;
    std::string source;
  };
  std::vector<Source> sources;  // of all the above, in the order of the file

  int cpus_per_numa() const { return cores * threads_per_core; }
  int cpus_per_node() const { return numa_nodes * cpus_per_numa(); }
  int cpus() const { return nodes * cpus_per_node(); }
  int node_of(int cpu) const { return cpu / cpus_per_node(); }
  int numa_of(int cpu) const { return cpu / cpus_per_numa(); }  // counted over all nodes
  int core_of(int cpu) const { return cpu / threads_per_core; }
  // First hardware thread of a core, cores being counted over the whole machine.
  int cpu_of_core(int core) const { return core * threads_per_core; }
};

// From the text of a description. What is wrong with it as a sentence in `error`, else empty.
Machine parse_machine(const std::string& text, std::string& error);
Machine read_machine(const std::string& path, std::string& error);

}  // namespace vif::sim
