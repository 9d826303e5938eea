// What one process of the job holds between MPI_Init and MPI_Finalize.
// Context: app.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "launch/bootstrap.hpp"
#include "net/engine.hpp"

namespace vif::mpi {

struct Comm;

struct Process {
  std::unique_ptr<launch::Bootstrap> bootstrap;
  std::mutex bootstrap_lock;  // after the start: one thread at a time speaks to the launcher
  std::unique_ptr<net::Engine> engine_owner;
  net::Engine* engine = nullptr;
  int thread_level = 0;                           // MPI_THREAD_SINGLE .. MPI_THREAD_MULTIPLE, as granted
  bool multiple = false;                          // several threads may be in the library at once
  bool ordered = false;                           // VIF_COLL_ORDER=ranks
  net::Progress progress = net::Progress::react;  // VIF_PROGRESS, of communicators that do not say
  Comm* world = nullptr;
  Comm* self = nullptr;
  Comm* parent = nullptr;  // the processes that spawned this one; null: nobody did, or it was freed

  // Joins the job. False, with a full sentence in `error`, when that cannot be.
  static bool start(int thread_level, std::string& error);
  // Lets everything that was started end, waits for the other processes, leaves the job.
  static void stop();
  // Ends the whole job.
  [[noreturn]] static void abort(int code, const std::string& why);
};

// Null before start() and after stop().
extern Process* process_pointer;
inline Process* process() noexcept { return process_pointer; }
inline net::Engine& engine() noexcept { return *process_pointer->engine; }

}  // namespace vif::mpi
