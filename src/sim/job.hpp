// Job: the ranks of a program on a simulated machine, with their engines, their progress threads and a group of all.
// Context: app, one kernel thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "coll/coll.hpp"
#include "machine/rank_places.hpp"
#include "sim/engine.hpp"
#include "sim/task_pool.hpp"

namespace vif::sim {

struct JobOptions {
  int ranks = 2;
  machine::ProgressPlace place = machine::ProgressPlace::numa;
  EngineOptions engine;
  WireChaos wire;
  int progress_priority = 0;     // 0 to 20
  bool shuffle_threads = false;  // ranks begin, and are first ready, in an order that the seed gives
  bool shuffle_ranks = false;    // the rank in the group is not the place in the job
};

// As the runtime of the source (H. Taboada, 2018) does it: progress threads without a take-over at the wait, and a
// protocol that changes at 128 KiB.
JobOptions source_job(int ranks, machine::ProgressPlace place, Turns turns);

// What the program of one rank works with.
struct Rank {
  Simulation& simulation;
  SimEngine& engine;
  coll::Group& group;
  int rank;

  void compute(double ns) { simulation.work(ns, Activity::compute); }
  // Once the operation is made: started now, waited for later. Both are calls of the library.
  void start(coll::Operation& operation) {
    const net::ApiScope scope(engine);
    operation.start();
  }
  net::Outcome wait(coll::Operation& operation);
};

class Job {
 public:
  Job(Simulation& simulation, const JobOptions& options, std::function<void(Rank&)> program);
  ~Job();

  // A sentence when the ranks do not fit on the machine, else empty.
  const std::string& error() const { return error_; }
  SimEngine& engine(int rank) { return *engines_[static_cast<std::size_t>(rank)]; }
  const Thread& progress_thread(int rank) const { return *progress_[static_cast<std::size_t>(rank)]; }
  int size() const { return static_cast<int>(engines_.size()); }

 private:
  void start(Simulation& simulation, const JobOptions& options, std::size_t rank, const machine::RankPlace& place);
  void start_pools(Simulation& simulation, const std::vector<machine::RankPlace>& places);

  Wire wire_;
  std::function<void(Rank&)> program_;
  std::string error_;
  std::vector<int> processes_;  // by rank
  std::vector<std::unique_ptr<SimEngine>> owned_;
  std::vector<SimEngine*> by_process_;
  std::vector<SimEngine*> engines_;  // by rank
  std::vector<const Thread*> progress_;
  int running_ = 0;  // ranks whose program has not ended
  std::vector<std::unique_ptr<coll::Group>> groups_;
  std::vector<std::unique_ptr<TaskPool>> pools_;  // by node; of mode `tasks`
};

}  // namespace vif::sim
