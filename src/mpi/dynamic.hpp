// Processes that come later, and groups that meet by a port: what MPI_Comm_spawn, connect, accept and join share.
//
// All processes of a job share one memory, whenever they were started, so groups that meet become an inter-communicator
// of the usual kind. Leaders find each other by the index of a process and a tag, in the context in which that process
// announces things (comm_context.hpp). Context: app.
#pragma once

namespace vif::mpi {

// In a process that was spawned: makes the communicator with its parents. Collective over the world.
void meet_parents();

}  // namespace vif::mpi
