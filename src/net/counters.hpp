// What an engine did, for `VIF_STATS=1` and for tests. Written by the engine's owner, read by anyone: exact at rest.
#pragma once

#include <atomic>
#include <cstdint>

namespace vif::net {

// A number with one writer at a time, which costs what a plain one costs.
class Count {
 public:
  void operator++() noexcept { *this += 1; }
  void operator+=(uint64_t amount) noexcept { *this = *this + amount; }
  void operator=(uint64_t value) noexcept { value_.store(value, std::memory_order_relaxed); }
  // Read like the plain number that it stands for. NOLINTNEXTLINE(google-explicit-constructor)
  operator uint64_t() const noexcept { return value_.load(std::memory_order_relaxed); }
  // By several at a time.
  void add_together() noexcept { value_.fetch_add(1, std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

struct Counters {
  Count eager_sent;              // messages
  Count offers_sent;             // messages that begin with a request to send
  Count announced_used;          // long messages bound to a receive that its process announced
  Count unexpected;              // messages that came before their receive
  Count interrupts_taken;        // runs of the interrupt handler
  Count interrupts_raised;       // in other processes
  Count user_interrupts_taken;   // of the first, those that were user interrupts
  Count user_interrupts_raised;  // of the second
  Count wakes;                   // of sleeping processes
  Count helper_runs;             // progress made by the helper thread
  Count sleeps;                  // waits that slept
  Count decided_alone;           // the policy was asked in a wait: nobody else wants the CPUs
  Count decided_crowded;         // the same: others do, so rest at once
  Count stuck;                   // times that it was found woken and not running (react/nudger.hpp)
  Count moves;                   // to a CPU of its own, from one shared with another process of the job
  Count copied_waiting;          // bytes copied while waiting in the library
  Count copied_app;              // bytes copied in other calls of the library
  Count copied_handler;          // bytes copied in an interrupt
  Count fragments;               // pieces of large messages that went through the ring
};

}  // namespace vif::net
