// What every entry point of the library does first. Context: app.
#pragma once

#include <atomic>
#include <cstdint>

#include <mpi.h>

namespace vif::mpi {

enum class Phase : uint8_t { before_init, running, finalized };

// Written by MPI_Init and MPI_Finalize.
extern std::atomic<Phase> phase;

// The MPI function that this thread is in, for error messages.
extern constinit thread_local const char* current_function;

// Prints that the call is made before MPI_Init or after MPI_Finalize, and ends the process.
[[noreturn, gnu::cold]] void refuse_outside(const char* function);

// Raise MPI_ERR_ARG because a pointer that the function needs is null, through the error handler of what it works on.
[[gnu::cold]] int refuse_null(const char* parameter);
[[gnu::cold]] int refuse_null(const char* parameter, MPI_Comm comm);
[[gnu::cold]] int refuse_null(const char* parameter, MPI_Win win);
[[gnu::cold]] int refuse_null(const char* parameter, MPI_File file);
[[gnu::cold]] int refuse_null(const char* parameter, MPI_Session session);

// The same, MPI_ERR_INFO, for an info object that has been freed or never was one.
[[gnu::cold]] int refuse_info();
[[gnu::cold]] int refuse_info(MPI_Comm comm);
[[gnu::cold]] int refuse_info(MPI_Win win);
[[gnu::cold]] int refuse_info(MPI_File file);
[[gnu::cold]] int refuse_info(MPI_Session session);

bool is_no_object(MPI_Info info);
inline bool is_no_info(MPI_Info info) { return info != MPI_INFO_NULL && is_no_object(info); }

inline void enter_anytime(const char* function) noexcept { current_function = function; }

inline void enter(const char* function) {
  // relaxed: a program may only call us after its MPI_Init returned, which orders the threads already.
  if (phase.load(std::memory_order_relaxed) != Phase::running) [[unlikely]]
    refuse_outside(function);
  current_function = function;
}

}  // namespace vif::mpi
