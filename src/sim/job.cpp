#include "sim/job.hpp"

#include <algorithm>
#include <numeric>

namespace vif::sim {

namespace {

template <class Item>
void shuffle(std::vector<Item>& items, Simulation& simulation) {
  for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[simulation.random() % left]);
}

}  // namespace

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
  if (options.shuffle_ranks) shuffle(processes_, simulation);
  by_process_.resize(count);
  for (std::size_t process = 0; process < count; ++process) {
    owned_.push_back(std::make_unique<SimEngine>(simulation, wire_, by_process_, static_cast<int>(process),
                                                 places[process].task, options.engine));
    by_process_[process] = owned_.back().get();
  }
  progress_.resize(count);
  running_ = options.ranks;
  for (std::size_t rank = 0; rank < count; ++rank) {
    const auto process = static_cast<std::size_t>(processes_[rank]);
    engines_.push_back(by_process_[process]);
    groups_.push_back(std::make_unique<coll::Group>());
    coll::Group& group = *groups_.back();
    group.engine = by_process_[process];
    group.context = 1;
    group.rank = static_cast<int>(rank);
    group.size = options.ranks;
    group.processes = processes_.data();
  }
  if (options.engine.mode == Mode::tasks) start_pools(simulation, places);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  if (options.shuffle_threads) shuffle(order, simulation);
  for (std::size_t rank : order) {
    start(simulation, options, rank, places[static_cast<std::size_t>(processes_[rank])]);
  }
}

void Job::start(Simulation& simulation, const JobOptions& options, std::size_t rank, const machine::RankPlace& place) {
  SimEngine& engine = *engines_[rank];
  coll::Group& group = *groups_[rank];
  const std::string name = "rank " + std::to_string(rank);
  Thread& task = simulation.spawn(name, Type::task, place.task, [this, &simulation, &engine, &group, rank] {
    Rank self{simulation, engine, group, static_cast<int>(rank)};
    program_(self);
    // Progress threads last as long as the job: those that have nothing to do any more have their turns too.
    if (--running_ != 0) return;
    for (SimEngine* each : engines_) each->stop();
    for (const auto& pool : pools_) pool->stop();
  });
  Thread* progress = nullptr;
  if (options.engine.mode == Mode::thread) {
    progress = &simulation.spawn(
        "progress of " + name, Type::progress, place.progress, [&engine] { engine.progress_loop(); },
        options.progress_priority);
  }
  progress_[rank] = progress;
  const auto node = static_cast<std::size_t>(simulation.machine().node_of(place.task));
  engine.serve(task, progress, pools_.empty() ? nullptr : pools_[node].get());
}

// On each core of a node that no rank uses; where there is none, on those of the ranks.
void Job::start_pools(Simulation& simulation, const std::vector<machine::RankPlace>& places) {
  const Machine& machine = simulation.machine();
  const int cores = machine.numa_nodes * machine.cores;
  for (int node = 0; node < machine.nodes; ++node) {
    std::vector<bool> used(static_cast<std::size_t>(cores), false);
    const int first = node * cores * machine.threads_per_core;
    for (const machine::RankPlace& place : places) {
      if (machine.node_of(place.task) != node) continue;
      used[static_cast<std::size_t>((place.task - first) / machine.threads_per_core)] = true;
    }
    const bool full = std::find(used.begin(), used.end(), false) == used.end();
    TaskPool& pool = *pools_.emplace_back(std::make_unique<TaskPool>(simulation));
    for (int core = 0; core < cores; ++core) {
      if (!full && used[static_cast<std::size_t>(core)]) continue;
      simulation.spawn("tasks of core " + std::to_string(core), Type::progress, first + core * machine.threads_per_core,
                       [&pool] { pool.serve(); });
    }
  }
}

JobOptions source_job(int ranks, machine::ProgressPlace place, Turns turns) {
  JobOptions options;
  options.ranks = ranks;
  options.place = place;
  options.engine.mode = Mode::thread;
  options.engine.turns = turns;
  options.engine.take_over = false;
  options.engine.eager_limit = 128 * 1024;
  return options;
}

Job::~Job() = default;

}  // namespace vif::sim
