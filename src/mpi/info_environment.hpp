// MPI_INFO_ENV: how this process was started, as far as it can see by itself. Context: app.
#pragma once

#include "mpi/info.hpp"

namespace vif::mpi {

// Filled at the first call. Before MPI_Init it lacks what only the job knows.
Info& environment_info();

// Adds what the job knows: the number of processes, the thread level.
void complete_environment_info(int processes, int thread_level);

// "MPI_THREAD_MULTIPLE" and the like.
const char* thread_level_name(int thread_level);

}  // namespace vif::mpi
