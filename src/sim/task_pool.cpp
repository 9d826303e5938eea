// Context: as in task_pool.hpp.
#include "sim/task_pool.hpp"

#include <algorithm>

namespace vif::sim {

void TaskPool::run(SimEngine& engine) {
  const auto same = [&](const Work& work) { return work.engine == &engine && !work.copies; };
  if (std::none_of(ready_.begin(), ready_.end(), same)) add({&engine, false, 0, {}});
}

void TaskPool::copy(SimEngine& receiver, Packet packet, double ns) { add({&receiver, true, ns, std::move(packet)}); }

void TaskPool::add(Work work) {
  ready_.push_back(std::move(work));
  if (idle_.empty()) return;
  Thread* const thread = idle_.back();
  idle_.pop_back();
  simulation_.wake(*thread);
}

void TaskPool::serve() {
  Thread* const self = simulation_.current();
  while (!stopping_) {
    if (ready_.empty()) {
      idle_.push_back(self);
      simulation_.block();
      idle_.erase(std::remove(idle_.begin(), idle_.end(), self), idle_.end());
      continue;
    }
    Work work = std::move(ready_.front());
    ready_.pop_front();
    if (work.copies) {
      simulation_.work(work.ns, Activity::copy);
      work.engine->copied(std::move(work.packet));
    } else {
      work.engine->run_by_pool();
    }
    if (simulation_.is_wanted()) simulation_.yield();
  }
}

void TaskPool::stop() {
  stopping_ = true;
  for (Thread* thread : idle_) simulation_.wake(*thread);
  idle_.clear();
}

}  // namespace vif::sim
