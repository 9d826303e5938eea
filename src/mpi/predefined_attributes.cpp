#include "mpi/predefined_attributes.hpp"

#include <climits>

#include <mpi.h>

#include "mpi/errors.hpp"
#include "mpi/process.hpp"
#include "mpi/win.hpp"

namespace vif::mpi {
namespace {

int tag_limit = INT_MAX;
int host = MPI_PROC_NULL;
int io = MPI_ANY_SOURCE;
// All processes of a job are on one machine and read the same clock.
int clock_is_global = 1;
int app_number = 0;
int universe_size = 1;

}  // namespace

int* predefined_attribute(int keyval) {
  switch (keyval) {
    case MPI_TAG_UB:
      return &tag_limit;
    case MPI_HOST:
      return &host;
    case MPI_IO:
      return &io;
    case MPI_WTIME_IS_GLOBAL:
      return &clock_is_global;
    case MPI_APPNUM:
      return &app_number;
    case MPI_UNIVERSE_SIZE:
      return &universe_size;
    case MPI_LASTUSEDCODE:
      return last_used_code();
    default:
      return nullptr;
  }
}

void* predefined_attribute(Win& win, int keyval) {
  switch (keyval) {
    case MPI_WIN_BASE:
      return win.base;
    case MPI_WIN_SIZE:
      return &win.size;
    case MPI_WIN_DISP_UNIT:
      return &win.unit;
    case MPI_WIN_CREATE_FLAVOR:
      return &win.flavor;
    case MPI_WIN_MODEL:
      return &win.model;
    default:
      return nullptr;
  }
}

void fill_predefined_attributes(const Process& process) {
  app_number = process.bootstrap->app_number();
  universe_size = process.engine->together();
}

}  // namespace vif::mpi
