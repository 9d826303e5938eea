// Reading and writing another process's memory in one copy (process_vm_readv, process_vm_writev).
// Context: handler.
#pragma once

#include <cstdint>

#include <sys/uio.h>

namespace vif::net::shm {

// Between pieces here and pieces there, as many bytes on both sides. 0, or the error number.
int read_pieces(int process, const iovec* here, int pieces_here, const iovec* there, int pieces_there) noexcept;
int write_pieces(int process, const iovec* here, int pieces_here, const iovec* there, int pieces_there) noexcept;

// 0, or the error number. A part that was copied before an error does not count.
int read_memory(int process, uint64_t from, void* to, uint64_t bytes) noexcept;
int write_memory(int process, uint64_t to, const void* from, uint64_t bytes) noexcept;

}  // namespace vif::net::shm
