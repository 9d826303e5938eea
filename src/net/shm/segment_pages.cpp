// Pages on demand: ranges of the job's file behind everything else, each mapped by those who use it. App context.
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include "net/shm/segment.hpp"
#include "net/shm/segment_header.hpp"

namespace vif::net::shm {
namespace {

uint64_t whole_pages(uint64_t bytes) noexcept { return (bytes + page - 1) / page * page; }

uint64_t physical_memory() noexcept {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// What the machine could give now, with the pages that the kernel keeps of files.
uint64_t free_memory() noexcept {
  uint64_t kibibytes = 0;
  if (std::FILE* file = std::fopen("/proc/meminfo", "re")) {
    char line[128];
    while (std::fgets(line, sizeof line, file) != nullptr) {
      if (std::sscanf(line, "MemAvailable: %" SCNu64, &kibibytes) == 1) break;
    }
    std::fclose(file);
  }
  return kibibytes != 0 ? kibibytes * 1024 : physical_memory();
}

}  // namespace

// Ranges are never used twice: there are 2^63 bytes of them, and a range that was given back costs nothing.
uint64_t Segment::new_pages(uint64_t bytes) noexcept {
  auto* header = reinterpret_cast<Header*>(base_);
  return whole_pages(total_) + header->pages_used.fetch_add(whole_pages(bytes), std::memory_order_relaxed);
}

// The file grows with what is reserved in it. Reserving takes the memory at once: more than there is would take it from
// every process of the machine before it fails.
bool Segment::fill_pages(uint64_t pages, uint64_t bytes, std::string& error) noexcept {
  errno = ENOMEM;
  if (bytes == 0 || (bytes <= free_memory() && reserve(pages, bytes))) return true;
  error = "No more shared memory can be had (" + std::to_string(bytes / 1024) + " KiB): " + std::strerror(errno) + ".";
  return false;
}

// Its last page alone is reserved: that makes the file long enough, and never shorter.
bool Segment::lay_out_pages(uint64_t pages, uint64_t bytes) noexcept {
  return bytes != 0 && bytes <= physical_memory() && reserve(pages + whole_pages(bytes) - page, page);
}

std::byte* Segment::map_pages(uint64_t pages, uint64_t bytes, std::string& error) noexcept {
  if (std::byte* mapped = map_again(pages, bytes, 0); mapped != nullptr) return mapped;
  error = "Shared memory cannot be mapped (" + std::to_string(bytes / 1024) + " KiB): " + std::strerror(errno) + ".";
  return nullptr;
}

bool Segment::given_out(uint64_t pages, uint64_t bytes) const noexcept {
  const uint64_t first = whole_pages(total_);
  const uint64_t used = reinterpret_cast<const Header*>(base_)->pages_used.load(std::memory_order_relaxed);
  return pages % page == 0 && pages >= first && pages - first <= used && bytes <= used - (pages - first);
}

std::byte* Segment::map_again(uint64_t pages, uint64_t bytes, int flags) noexcept {
  void* mapped =
      mmap(nullptr, whole_pages(bytes), PROT_READ | PROT_WRITE, MAP_SHARED | flags, fd_, static_cast<off_t>(pages));
  return mapped != MAP_FAILED ? static_cast<std::byte*>(mapped) : nullptr;
}

void Segment::unmap_pages(std::byte* address, uint64_t bytes) noexcept { munmap(address, whole_pages(bytes)); }

void Segment::free_pages(uint64_t pages, uint64_t bytes) noexcept {
  fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(pages),
            static_cast<off_t>(whole_pages(bytes)));
}

}  // namespace vif::net::shm
