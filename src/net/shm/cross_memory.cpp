#include "net/shm/cross_memory.hpp"

#include <cerrno>

#include <sys/uio.h>

namespace vif::net::shm {
namespace {

using Call = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long, unsigned long);

int move(Call call, int process, uint64_t remote, uint64_t local, uint64_t bytes) noexcept {
  const int saved = errno;
  int result = 0;
  while (bytes > 0) {
    iovec here{reinterpret_cast<void*>(local), bytes};
    iovec there{reinterpret_cast<void*>(remote), bytes};
    const ssize_t moved = call(process, &here, 1, &there, 1, 0);
    if (moved <= 0) {
      if (moved < 0 && errno == EINTR) continue;
      result = moved < 0 ? errno : EFAULT;
      break;
    }
    const auto done = static_cast<uint64_t>(moved);
    local += done;
    remote += done;
    bytes -= done;
  }
  errno = saved;
  return result;
}

}  // namespace

int read_memory(int process, uint64_t from, void* to, uint64_t bytes) noexcept {
  return move(process_vm_readv, process, from, reinterpret_cast<uint64_t>(to), bytes);
}

int write_memory(int process, uint64_t to, const void* from, uint64_t bytes) noexcept {
  return move(process_vm_writev, process, to, reinterpret_cast<uint64_t>(from), bytes);
}

}  // namespace vif::net::shm
