// Which CPUs each rank may use. Context: app.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sched.h>

#include "machine/rank_places.hpp"
#include "plan.hpp"

namespace vif::tool {

// Contents of a file, or an empty string. Injected, so that any machine can be tried in a test.
using FileReader = std::function<std::string(const std::string& path)>;

// The cores of the machine, restricted to `usable`: each is the set of its usable CPUs (hardware threads). CPUs whose
// core cannot be found out are cores of their own. In the order of their first CPU.
std::vector<cpu_set_t> cores(const cpu_set_t& usable, const FileReader& read);

// One mask per rank, or none when ranks are not to be bound; then `note` says why if the user should know.
std::vector<cpu_set_t> bind_ranks(Binding binding, int ranks, const std::vector<cpu_set_t>& cores, std::string& note);

// The same for Binding::scatter_numa: each rank has the CPUs of its core, but those that are for progress threads.
std::vector<cpu_set_t> scatter_ranks(int ranks, const cpu_set_t& usable, machine::ProgressPlace place,
                                     std::string& note);

// CPUs as the kernel writes them, "0-3,8".
std::string cpu_list(const cpu_set_t& cpus);

// Reads a list of CPUs as the kernel writes it, "0-3,8".
std::vector<int> parse_cpu_list(const std::string& text);

std::string read_whole_file(const std::string& path);

}  // namespace vif::tool
