// The attributes that the library itself gives to communicators (MPI_TAG_UB and its like). Context: app.
#pragma once

namespace vif::mpi {

struct Process;
struct Win;

// Where the value of a predefined key is; null for other keys.
int* predefined_attribute(int keyval);
// The same for windows; MPI_WIN_BASE may be null itself.
void* predefined_attribute(Win& win, int keyval);

// To be called when the process has joined the job.
void fill_predefined_attributes(const Process& process);

}  // namespace vif::mpi
