// Joining and leaving the job. Context: app.
#include "mpi/process.hpp"

#include <unistd.h>
#include <cstdio>

#include "base/options.hpp"
#include "coll/choice.hpp"
#include "coll/split_plan.hpp"
#include "mpi.h"
#include "mpi/comm.hpp"
#include "mpi/comm_create.hpp"
#include "mpi/comm_hints.hpp"
#include "mpi/diary.hpp"
#include "mpi/dynamic.hpp"
#include "mpi/engine_door.hpp"
#include "mpi/point_to_point_buffered.hpp"
#include "mpi/request.hpp"
#include "mpi/waitable.hpp"
#include "net/create.hpp"

namespace vif::mpi {

constinit Process* process_pointer = nullptr;

namespace {

int rank_of_level(int thread_level) noexcept {
  switch (thread_level) {
    case MPI_THREAD_SINGLE:
      return 0;
    case MPI_THREAD_FUNNELED:
      return 1;
    case MPI_THREAD_SERIALIZED:
      return 2;
    default:
      return 3;
  }
}

bool join(Process& process, std::string& error) {
  process.bootstrap = launch::find_bootstrap(error);
  if (process.bootstrap == nullptr) return false;
  const int last = process.bootstrap->first() + process.bootstrap->size();
  if (last > context_leaders) {
    error = "The job has " + std::to_string(last) + " processes, more than the " + std::to_string(context_leaders) +
            " that this library can number; start fewer.";
    return false;
  }
  process.progress = progress_named(base::option("VIF_PROGRESS"));
  process.ordered = base::option("VIF_COLL_ORDER") == "ranks";
  error = coll::set_choices(base::option("VIF_COLL"));
  if (!error.empty()) return false;
  coll::set_split_rule(base::option("VIF_COLL_SPLIT"));
  process.engine_owner = net::create_engine(*process.bootstrap, rank_of_level(process.thread_level), error);
  process.engine = process.engine_owner.get();
  return process.engine != nullptr;
}

}  // namespace

bool Process::start(int thread_level, std::string& error) {
  auto process = std::make_unique<Process>();
  process->thread_level = thread_level;
  process->multiple = thread_level == MPI_THREAD_MULTIPLE;
  if (!join(*process, error)) return false;
  process_pointer = process.release();
  net::ApiScope scope(*process_pointer->engine);
  make_first_comms(*process_pointer);
  meet_parents();
  return true;
}

void Process::stop() {
  if (engine_is_held()) {
    abort(1,
          "MPI is being finalised while a node for remote calls (vif::rpc::Node, vif_rpc_node) exists: destroy it "
          "before.");
  }
  {
    net::ApiScope scope(*process_pointer->engine);
    sweep_orphans(true);
    detach_buffer(*process_pointer->self);
    detach_buffer(*process_pointer->world);
    detach_process_buffer();
    // Nobody leaves while another may still need what it sent to be moved.
    coll::barrier(process_pointer->world->collectives);
    unmake_first_comms(*process_pointer);
  }
  stop_notifier();
  leave_diary();
  std::unique_ptr<Process> process(process_pointer);
  process->engine_owner.reset();
  process->engine = nullptr;
  process->bootstrap->finalize();
  process_pointer = nullptr;
}

void Process::abort(int code, const std::string& why) {
  if (process_pointer != nullptr && process_pointer->bootstrap != nullptr) process_pointer->bootstrap->abort(code, why);
  std::fprintf(stderr, "%s\n", why.c_str());
  _exit(code);
}

}  // namespace vif::mpi
