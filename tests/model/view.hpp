// View: what one thread, or one stored value, knows of the memory: for each location the oldest store still visible.
//
// Locations and stores are numbered (Execution gives the numbers); a number not mentioned means "from the initial value
// on". The same map holds one clock per thread, by which data races on plain variables are recognised. Context: model
// tests only, one kernel thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace vif::model {

class View {
 public:
  uint32_t at(uint32_t location) const { return location < times_.size() ? times_[location] : 0; }

  void raise(uint32_t location, uint32_t time) {
    if (location >= times_.size()) times_.resize(location + 1, 0);
    times_[location] = std::max(times_[location], time);
  }

  void join(const View& other) {
    if (other.times_.size() > times_.size()) times_.resize(other.times_.size(), 0);
    for (std::size_t i = 0; i < other.times_.size(); ++i) times_[i] = std::max(times_[i], other.times_[i]);
  }

 private:
  std::vector<uint32_t> times_;
};

// The three views of a thread in the usual operational reading of C++ release/acquire.
struct ThreadViews {
  View current;   // what its loads may not go behind
  View acquired;  // what an acquire fence would add: the views of all the values it loaded relaxed
  View released;  // what its relaxed stores publish: `current` at its last release fence
};

}  // namespace vif::model
