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

// The kernel stops short only at a page that it may not touch (less than 2 GiB at a time, which callers keep to).
int move_pieces(Call call, int process, const iovec* here, int pieces_here, const iovec* there,
                int pieces_there) noexcept {
  const int saved = errno;
  size_t wanted = 0;
  for (int i = 0; i < pieces_here; ++i) wanted += here[i].iov_len;
  ssize_t moved;
  do {
    moved = call(process, here, static_cast<unsigned long>(pieces_here), there,
                 static_cast<unsigned long>(pieces_there), 0);
  } while (moved < 0 && errno == EINTR);
  const int result = moved < 0 ? errno : static_cast<size_t>(moved) == wanted ? 0 : EFAULT;
  errno = saved;
  return result;
}

}  // namespace

int read_pieces(int process, const iovec* here, int pieces_here, const iovec* there, int pieces_there) noexcept {
  return move_pieces(process_vm_readv, process, here, pieces_here, there, pieces_there);
}

int write_pieces(int process, const iovec* here, int pieces_here, const iovec* there, int pieces_there) noexcept {
  return move_pieces(process_vm_writev, process, here, pieces_here, there, pieces_there);
}

int read_memory(int process, uint64_t from, void* to, uint64_t bytes) noexcept {
  return move(process_vm_readv, process, from, reinterpret_cast<uint64_t>(to), bytes);
}

int write_memory(int process, uint64_t to, const void* from, uint64_t bytes) noexcept {
  return move(process_vm_writev, process, to, reinterpret_cast<uint64_t>(from), bytes);
}

}  // namespace vif::net::shm
