#include "sim/machine.hpp"

#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

namespace vif::sim {

namespace {

using Json = nlohmann::ordered_json;

struct Parameter {
  const char* name;
  double Machine::*member;
  bool positive;  // else zero is allowed
  bool network;   // only when there are several nodes
};

constexpr Parameter parameters[] = {
    {"switch_ns", &Machine::switch_ns, false, false},
    {"look_ns", &Machine::look_ns, true, false},
    {"message_ns", &Machine::message_ns, false, false},
    {"latency_ns", &Machine::latency_ns, false, false},
    {"far_latency_ns", &Machine::far_latency_ns, false, false},
    {"copy_rate", &Machine::copy_rate, true, false},
    {"combine_rate", &Machine::combine_rate, true, false},
    {"far_factor", &Machine::far_factor, true, false},
    {"memory_rate", &Machine::memory_rate, true, false},
    {"interrupt_ns", &Machine::interrupt_ns, false, false},
    {"interrupt_latency_ns", &Machine::interrupt_latency_ns, false, false},
    {"wake_ns", &Machine::wake_ns, false, false},
    {"smt_share", &Machine::smt_share, true, false},
    {"smt_copy_share", &Machine::smt_copy_share, true, false},
    {"quantum_ns", &Machine::quantum_ns, false, false},
    {"network_latency_ns", &Machine::network_latency_ns, false, true},
    {"network_rate", &Machine::network_rate, true, true},
    {"network_message_ns", &Machine::network_message_ns, false, true},
};

struct Count {
  const char* name;
  int Machine::*member;
};

constexpr Count counts[] = {{"nodes", &Machine::nodes},
                            {"numa_nodes", &Machine::numa_nodes},
                            {"cores", &Machine::cores},
                            {"threads_per_core", &Machine::threads_per_core}};

std::string take_counts(const Json& json, Machine& machine) {
  for (const Count& count : counts) {
    const auto found = json.find(count.name);
    if (found == json.end() || !found->is_number_integer() || *found < 1 || *found > 4096) {
      return std::string("The description needs '") + count.name + "', a whole number from 1 to 4096.";
    }
    machine.*count.member = found->get<int>();
  }
  return {};
}

std::string take_parameter(const std::string& name, const Json& entry, Machine& machine) {
  for (const Parameter& parameter : parameters) {
    if (name != parameter.name) continue;
    if (!entry.is_object() || entry.size() != 2 || !entry.contains("value") || !entry["value"].is_number() ||
        !entry.contains("source") || !entry["source"].is_string()) {
      return "The parameter '" + name + "' must be {\"value\": a number, \"source\": where it comes from}.";
    }
    const double value = entry["value"].get<double>();
    const std::string source = entry["source"].get<std::string>();
    if (source.empty()) return "The parameter '" + name + "' has no source: say who measured or published it.";
    if (value < 0 || (parameter.positive && value == 0)) return "The parameter '" + name + "' is too small.";
    machine.*parameter.member = value;
    machine.sources.push_back({name, value, source});
    return {};
  }
  return "There is no parameter '" + name + "'.";
}

std::string take(const Json& json, Machine& machine) {
  if (!json.is_object()) return "A machine description is a JSON object.";
  for (const auto& [key, value] : json.items()) {
    bool known = key == "name" || key == "what" || key == "parameters";
    for (const Count& count : counts) known = known || key == count.name;
    if (!known) return "A machine description has no '" + key + "'.";
    if ((key == "name" || key == "what") && !value.is_string()) return "'" + key + "' must be a text.";
  }
  machine.name = json.value("name", "");
  machine.what = json.value("what", "");
  if (machine.name.empty()) return "The description needs 'name'.";
  if (std::string error = take_counts(json, machine); !error.empty()) return error;
  if (!json.contains("parameters") || !json["parameters"].is_object()) return "The description needs 'parameters'.";
  for (const auto& [name, entry] : json["parameters"].items()) {
    if (std::string error = take_parameter(name, entry, machine); !error.empty()) return error;
  }
  for (const Parameter& parameter : parameters) {
    if (parameter.network && machine.nodes == 1) continue;
    bool given = false;
    for (const Machine::Source& source : machine.sources) given = given || source.parameter == parameter.name;
    if (!given) return std::string("The parameter '") + parameter.name + "' is missing.";
  }
  return {};
}

}  // namespace

Machine parse_machine(const std::string& text, std::string& error) {
  Machine machine;
  const Json json = Json::parse(text, nullptr, false);
  error = json.is_discarded() ? "The machine description is not JSON." : take(json, machine);
  return machine;
}

Machine read_machine(const std::string& path, std::string& error) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) {
    error = "The machine description " + path + " cannot be read.";
    return {};
  }
  Machine machine = parse_machine(text.str(), error);
  if (!error.empty()) error = path + ": " + error;
  return machine;
}

}  // namespace vif::sim
