// How another library of this project, loaded in the same process, reaches the engine that the MPI library made.
//
// The MPI library exports one function, vif_engine_door, for it. Engines are used through their virtual functions and
// the fields of Request alone, so both libraries must be of the same build: `interface` is compared.
// Context: app.
#pragma once

#include <cstdint>

#include "net/engine.hpp"

namespace vif::net {

struct EngineDoor {
  Engine* engine = nullptr;            // null: MPI is not initialised, or has been finalised
  bool many_threads = false;           // MPI_THREAD_MULTIPLE was granted
  uint32_t first_context = 0;          // of process 0, for the use of the other library
  uint32_t context_stride = 0;         // between those of two processes
  uint32_t contexts = 0;               // that each process has, one behind the other
  void (*hold)(int change) = nullptr;  // +1: the engine is in use, and MPI_Finalize an error; -1: not any more
};

// Changes with what the two sides must agree on.
inline constexpr uint64_t door_interface = sizeof(Request) << 32 | sizeof(Task) << 16 | 1;
inline constexpr const char* door_symbol = "vif_engine_door";
// False: of another build.
using DoorFunction = bool(uint64_t interface, EngineDoor* door);

}  // namespace vif::net
