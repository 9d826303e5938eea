// The modelled memory: atomic locations that remember all their values, and plain variables whose races are found.
//
// Context: model tests only, one kernel thread. Usable in the set-up and at the end of a program too (no scheduling
// then).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/view.hpp"

namespace vif::model {

// The untyped part of an atomic variable.
class Location {
 public:
  explicit Location(uint64_t initial);
  Location(const Location&) = delete;
  Location& operator=(const Location&) = delete;

  uint64_t load(std::memory_order order) const;
  void store(uint64_t value, std::memory_order order);
  // Replaces the newest value by update(newest value); returns the old one.
  uint64_t modify(const std::function<uint64_t(uint64_t)>& update, std::memory_order order, const char* operation);
  // The comparison may see an old value and fail on it; it succeeds on the newest only.
  bool compare_exchange(uint64_t& expected, uint64_t desired, std::memory_order success, std::memory_order failure);

  uint64_t newest() const { return history_.back().value; }

 private:
  struct Stored {
    uint64_t value;
    View view;  // what whoever acquires this value learns
  };

  uint32_t newest_time() const { return static_cast<uint32_t>(history_.size() - 1); }
  uint32_t oldest_visible(std::memory_order order) const;
  const Stored& see(uint32_t time, std::memory_order order) const;
  uint64_t replace(uint64_t value, std::memory_order order);

  uint32_t number_;
  std::vector<Stored> history_;
};

void full_fence();

// Recognises two accesses of different threads to a plain variable, one at least a write, that no happens-before
// orders.
class RaceDetector {
 public:
  void read(const void* variable) const;
  void write(const void* variable);

 private:
  struct Access {
    uint32_t clock;  // the location number of the thread's clock; 0 time: never
    uint32_t time;
    int thread;
  };

  static uint32_t tick();
  static void check(const Access& access, const void* variable, const char* what);

  Access written_{0, 0, -1};
  mutable std::vector<Access> reads_;  // since the last write, one per thread
};

}  // namespace vif::model
