// Pages on demand: ranges of the job's file behind everything else, each mapped by those who use it. App context.
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>

#include "net/shm/segment.hpp"
#include "net/shm/segment_header.hpp"

namespace vif::net::shm {
namespace {

uint64_t whole_pages(uint64_t bytes) noexcept { return (bytes + page - 1) / page * page; }

}  // namespace

// Ranges are never used twice: there are 2^63 bytes of them, and a range that was given back costs nothing.
uint64_t Segment::new_pages(uint64_t bytes) noexcept {
  auto* header = reinterpret_cast<Header*>(base_);
  return whole_pages(total_) + header->pages_used.fetch_add(whole_pages(bytes), std::memory_order_relaxed);
}

// The file grows with what is reserved in it.
bool Segment::fill_pages(uint64_t pages, uint64_t bytes, std::string& error) noexcept {
  if (bytes == 0 || reserve(pages, bytes)) return true;
  error = "No more shared memory can be had (" + std::to_string(bytes / 1024) + " KiB): " + std::strerror(errno) + ".";
  return false;
}

std::byte* Segment::map_pages(uint64_t pages, uint64_t bytes, std::string& error) noexcept {
  void* mapped = mmap(nullptr, whole_pages(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, fd_, static_cast<off_t>(pages));
  if (mapped != MAP_FAILED) return static_cast<std::byte*>(mapped);
  error = "Shared memory cannot be mapped (" + std::to_string(bytes / 1024) + " KiB): " + std::strerror(errno) + ".";
  return nullptr;
}

void Segment::unmap_pages(std::byte* address, uint64_t bytes) noexcept { munmap(address, whole_pages(bytes)); }

void Segment::free_pages(uint64_t pages, uint64_t bytes) noexcept {
  fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(pages),
            static_cast<off_t>(whole_pages(bytes)));
}

}  // namespace vif::net::shm
