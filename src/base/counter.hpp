// Counters: numbers that code keeps about itself, listed by name in `vif info --stats` and in tests.
//
//   Counter interrupts("bell.interrupts", "Interrupts raised in other processes.");   // a static object
//   interrupts.add();
//
// A counter has one writer at a time (a handler of the writer's own thread included only if the writer's other contexts
// tolerate a lost count; engines count under their ownership, so they lose none). Readers may come from anywhere.
// Context: add() and value() are safe in a handler. Construction is for static objects; a registry never forgets.
#pragma once

#include <atomic>
#include <cstdint>

namespace vif::base {

class Counter {
 public:
  Counter(const char* name, const char* help) noexcept;
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  // Relaxed load and store instead of a read-modify-write: there is one writer, and the number orders nothing.
  void add(uint64_t amount = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }
  const char* name() const noexcept { return name_; }
  const char* help() const noexcept { return help_; }

  // The registry: the counters of this process, the newest first.
  static const Counter* first() noexcept;
  const Counter* next() const noexcept { return next_; }

 private:
  const char* name_;
  const char* help_;
  const Counter* next_ = nullptr;
  std::atomic<uint64_t> value_{0};
};

}  // namespace vif::base
