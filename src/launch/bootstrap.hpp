// How a process learns who it is in the job and exchanges a few words with the others before links exist.
// Context: app, one thread at a time.
#pragma once

#include <memory>
#include <string>

namespace vif::launch {

class Bootstrap {
 public:
  virtual ~Bootstrap() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // A file descriptor of job-wide shared memory (memfd) inherited from the launcher, or -1: the first process makes
  // one. Closed in programs that this one starts; the caller closes it here when it has mapped it.
  virtual int segment_fd() const = 0;
  // Which program of an MPMD job (`mpirun a : b`) this is, from 0.
  virtual int app_number() const { return 0; }
  // Key-value space. Values are visible to all after the next barrier(). False on failure, cause in error().
  virtual bool put(const std::string& key, const std::string& value) = 0;
  virtual bool get(const std::string& key, std::string& value) = 0;
  virtual bool barrier() = 0;
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
