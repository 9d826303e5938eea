// From the first MPI_Init or MPI_Session_init to the end: who keeps the library running.
//
// The library runs as long as the world (MPI_Init) or a session uses it. When the last session ends and MPI_Finalize
// was called, it leaves the job, for good: launchers let a process join once. When only sessions were used, it stays
// until the process exits, so that another session can begin. Context: app.
#pragma once

#include <string>

namespace vif::mpi {

// Joins the job if this process has not yet, with that thread level, and counts one more user. False, with a full
// sentence in `error`, when that cannot be.
bool begin_use(int thread_level, std::string& error);
// One user less. `last_call`: MPI_Finalize, after which no new use is expected.
void end_use(bool last_call);

// Whether this is the thread that joined the job.
bool is_main_thread() noexcept;

}  // namespace vif::mpi
