// Which CPUs each rank may use. Context: app.
#include "binding.hpp"

#include <fstream>
#include <iterator>
#include <sstream>

#include "launch/wire.hpp"
#include "machine/progress_seats.hpp"

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

namespace {

machine::CpuMask mask_of(const cpu_set_t& cpus) {
  machine::CpuMask mask;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) mask.set(static_cast<std::size_t>(cpu), CPU_ISSET(cpu, &cpus) != 0);
  return mask;
}

}  // namespace

std::vector<cpu_set_t> scatter_ranks(int ranks, const cpu_set_t& usable, machine::ProgressPlace place,
                                     std::string& note) {
  const machine::HostMap host = machine::map_host(mask_of(usable));
  const machine::Seats seats = machine::seat_ranks(ranks, host, place);
  if (!seats.note.empty()) {
    note = "the ranks are not bound: " + seats.note;
    return {};
  }
  std::vector<cpu_set_t> masks(seats.list.size());
  const auto threads = static_cast<std::size_t>(host.shape.threads_per_core);
  for (std::size_t rank = 0; rank < masks.size(); ++rank) {
    CPU_ZERO(&masks[rank]);
    for (std::size_t at = 0; at < host.cpus.size(); ++at) {
      if (host.cpus[at / threads * threads] != seats.list[rank].task) continue;
      if (host.cpus[at] != seats.list[rank].progress) CPU_SET(host.cpus[at], &masks[rank]);
    }
  }
  return masks;
}

std::string cpu_list(const cpu_set_t& cpus) { return machine::cpu_list(mask_of(cpus)); }

std::string read_whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace vif::tool
