// Sessions: a user of the library that needs no MPI_COMM_WORLD. Context: app.
#pragma once

#include <mutex>
#include <string_view>

#include "mpi/handle.hpp"
#include "mpi/point_to_point_buffered.hpp"

namespace vif::mpi {

struct Errhandler;

struct Session {
  static constexpr uint32_t alive = 0x53657373;

  uint32_t magic = alive;
  int thread_level = MPI_THREAD_MULTIPLE;
  std::mutex lock;                   // guards what follows
  Errhandler* errhandler = nullptr;  // counted, never null
  BufferedSends* buffered = nullptr;
};

inline Session* session_of(MPI_Session handle) noexcept { return user_object<Session>(handle); }
inline MPI_Session handle_of(Session* session) noexcept { return reinterpret_cast<MPI_Session>(session); }

// Raises through the session's handler.
int raise(Session& session, int error_class, std::string_view sentence);
// For a handle that names no session.
int raise_no_session();

}  // namespace vif::mpi
