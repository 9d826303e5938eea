#include "sim/job.hpp"

#include <algorithm>
#include <numeric>

namespace vif::sim {

net::Outcome Rank::wait(coll::Operation& operation) {
  const net::ApiScope scope(engine);
  engine.wait_until([](void* it) { return static_cast<coll::Operation*>(it)->complete(); }, &operation);
  return operation.outcome();
}

Job::Job(Simulation& simulation, const JobOptions& options, std::function<void(Rank&)> program)
    : wire_(simulation, options.wire), program_(std::move(program)) {
  const Machine& machine = simulation.machine();
  const machine::Shape shape{machine.nodes, machine.numa_nodes, machine.cores, machine.threads_per_core};
  const std::vector<machine::RankPlace> places = place_ranks(options.ranks, shape, options.place, error_);
  if (!error_.empty()) return;
  const auto count = static_cast<std::size_t>(options.ranks);
  processes_.resize(count);
  std::iota(processes_.begin(), processes_.end(), 0);
  if (options.shuffle_ranks) {
    for (std::size_t left = count; left > 1; --left)
      std::swap(processes_[left - 1], processes_[simulation.random() % left]);
  }
  by_process_.resize(count);
  for (std::size_t process = 0; process < count; ++process) {
    owned_.push_back(std::make_unique<SimEngine>(simulation, wire_, by_process_, static_cast<int>(process),
                                                 places[process].task, options.engine));
    by_process_[process] = owned_.back().get();
  }
  for (std::size_t rank = 0; rank < count; ++rank) {
    const auto process = static_cast<std::size_t>(processes_[rank]);
    SimEngine& engine = *by_process_[process];
    engines_.push_back(&engine);
    groups_.push_back(std::make_unique<coll::Group>());
    coll::Group& group = *groups_.back();
    group.engine = &engine;
    group.context = 1;
    group.rank = static_cast<int>(rank);
    group.size = options.ranks;
    group.processes = processes_.data();
    const std::string name = "rank " + std::to_string(rank);
    Thread& task = simulation.spawn(name, Type::task, places[process].task, [this, &simulation, &engine, &group, rank] {
      Rank self{simulation, engine, group, static_cast<int>(rank)};
      program_(self);
      engine.stop();
    });
    Thread* progress = nullptr;
    if (options.engine.mode == Mode::thread) {
      progress = &simulation.spawn(
          "progress of " + name, Type::progress, places[process].progress, [&engine] { engine.progress_loop(); },
          options.progress_priority);
    }
    progress_.push_back(progress);
    engine.serve(task, progress);
  }
}

Job::~Job() = default;

}  // namespace vif::sim
