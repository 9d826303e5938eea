// Which CPUs each rank may use. Context: app.
#include "binding.hpp"

#include <fstream>
#include <iterator>
#include <sstream>

#include "launch/wire.hpp"

namespace vif::tool {

std::vector<int> parse_cpu_list(const std::string& text) {
  std::vector<int> list;
  std::istringstream parts(text.substr(0, text.find('\n')));
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t dash = part.find('-');
    const auto first = launch::parse_number(part.substr(0, dash));
    const auto last = dash == std::string::npos ? first : launch::parse_number(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last >= CPU_SETSIZE) return {};
    for (long cpu = *first; cpu <= *last; ++cpu) list.push_back(static_cast<int>(cpu));
  }
  return list;
}

std::vector<cpu_set_t> cores(const cpu_set_t& usable, const FileReader& read) {
  std::vector<cpu_set_t> list;
  cpu_set_t left = usable;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &left)) continue;
    cpu_set_t core;
    CPU_ZERO(&core);
    CPU_SET(cpu, &core);
    const std::string path = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list";
    for (const int sibling : parse_cpu_list(read(path))) CPU_SET(sibling, &core);
    CPU_AND(&core, &core, &left);
    CPU_XOR(&left, &left, &core);
    list.push_back(core);
  }
  return list;
}

std::vector<cpu_set_t> bind_ranks(Binding binding, int ranks, const std::vector<cpu_set_t>& cores, std::string& note) {
  if (binding == Binding::none || (binding == Binding::spread && ranks < 2)) return {};
  if (static_cast<std::size_t>(ranks) > cores.size()) {
    if (binding == Binding::core) {
      note = "the ranks are not bound: there are " + std::to_string(ranks) + " of them for " +
             std::to_string(cores.size()) + " usable cores.";
    }
    return {};
  }
  return {cores.begin(), cores.begin() + ranks};
}

std::string read_whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace vif::tool
