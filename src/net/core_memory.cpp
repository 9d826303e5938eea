// Pages of the job's shared memory, and direct access to other processes, for the layers above. Context: app, but for
// reading and writing, which are for any.
#include <cerrno>

#include "net/core.hpp"
#include "net/shm/cross_memory.hpp"

namespace vif::net {

uint64_t Core::new_pages(uint64_t bytes) noexcept { return segment_.new_pages(bytes); }

bool Core::fill_pages(uint64_t pages, uint64_t bytes, std::string& error) noexcept {
  return segment_.fill_pages(pages, bytes, error);
}

std::byte* Core::map_pages(uint64_t pages, uint64_t bytes, std::string& error) noexcept {
  return segment_.map_pages(pages, bytes, error);
}

void Core::unmap_pages(std::byte* address, uint64_t bytes) noexcept { segment_.unmap_pages(address, bytes); }

void Core::free_pages(uint64_t pages, uint64_t bytes) noexcept { segment_.free_pages(pages, bytes); }

bool Core::may_access(int process) noexcept {
  if (process == process_) return true;
  wait_to_own();
  const bool allowed = may_access(process, true) && may_access(process, false);
  disown();
  return allowed;
}

int Core::read(int process, const iovec* here, int pieces_here, const iovec* there, int pieces_there) noexcept {
  return shm::read_pieces(segment_.record(process).address.process, here, pieces_here, there, pieces_there);
}

int Core::write(int process, const iovec* here, int pieces_here, const iovec* there, int pieces_there) noexcept {
  return shm::write_pieces(segment_.record(process).address.process, here, pieces_here, there, pieces_there);
}

}  // namespace vif::net
