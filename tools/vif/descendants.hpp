// The processes that came from this one, however deep. Context: app.
#pragma once

#include <string>

#include <sys/types.h>

namespace vif::tool {

// Sends a signal to all that descends from this process but `spared` and its own. Processes may come and go meanwhile:
// one that was just started can be missed. Returns how many there were.
int signal_descendants(int signal, pid_t spared);

// Kills every process whose environment holds `mark` ("VIF_JOB_ID=..."), or the mark of a job within it (the same and
// "/..."), this one excepted. Returns how many there were.
int kill_marked(const std::string& mark);

}  // namespace vif::tool
