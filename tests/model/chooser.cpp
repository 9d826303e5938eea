// The choosers: depth-first enumeration and the random priorities.
#include "model/chooser.hpp"

#include <stdexcept>

namespace vif::model {

std::size_t Enumerator::choose_value(std::size_t count) {
  if (position_ == path_.size()) path_.push_back({0, count});
  Choice& choice = path_[position_++];
  if (choice.count != count) {
    throw std::logic_error(
        "The modelled program is not deterministic: repeated with the same choices, it took another way. "
        "Remove what depends on time, addresses or earlier executions from the test body.");
  }
  return choice.chosen;
}

bool Enumerator::advance() {
  // Choices beyond `position_` cannot be left over: an execution repeats the whole path before it makes new choices.
  while (!path_.empty() && path_.back().chosen + 1 == path_.back().count) path_.pop_back();
  position_ = 0;
  if (path_.empty()) return false;
  ++path_.back().chosen;
  return true;
}

Priorities::Priorities(uint64_t seed) : random_(seed) {
  for (uint64_t& moment : moments_) moment = random_() % horizon;
}

uint64_t& Priorities::priority(uint16_t thread) {
  while (priorities_.size() <= thread) priorities_.push_back(changes + 1 + random_() % 1'000'000);
  return priorities_[thread];
}

std::size_t Priorities::choose_step(std::span<const Step> steps) {
  ++choices_;
  std::size_t best = 0;
  std::size_t special = steps.size();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].action != Action::go) {
      if (random_() % 8 == 0) special = i;
    } else if (steps[best].action != Action::go || priority(steps[i].thread) > priority(steps[best].thread)) {
      best = i;
    }
  }
  if (special != steps.size()) return special;
  for (int change = 0; change < changes; ++change) {
    if (moments_[change] == choices_) priority(steps[best].thread) = static_cast<uint64_t>(change);
  }
  return best;
}

std::size_t Priorities::choose_value(std::size_t count) { return random_() % 8 == 0 ? random_() % count : 0; }

}  // namespace vif::model
