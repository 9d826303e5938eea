// TaskPool: the cores of a node that move messages for all of its ranks (the task engine that H. Taboada's thesis hoped
// for, Bordeaux 2018, chapter 7). What is to be done is a task that any of them takes, the oldest first: to run the
// engine of a rank, or to copy one message. So what a rank does is ordered by its data alone, and not by one thread
// that does one thing after the other for it. Context: of the simulation's threads; one kernel thread.
#pragma once

#include <deque>
#include <vector>

#include "sim/engine.hpp"

namespace vif::sim {

class TaskPool {
 public:
  explicit TaskPool(Simulation& simulation) : simulation_(simulation) {}

  // Any: the engine has work for whoever serves it. Twice before it is served is once.
  void run(SimEngine& engine);
  // Any: the receiver has met a message, whose bytes take that long to copy.
  void copy(SimEngine& receiver, Packet packet, double ns);

  // The body of each of its threads, until stop().
  void serve();
  void stop();

 private:
  struct Work {
    SimEngine* engine = nullptr;
    bool copies = false;
    double ns = 0;
    Packet packet;
  };
  void add(Work work);

  Simulation& simulation_;
  std::deque<Work> ready_;
  std::vector<Thread*> idle_;
  bool stopping_ = false;
};

}  // namespace vif::sim
