// The cost model of split-tree (H. Taboada, thesis, section 5.1.2), with the corrections that split.hpp names: equation
// 5.4 is the inverse of what is printed, and 5.5 counts the messages of a step exactly. Context: any.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "coll/split.hpp"

namespace vif::coll {

namespace {

double weight(int step, Weights weights) noexcept {
  return weights == Weights::constant ? 1 : std::ldexp(1.0, step - 1);
}

// Steps 1 to `split`, each process on a core of its own.
double on_application(int split, Weights weights) noexcept {
  double total = 0;
  for (int step = 1; step <= split; ++step) total += weight(step, weights);
  return total;
}

double on_progress_cores(int split, int size, int cores, Weights weights) noexcept {
  double total = 0;
  for (int step = split + 1; step <= tree_steps(size); ++step) {
    const int serving = cores - size;
    const int rounds = (tree_messages(size, step) + serving - 1) / serving;
    total += rounds * weight(step, weights);
  }
  return total;
}

}  // namespace

int tree_steps(int size) noexcept {
  int steps = 0;
  while ((int64_t{1} << steps) < size) ++steps;
  return steps;
}

int tree_messages(int size, int step) noexcept {
  const int64_t apart = int64_t{1} << std::clamp(step, 1, 32);
  return static_cast<int>((size - 1 + apart / 2) / apart);
}

double split_alone(int split, int size, int cores, Weights weights) noexcept {
  return on_application(std::min(split, tree_steps(size)), weights) + on_progress_cores(split, size, cores, weights);
}

double split_overlapped(int split, int size, int cores, Weights weights, double computation) noexcept {
  return on_application(std::min(split, tree_steps(size)), weights) +
         std::max(computation, on_progress_cores(split, size, cores, weights));
}

double split_computation(int size, int cores, Weights weights) noexcept {
  return on_application(tree_steps(cores), weights) * cores / size;
}

int choose_split(int size, int cores, Weights weights, double computation) noexcept {
  const int steps = tree_steps(size);
  if (size >= cores) return steps;
  if (computation < 0) computation = split_computation(size, cores, weights);
  int best = 0;
  for (int split = 1; split <= steps; ++split) {
    const double cost = split_overlapped(split, size, cores, weights, computation);
    if (cost < split_overlapped(best, size, cores, weights, computation)) best = split;
  }
  return best;
}

// Half of it is forgotten each time: a computation changes with the data, and one slow run must not decide.
void AdaptiveSplit::measured(double computation_ns, double message_ns) noexcept {
  const double computation = computation_ns / std::max(1.0, message_ns);
  computation_ = computation_ < 0 ? computation : (computation_ + computation) / 2;
  // Shorter than a single message, it hides nothing.
  split_ = computation_ < 1 ? tree_steps(size_) : choose_split(size_, cores_, weights_, computation_);
}

}  // namespace vif::coll
