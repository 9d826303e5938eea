// Reading and writing another process's memory in one copy (process_vm_readv, process_vm_writev).
// Context: handler.
#pragma once

#include <cstdint>

namespace vif::net::shm {

// 0, or the error number. A part that was copied before an error does not count.
int read_memory(int process, uint64_t from, void* to, uint64_t bytes) noexcept;
int write_memory(int process, uint64_t to, const void* from, uint64_t bytes) noexcept;

}  // namespace vif::net::shm
