#include "sim/trace.hpp"

#include <algorithm>
#include <cstdio>
#include <ostream>

namespace vif::sim {

namespace {

// FNV-1a (Fowler, Noll, Vo 1991), a word at a time.
uint64_t mix(uint64_t digest, uint64_t word) noexcept { return (digest ^ word) * 1099511628211U; }

// A time with its nanoseconds, in `unit` nanoseconds, without the rounding of floating point.
std::string decimal(Time ns, Time unit) {
  char text[48];
  std::snprintf(text, sizeof text, unit == 1000 ? "%lld.%03lld" : "%lld.%09lld", static_cast<long long>(ns / unit),
                static_cast<long long>(ns % unit));
  return text;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + '"';
}

// The state of a CPU in a Pajé trace.
const char* paje_state(Type type, Activity activity) {
  if (activity == Activity::wait || activity == Activity::look) return "W";
  if (activity == Activity::change || activity == Activity::interrupt || activity == Activity::pause) return "C";
  return type == Type::progress ? "P" : "T";
}

constexpr const char* paje_header =
    "%EventDef PajeDefineContainerType 0\n%  Alias string\n%  Type string\n%  Name string\n%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n%  Alias string\n%  Type string\n%  Name string\n%EndEventDef\n"
    "%EventDef PajeDefineEventType 2\n%  Alias string\n%  Type string\n%  Name string\n%EndEventDef\n"
    "%EventDef PajeDefineEntityValue 3\n%  Alias string\n%  Type string\n%  Name string\n%  Color color\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 4\n%  Time date\n%  Alias string\n%  Type string\n%  Container string\n"
    "%  Name string\n%EndEventDef\n"
    "%EventDef PajeDestroyContainer 5\n%  Time date\n%  Type string\n%  Name string\n%EndEventDef\n"
    "%EventDef PajeSetState 6\n%  Time date\n%  Type string\n%  Container string\n%  Value string\n%EndEventDef\n"
    "%EventDef PajeNewEvent 7\n%  Time date\n%  Type string\n%  Container string\n%  Value string\n%EndEventDef\n"
    "0 M 0 \"Machine\"\n0 CPU M \"CPU\"\n1 S CPU \"what it does\"\n2 E M \"moment\"\n"
    "3 T S \"task\" \"0.85 0.2 0.2\"\n3 P S \"progress thread\" \"0.2 0.35 0.85\"\n3 W S \"waiting\" \"0.2 0.7 0.3\"\n"
    "3 I S \"nothing\" \"1.0 0.6 0.1\"\n3 C S \"change or interrupt\" \"0.5 0.5 0.5\"\n";

}  // namespace

const char* name_of(Activity activity) noexcept {
  constexpr const char* names[activities] = {"compute", "copy",      "combine", "message", "look",
                                             "wait",    "interrupt", "change",  "pause"};
  return names[static_cast<int>(activity)];
}

void Trace::add(const Span& span) {
  if (span.end == span.begin) return;
  digest_ = mix(digest_, static_cast<uint64_t>(span.begin));
  digest_ = mix(digest_, static_cast<uint64_t>(span.end));
  const auto where = static_cast<uint64_t>(span.cpu) << 32 | static_cast<uint64_t>(span.thread) << 8;
  digest_ = mix(digest_, where | static_cast<uint64_t>(span.activity));
  const Type type = threads_[static_cast<std::size_t>(span.thread)].type;
  totals_[static_cast<int>(type)][static_cast<int>(span.activity)] += span.end - span.begin;
  if (keep_) spans_.push_back(span);
}

void Trace::add_thread(std::string name, Type type) { threads_.push_back({std::move(name), type}); }

void Trace::mark(Time at, int thread, std::string what) {
  digest_ = mix(digest_, static_cast<uint64_t>(at));
  if (keep_) marks_.push_back({at, thread, std::move(what)});
}

Time Trace::total(Type type, Activity activity) const {
  return totals_[static_cast<int>(type)][static_cast<int>(activity)];
}

void Trace::write_perfetto(std::ostream& to, const Machine& machine) const {
  to << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  for (int node = 0; node < machine.nodes; ++node) {
    to << R"({"ph":"M","name":"process_name","pid":)" << node << R"(,"args":{"name":)"
       << quoted(machine.name + ", node " + std::to_string(node)) << "}},\n";
  }
  for (int cpu = 0; cpu < machine.cpus(); ++cpu) {
    to << R"({"ph":"M","name":"thread_name","pid":)" << machine.node_of(cpu) << ",\"tid\":" << cpu
       << R"(,"args":{"name":"CPU )" << cpu << ", NUMA node " << machine.numa_of(cpu) << "\"}},\n";
  }
  for (const Mark& mark : marks_) {
    to << R"({"ph":"i","s":"g","pid":0,"tid":0,"ts":)" << decimal(mark.at, 1000)
       << ",\"name\":" << quoted(threads_[static_cast<std::size_t>(mark.thread)].name + ": " + mark.what) << "},\n";
  }
  for (const Span& span : spans_) {
    const Name& thread = threads_[static_cast<std::size_t>(span.thread)];
    to << R"({"ph":"X","pid":)" << machine.node_of(span.cpu) << ",\"tid\":" << span.cpu
       << ",\"ts\":" << decimal(span.begin, 1000) << ",\"dur\":" << decimal(span.end - span.begin, 1000)
       << ",\"cat\":\"" << name_of(span.activity)
       << "\",\"name\":" << quoted(thread.name + ": " + name_of(span.activity)) << "},\n";
  }
  to << R"({"ph":"M","name":"trace","pid":0,"args":{}}]})"
     << "\n";
}

void Trace::write_paje(std::ostream& to, const Machine& machine) const {
  to << paje_header << "4 0 m M 0 " << quoted(machine.name) << "\n";
  for (int cpu = 0; cpu < machine.cpus(); ++cpu) {
    to << "4 0 c" << cpu << " CPU m \"CPU " << cpu << "\"\n6 0 S c" << cpu << " I\n";
  }
  // One row per change of state; times must not go back.
  struct Row {
    Time at;
    int order;  // what ends comes before what begins
    std::string text;
  };
  std::vector<Row> rows;
  Time last = 0;
  for (const Span& span : spans_) {
    const Type type = threads_[static_cast<std::size_t>(span.thread)].type;
    const std::string cpu = " S c" + std::to_string(span.cpu) + " ";
    rows.push_back({span.begin, 1, "6 " + decimal(span.begin, 1000000000) + cpu + paje_state(type, span.activity)});
    rows.push_back({span.end, 0, "6 " + decimal(span.end, 1000000000) + cpu + "I"});
    last = std::max(last, span.end);
  }
  for (const Mark& mark : marks_) {
    const std::string what = threads_[static_cast<std::size_t>(mark.thread)].name + ": " + mark.what;
    rows.push_back({mark.at, 2, "7 " + decimal(mark.at, 1000000000) + " E m " + quoted(what)});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.at != b.at ? a.at < b.at : a.order < b.order; });
  for (const Row& row : rows) to << row.text << "\n";
  for (int cpu = 0; cpu < machine.cpus(); ++cpu) to << "5 " << decimal(last, 1000000000) << " CPU c" << cpu << "\n";
  to << "5 " << decimal(last, 1000000000) << " M m\n";
}

}  // namespace vif::sim
