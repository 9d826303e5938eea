#include "mpi/lifecycle.hpp"

#include <unistd.h>
#include <cstdlib>
#include <mutex>

#include "base/options.hpp"
#include "mpi/entry.hpp"
#include "mpi/info_environment.hpp"
#include "mpi/predefined_attributes.hpp"
#include "mpi/process.hpp"
#include "trace/recording.hpp"

namespace vif::mpi {
namespace {

std::mutex lock;
int users = 0;
bool world_ended = false;
pid_t main_thread = 0;

void leave_job() {
  trace::stop_recording();
  Process::stop();
  phase.store(Phase::finalized, std::memory_order_release);
}

// For programs that use sessions alone. A program that still uses the library when it exits has forgotten to end it;
// the launcher then says so.
void leave_at_exit() {
  const std::lock_guard guard(lock);
  if (users == 0 && process() != nullptr) leave_job();
}

}  // namespace

bool begin_use(int thread_level, std::string& error) {
  const std::lock_guard guard(lock);
  if (phase.load(std::memory_order_relaxed) == Phase::finalized) {
    error = "MPI is finalised; a process can join its job once only.";
    return false;
  }
  if (process() == nullptr) {
    error = base::check_options();
    if (!error.empty() || !Process::start(thread_level, error)) return false;
    main_thread = gettid();
    trace::start_recording(engine().process());
    fill_predefined_attributes(*process());
    complete_environment_info(process()->engine->together(), thread_level);
    phase.store(Phase::running, std::memory_order_release);
    std::atexit(leave_at_exit);
  }
  ++users;
  return true;
}

void end_use(bool last_call) {
  const std::lock_guard guard(lock);
  world_ended = world_ended || last_call;
  if (--users == 0 && world_ended) leave_job();
}

bool is_main_thread() noexcept { return gettid() == main_thread; }

}  // namespace vif::mpi
