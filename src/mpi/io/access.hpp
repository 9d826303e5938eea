// Reading and writing as MPI has it: by offsets and file pointers, blocking or not, alone or together.
//
// generate.py writes the data functions from their names, one call of these each (files.cpp). Context: app.
#pragma once

#include <mpi.h>

namespace vif::mpi::io {

enum class Direction { read, write };

// Where the data is, and who takes part.
enum class Where {
  at,      // an offset of the call
  at_all,  // the same, collectively
  own,     // the pointer of this process
  all,     // the same, collectively
  shared,  // the shared pointer
  ordered  // the shared pointer, collectively and in the order of ranks
};

// What a call says. `buffer` is only read when writing.
struct Call {
  MPI_File file;
  MPI_Offset offset;
  const void* buffer;
  MPI_Count count;
  MPI_Datatype type;
};

int access(Direction direction, Where where, const Call& call, MPI_Status* status);
int start(Direction direction, Where where, const Call& call, MPI_Request* request);
int begin(Direction direction, Where where, const Call& call);
int end(Direction direction, Where where, MPI_File file, MPI_Status* status);

}  // namespace vif::mpi::io
