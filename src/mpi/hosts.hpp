// Which processes are on this host. Context: app.
#pragma once

#include "mpi/comm.hpp"

namespace vif::mpi {

// Whether a process, by its index in the job, shares memory with this one.
bool is_here(int process);
// Whether all processes of a communicator do, of both its groups.
bool on_one_host(const Comm& comm);

}  // namespace vif::mpi
