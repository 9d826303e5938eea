// The timers of a core: a binary heap by time, from which any timer can be taken. Context: core.
#pragma once

#include <cstdint>
#include <vector>

#include "sched/watch.hpp"

namespace vif::sched {

class Timers {
 public:
  bool empty() const noexcept { return heap_.empty(); }
  Watch* first() const noexcept { return heap_.empty() ? nullptr : heap_.front(); }
  std::size_t size() const noexcept { return heap_.size(); }

  // Throws std::bad_alloc.
  void add(Watch& timer);
  void remove(Watch& timer) noexcept;

 private:
  static bool before(const Watch& left, const Watch& right) noexcept {
    return left.at_ns != right.at_ns ? left.at_ns < right.at_ns : left.turn < right.turn;
  }
  void put(std::size_t place, Watch* timer) noexcept {
    heap_[place] = timer;
    timer->place = place;
  }
  void rise(std::size_t place) noexcept;
  void sink(std::size_t place) noexcept;

  std::vector<Watch*> heap_;
  uint64_t turns_ = 0;
};

}  // namespace vif::sched
