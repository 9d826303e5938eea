// What an engine did, for `VIF_STATS=1` and for tests. Written by the engine's owner, read by anyone: exact at rest.
#pragma once

#include <cstdint>

namespace vif::net {

struct Counters {
  uint64_t eager_sent = 0;              // messages
  uint64_t offers_sent = 0;             // messages that begin with a request to send
  uint64_t announced_used = 0;          // long messages bound to a receive that its process announced
  uint64_t unexpected = 0;              // messages that came before their receive
  uint64_t interrupts_taken = 0;        // runs of the interrupt handler
  uint64_t interrupts_raised = 0;       // in other processes
  uint64_t user_interrupts_taken = 0;   // of the first, those that were user interrupts
  uint64_t user_interrupts_raised = 0;  // of the second
  uint64_t wakes = 0;                   // of sleeping processes
  uint64_t helper_runs = 0;             // progress made by the helper thread
  uint64_t sleeps = 0;                  // waits that slept
  uint64_t decided_alone = 0;           // the policy was asked in a wait: nobody else wants the CPUs
  uint64_t decided_crowded = 0;         // the same: others do, so rest at once
  uint64_t stuck = 0;                   // times that it was found woken and not running (react/nudger.hpp)
  uint64_t moves = 0;                   // to a CPU of its own, from one shared with another process of the job
  uint64_t copied_waiting = 0;          // bytes copied while waiting in the library
  uint64_t copied_app = 0;              // bytes copied in other calls of the library
  uint64_t copied_handler = 0;          // bytes copied in an interrupt
  uint64_t fragments = 0;               // pieces of large messages that went through the ring
};

}  // namespace vif::net
