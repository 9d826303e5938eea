// What the machine does now, for react/crowd.hpp. The files are opened at each look: a program may close descriptors
// that it does not know. Context: app (system calls that a handler may make too; but they take some microseconds).
#pragma once

#include "react/crowd.hpp"

namespace vif::react {

// Parses "0.20 0.18 0.12 3/80 11206"; -1 when it is something else.
int runnable_in(const char* loadavg) noexcept;
// Parses "run-time waiting-time slices"; -1 when it is something else.
int64_t delayed_in(const char* schedstat) noexcept;

// may_use_all: known by the caller, who looked at affinity and quota once.
Load look_at_machine(int cpus, bool may_use_all) noexcept;

}  // namespace vif::react
