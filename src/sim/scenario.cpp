#include "sim/scenario.hpp"

#include <algorithm>

#include "coll/algorithms.hpp"
#include "coll/schedule_operation.hpp"
#include "coll/split.hpp"

namespace vif::sim {

namespace {

coll::Reduction timed_reduction() {
  // Bytes are not moved in scenarios; the engine is told how many are combined.
  coll::Reduction reduction;
  reduction.function = [](const void*, void*, uint64_t) {};
  reduction.element_size = 8;
  return reduction;
}

struct Call {
  coll::Group& group;
  const Scenario& scenario;
  coll::SplitOptions split;
  void* memory;  // of all ranks together: nothing is moved

  uint64_t count() const { return scenario.bytes / 8; }
};

template <class Write>
coll::OperationPointer written(const Call& call, const Write& write) {
  auto operation = std::make_unique<coll::ScheduleOperation>(call.group);
  operation->schedule().clear(1 << 12);
  operation->schedule().set_reduction(timed_reduction());
  write(operation->schedule());
  operation->schedule().seal();
  return operation;
}

using Make = coll::OperationPointer (*)(const Call&);

struct Entry {
  const char* name;
  Make plain;
  Make split;  // or null
  bool combines;
};

const Entry entries[] = {
    {"barrier", [](const Call& c) { return make_barrier(c.group); }, nullptr, false},
    {"bcast", [](const Call& c) { return make_bcast(c.group, c.memory, c.scenario.bytes, 0); },
     [](const Call& c) { return make_split_bcast(c.group, c.memory, c.scenario.bytes, 0, c.split); }, false},
    {"reduce", [](const Call& c) { return make_reduce(c.group, c.memory, c.memory, c.count(), timed_reduction(), 0); },
     [](const Call& c) {
       return make_split_reduce(c.group, c.memory, c.memory, c.count(), timed_reduction(), 0, c.split);
     },
     true},
    {"allreduce",
     [](const Call& c) { return make_allreduce(c.group, c.memory, c.memory, c.count(), timed_reduction()); },
     [](const Call& c) {
       return make_split_allreduce(c.group, c.memory, c.memory, c.count(), timed_reduction(), c.split);
     },
     true},
    {"gather", [](const Call& c) { return make_gather(c.group, c.memory, c.scenario.bytes, c.memory, 0); },
     [](const Call& c) { return make_split_gather(c.group, c.memory, c.scenario.bytes, c.memory, 0, c.split); }, false},
    {"scatter", [](const Call& c) { return make_scatter(c.group, c.memory, c.scenario.bytes, c.memory, 0); },
     [](const Call& c) { return make_split_scatter(c.group, c.memory, c.scenario.bytes, c.memory, 0, c.split); },
     false},
    {"allgather", [](const Call& c) { return make_allgather(c.group, c.memory, c.scenario.bytes, c.memory); }, nullptr,
     false},
    {"alltoall", [](const Call& c) { return make_alltoall(c.group, c.memory, c.scenario.bytes, c.memory); }, nullptr,
     false},
    {"scan", [](const Call& c) { return make_scan(c.group, c.memory, c.memory, c.count(), timed_reduction()); },
     nullptr, true},
    {"scan-chain",
     [](const Call& c) {
       return written(c, [&](coll::Schedule& s) { coll::scan_chain(s, c.memory, c.memory, c.count(), false); });
     },
     nullptr, true},
    {"scan-chain-ordered",
     [](const Call& c) {
       return written(c, [&](coll::Schedule& s) { coll::scan_chain(s, c.memory, c.memory, c.count(), true); });
     },
     nullptr, true},
};

const Entry* entry_of(const std::string& name) {
  for (const Entry& entry : entries) {
    if (name == entry.name) return &entry;
  }
  return nullptr;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

int chosen_split(const Machine& machine, const JobOptions& options, const Scenario& scenario) {
  if (scenario.split != -2) return scenario.split;
  const bool grows = scenario.collective == "gather" || scenario.collective == "scatter";
  return coll::choose_split(options.ranks, machine.numa_nodes * machine.cores,
                            grows ? coll::Weights::doubling : coll::Weights::constant);
}

}  // namespace

double Measured::unclamped_overlap() const {
  const Time least = std::min(alone, compute);
  return least <= 0 ? 0 : static_cast<double>(alone + compute - both) / static_cast<double>(least);
}

double Measured::overlap() const { return std::clamp(unclamped_overlap(), 0.0, 1.0); }

const std::vector<std::string>& collectives_of_scenarios() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Entry& entry : entries) all.emplace_back(entry.name);
    return all;
  }();
  return names;
}

double message_time(const Machine& machine, const Scenario& scenario) {
  const Entry* entry = entry_of(scenario.collective);
  const auto bytes = static_cast<double>(scenario.bytes) * 1000;
  return bytes / machine.copy_rate + (entry != nullptr && entry->combines ? bytes / machine.combine_rate : 0);
}

Time run_once(const Machine& machine, const JobOptions& options, const Scenario& scenario, bool communicate,
              bool compute, Measured& measured, Trace* kept) {
  const Entry* entry = entry_of(scenario.collective);
  if (entry == nullptr) {
    measured.error = "There is no collective '" + scenario.collective + "'; give one of " +
                     list_of(collectives_of_scenarios()) + ".";
    return 0;
  }
  measured.split = chosen_split(machine, options, scenario);
  if (measured.split >= 0 && entry->split == nullptr) {
    measured.error = "'" + scenario.collective + "' is no tree that can be split: leave the split out.";
    return 0;
  }
  JobOptions used = options;
  used.engine.carry = false;
  coll::SplitOptions split{std::max(0, measured.split), scenario.patience};
  if (scenario.patience < 0) {
    const bool grows = scenario.collective == "gather";
    const double messages = grows ? static_cast<double>((1 << split.split) - 1) : split.split;
    const double overhead = split.split * machine.message_ns * 4;
    split.patience_ns = static_cast<Time>(2 * (messages * message_time(machine, scenario) + overhead));
  }
  // One piece of memory that stands for every buffer; nobody looks at it.
  const uint64_t blocks = scenario.bytes * static_cast<uint64_t>(std::max(1, options.ranks));
  const std::unique_ptr<std::byte[]> memory(new std::byte[std::max<uint64_t>(blocks, 64)]);
  Simulation simulation(machine, scenario.seed, scenario.chaos);
  simulation.let_idle_cpus_look(options.engine.mode == Mode::thread || options.engine.mode == Mode::tasks);
  simulation.trace().keep(kept != nullptr);
  Time last = 0;
  Job job(simulation, used, [&](Rank& rank) {
    coll::OperationPointer operation;
    if (communicate) {
      operation = (measured.split >= 0 ? entry->split : entry->plain)({rank.group, scenario, split, memory.get()});
      if (rank.rank == 0) simulation.mark(scenario.collective + " begins");
      rank.start(*operation);
    }
    if (compute) rank.compute(scenario.compute_ns);
    if (communicate) rank.wait(*operation);
    last = std::max(last, simulation.now());
    if (communicate && rank.rank == 0) simulation.mark(scenario.collective + " ends");
  });
  measured.error = job.error();
  if (measured.error.empty() && !simulation.run()) measured.error = simulation.what_is_left();
  if (!measured.error.empty()) return 0;
  measured.by_application = measured.by_others = 0;
  measured.turns_of_progress = 0;
  for (int rank = 0; rank < job.size(); ++rank) {
    measured.by_application += job.engine(rank).moved_by_application();
    measured.by_others += job.engine(rank).moved_by_others();
    if (used.engine.mode != Mode::thread) continue;
    measured.turns_of_progress += static_cast<double>(job.progress_thread(rank).turns()) / job.size();
  }
  measured.digest = simulation.trace().digest();
  if (kept != nullptr) *kept = simulation.trace();
  return last;
}

Measured measure(const Machine& machine, const JobOptions& options, const Scenario& scenario) {
  Measured measured;
  measured.alone = run_once(machine, options, scenario, true, false, measured);
  if (measured.error.empty()) measured.compute = run_once(machine, options, scenario, false, true, measured);
  if (measured.error.empty()) measured.both = run_once(machine, options, scenario, true, true, measured);
  return measured;
}

}  // namespace vif::sim
