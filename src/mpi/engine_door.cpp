// The engine for the other libraries of this project: see net/door.hpp. Context: app.
#include "net/door.hpp"

#include "mpi.h"
#include "mpi/comm_context.hpp"
#include "mpi/engine_door.hpp"
#include "mpi/process.hpp"

namespace vif::mpi {
namespace {

std::atomic<int> holders{0};

}  // namespace

bool engine_is_held() noexcept { return holders.load(std::memory_order_relaxed) != 0; }

}  // namespace vif::mpi

#pragma GCC visibility push(default)
extern "C" bool vif_engine_door(uint64_t interface, vif::net::EngineDoor* door) {
  using vif::mpi::ContextIds;
  if (interface != vif::net::door_interface) return false;
  *door = {};
  const vif::mpi::Process* process = vif::mpi::process();
  if (process == nullptr) return true;
  door->engine = process->engine;
  door->many_threads = process->multiple;
  // The context of each process's self has uses that no communicator has.
  door->first_context = ContextIds::make(0, 1) + vif::mpi::outside_use;
  door->context_stride = ContextIds::make(1, 1) - ContextIds::make(0, 1);
  door->contexts = vif::mpi::context_uses - vif::mpi::outside_use;
  door->hold = [](int change) { vif::mpi::holders.fetch_add(change, std::memory_order_relaxed); };
  return true;
}
#pragma GCC visibility pop
