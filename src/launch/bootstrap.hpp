// How a process learns who it is in the job and exchanges a few words with the others before links exist.
// Context: app, one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace vif::launch {

// How many processes a job may get beyond those that it begins with, all its spawns together.
inline constexpr int spawn_room = 512;

class Bootstrap {
 public:
  virtual ~Bootstrap() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // The index in the job of the first process of this world: 0 unless it was spawned by others.
  virtual int first() const { return 0; }
  // A file descriptor of job-wide shared memory (memfd) inherited from the launcher, or -1: the first process makes
  // one. Closed in programs that this one starts; the caller closes it here when it has mapped it.
  virtual int segment_fd() const = 0;
  // Which program of an MPMD job (`mpirun a : b`) this is, from 0.
  virtual int app_number() const { return 0; }
  // Key-value space. Values are visible to all after the next barrier(). False on failure, cause in error().
  virtual bool put(const std::string& key, const std::string& value) = 0;
  virtual bool get(const std::string& key, std::string& value) = 0;
  virtual bool barrier() = 0;
  // Starts programs as a new world, which finds the values in its key-value space; the last argument becomes the index
  // in the job of its first process. False, with the cause in error(), also where the launcher cannot.
  struct Program {
    std::vector<std::string> command;
    int processes = 1;
    std::string directory;  // empty: the launcher's
  };
  virtual bool can_spawn() const { return false; }
  virtual bool spawn(const std::vector<Program>&, const std::vector<std::pair<std::string, std::string>>&, int&) {
    return false;
  }
  // Names of services, for all worlds of the job. False when the name is taken, or not there.
  virtual bool publish(const std::string& /*name*/, const std::string& /*port*/) { return false; }
  virtual bool unpublish(const std::string& /*name*/) { return false; }
  virtual bool look_up(const std::string& /*name*/, std::string& /*port*/) { return false; }
  virtual bool finalize() = 0;
  // Tells the launcher that the job must end with this code and why. The sentence is printed once, by the launcher when
  // it is `vif run` and by this process otherwise: callers do not print it. Does not return.
  [[noreturn]] virtual void abort(int code, const std::string& why) = 0;
  virtual std::string error() const = 0;
  // The process of the launcher, when it is `vif run`; 0: not known.
  virtual int launcher_pid() const { return 0; }
  virtual std::string name() const = 0;  // "vif run", "PMI-1 launcher", "singleton"
};

// Finds the launcher from the environment: PMI_FD (PMI-1 wire protocol: vif run, MPICH's and Intel MPI's hydra), or
// none (singleton). Null, with a full sentence in `error`, when the variables of a launcher that we cannot talk to are
// there.
std::unique_ptr<Bootstrap> find_bootstrap(std::string& error);

}  // namespace vif::launch
