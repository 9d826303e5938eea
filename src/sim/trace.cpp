#include "sim/trace.hpp"

#include <string>

#include "trace/formats.hpp"

namespace vif::sim {

namespace {

// FNV-1a (Fowler, Noll, Vo 1991), a word at a time.
uint64_t mix(uint64_t digest, uint64_t word) noexcept { return (digest ^ word) * 1099511628211U; }

// The state of a CPU in a Pajé trace.
const char* paje_state(Type type, Activity activity) {
  if (activity == Activity::wait || activity == Activity::look) return "W";
  if (activity == Activity::change || activity == Activity::interrupt || activity == Activity::pause) return "C";
  return type == Type::progress ? "P" : "T";
}

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
  trace::PerfettoWriter writer(to);
  for (int node = 0; node < machine.nodes; ++node) {
    writer.name_process(node, machine.name + ", node " + std::to_string(node));
  }
  for (int cpu = 0; cpu < machine.cpus(); ++cpu) {
    writer.name_thread(machine.node_of(cpu), cpu,
                       "CPU " + std::to_string(cpu) + ", NUMA node " + std::to_string(machine.numa_of(cpu)));
  }
  for (const Mark& mark : marks_) {
    writer.moment(mark.at, threads_[static_cast<std::size_t>(mark.thread)].name + ": " + mark.what);
  }
  for (const Span& span : spans_) {
    const char* activity = name_of(span.activity);
    writer.span(machine.node_of(span.cpu), span.cpu, span.begin, span.end, activity,
                threads_[static_cast<std::size_t>(span.thread)].name + ": " + activity);
  }
  writer.finish();
}

void Trace::write_paje(std::ostream& to, const Machine& machine) const {
  trace::PajeWriter writer(to, "Machine", "CPU");
  writer.define_state("T", "task", "0.85 0.2 0.2");
  writer.define_state("P", "progress thread", "0.2 0.35 0.85");
  writer.define_state("W", "waiting", "0.2 0.7 0.3");
  writer.define_state("I", "nothing", "1.0 0.6 0.1");
  writer.define_state("C", "change or interrupt", "0.5 0.5 0.5");
  writer.add_whole(machine.name);
  for (int cpu = 0; cpu < machine.cpus(); ++cpu) writer.add_row(cpu, "CPU " + std::to_string(cpu), "I");
  for (const Span& span : spans_) {
    const Type type = threads_[static_cast<std::size_t>(span.thread)].type;
    writer.state(span.begin, span.end, span.cpu, paje_state(type, span.activity), "I");
  }
  for (const Mark& mark : marks_) {
    writer.moment(mark.at, threads_[static_cast<std::size_t>(mark.thread)].name + ": " + mark.what);
  }
  writer.finish();
}

}  // namespace vif::sim
