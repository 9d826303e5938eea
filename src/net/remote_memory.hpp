// The memory of other processes, for one-sided communication: pages that all processes of the job may map, and direct
// access to what is not shared. Context: app, but for read() and write(), which are for any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <sys/uio.h>

namespace vif::net {

class RemoteMemory {
 public:
  virtual ~RemoteMemory() = default;

  // Any context. Whether a process sees the shared memory of the job, too: whether it is on this host.
  virtual bool shares_memory(int process) const noexcept = 0;

  // --- pages ---
  // A range of pages that nobody else has; it costs nothing until it is filled. Its name is valid in all processes.
  virtual uint64_t new_pages(uint64_t bytes) noexcept = 0;
  // Gives memory to a part of a range; several processes may fill parts of one. False with a sentence in `error`.
  virtual bool fill_pages(uint64_t pages, uint64_t bytes, std::string& error) noexcept = 0;
  // Maps it here. Null with a sentence in `error`.
  virtual std::byte* map_pages(uint64_t pages, uint64_t bytes, std::string& error) noexcept = 0;
  virtual void unmap_pages(std::byte* address, uint64_t bytes) noexcept = 0;
  // By one process, when all have unmapped it.
  virtual void free_pages(uint64_t pages, uint64_t bytes) noexcept = 0;

  // --- memory for the program, whose messages the other processes can copy without help ---
  // Null: there is none, and the caller takes memory of its own.
  virtual std::byte* allocate(uint64_t bytes) noexcept = 0;
  // False: allocate() did not give it.
  virtual bool release(std::byte* address) noexcept = 0;

  // Any context. Whether so many bytes from an offset of Engine::shared_base() on are the job's.
  virtual bool inside(uint64_t offset, uint64_t bytes) const noexcept = 0;

  // --- direct access ---
  // Whether this process may read and write the memory of that one: tried, and remembered.
  virtual bool may_access(int process) noexcept = 0;
  // Copies between pieces here and pieces there, as many bytes on both sides; at most 1024 pieces on each. 0, or the
  // error number; bytes may have been copied before an error.
  virtual int read(int process, const iovec* here, int pieces_here, const iovec* there, int pieces_there) noexcept = 0;
  virtual int write(int process, const iovec* here, int pieces_here, const iovec* there, int pieces_there) noexcept = 0;
};

}  // namespace vif::net
