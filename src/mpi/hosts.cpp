#include "mpi/hosts.hpp"

#include <algorithm>

#include "mpi/process.hpp"
#include "net/remote_memory.hpp"

namespace vif::mpi {

bool is_here(int process) {
  const net::RemoteMemory* memory = engine().remote_memory();
  return memory == nullptr || memory->shares_memory(process);
}

bool on_one_host(const Comm& comm) {
  return std::all_of(comm.members.begin(), comm.members.end(), is_here) &&
         std::all_of(comm.remote.begin(), comm.remote.end(), is_here);
}

}  // namespace vif::mpi
