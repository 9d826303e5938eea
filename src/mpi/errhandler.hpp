// Error handlers.
//
// The three predefined ones are objects of the process that are never destroyed, and fit everything. User ones are made
// for one kind of object, and counted: the handle, and each object that uses it.
// Context: app.
#pragma once

#include <atomic>

#include "mpi/handle.hpp"

namespace vif::mpi {

struct Errhandler {
  static constexpr uint32_t alive = 0x45727248;
  enum class Effect : uint8_t { fatal, abort, give_back, call };
  enum class Of : uint8_t { everything, comm, win, file, session };
  // As the program gave it; `of` says which one it is.
  union Function {
    MPI_Comm_errhandler_function* comm = nullptr;
    MPI_Win_errhandler_function* win;
    MPI_File_errhandler_function* file;
    MPI_Session_errhandler_function* session;
  };

  uint32_t magic = alive;
  Effect effect = Effect::fatal;
  Of of = Of::everything;
  Function function = {};  // when the effect is `call`
  MPI_Errhandler handle = MPI_ERRHANDLER_NULL;
  std::atomic<int64_t> references{1};
};

Errhandler* errhandler_of(MPI_Errhandler handle) noexcept;
// The same, but null as well for one that was made for another kind of object.
Errhandler* errhandler_for(MPI_Errhandler handle, Errhandler::Of of) noexcept;

// A new handle, for MPI_*_create_errhandler.
MPI_Errhandler make_errhandler(Errhandler::Of of, Errhandler::Function function);

// Predefined ones are not counted.
void retain(Errhandler& errhandler) noexcept;
void release(Errhandler& errhandler) noexcept;

}  // namespace vif::mpi
