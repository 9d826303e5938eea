// Error handlers.
//
// The three predefined ones are objects of the process that are never destroyed. User ones are counted: the handle, and
// each communicator that uses it.
// Context: app.
#pragma once

#include <atomic>

#include "mpi/handle.hpp"

namespace vif::mpi {

struct Errhandler {
  static constexpr uint32_t alive = 0x45727248;
  enum class Effect : uint8_t { fatal, abort, give_back, call };

  uint32_t magic = alive;
  Effect effect = Effect::fatal;
  MPI_Comm_errhandler_function* function = nullptr;  // when the effect is `call`
  MPI_Errhandler handle = MPI_ERRHANDLER_NULL;
  std::atomic<int64_t> references{1};
};

Errhandler* errhandler_of(MPI_Errhandler handle) noexcept;

// Predefined ones are not counted.
void retain(Errhandler& errhandler) noexcept;
void release(Errhandler& errhandler) noexcept;

}  // namespace vif::mpi
