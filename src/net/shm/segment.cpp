#include "net/shm/segment.hpp"

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/shm/segment_header.hpp"

namespace vif::net::shm {
namespace {

constexpr uint64_t magic = 0x3176'6669'7620'0004;  // changes with the layout

uint64_t round_up(uint64_t bytes, uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

std::string cause() { return std::strerror(errno); }

}  // namespace

Segment::~Segment() {
  if (base_ != nullptr) munmap(base_, total_);
  if (fd_ >= 0) close(fd_);
}

void Segment::lay_out(int processes) {
  const auto count = static_cast<uint64_t>(processes);
  connected_words_ = (processes + 63) / 64;
  records_ = page;
  connected_ = round_up(records_ + count * record_stride, page);
  arenas_ = round_up(connected_ + count * static_cast<uint64_t>(connected_words_) * 8, page);
  pairs_ = arenas_ + count * arena_bytes;
  total_ = pairs_ + count * count * pair_stride;
}

bool Segment::reserve(uint64_t offset, uint64_t bytes) noexcept {
  const uint64_t from = offset / page * page;
  const uint64_t to = round_up(offset + bytes, page);
  const int saved = errno;
  int result;
  do {
    result = fallocate(fd_, 0, static_cast<off_t>(from), static_cast<off_t>(to - from));
  } while (result != 0 && errno == EINTR);
  if (result == 0) errno = saved;
  return result == 0;
}

int Segment::new_file() noexcept { return memfd_create("vif-job", MFD_CLOEXEC); }

bool Segment::obtain_file(launch::Bootstrap& bootstrap, const Origin& origin, std::string& error) {
  fd_ = bootstrap.segment_fd() >= 0 ? bootstrap.segment_fd() : origin.own;
  if (fd_ >= 0) return true;
  if (processes_ == 1) {
    fd_ = new_file();
    if (fd_ < 0) error = "The shared memory of the job cannot be made (memfd_create): " + cause() + ".";
    return fd_ >= 0;
  }
  // Another process has made it: opened through its table of descriptors.
  const std::string path = "/proc/" + std::to_string(origin.process) + "/fd/" + std::to_string(origin.descriptor);
  fd_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  char target[64] = {};
  if (fd_ < 0 || readlink(path.c_str(), target, sizeof target - 1) < 0 || std::strstr(target, "vif-job") == nullptr) {
    error = "The shared memory made by another rank of this host cannot be opened (" + path + ": " + cause() +
            "). Ranks of one host must run as one user, in one pid name space; VIF_HOST can tell them apart.";
    return false;
  }
  return true;
}

// Maps the segment with places for so many processes.
bool Segment::map_with(int places) noexcept {
  lay_out(places);
  void* mapped = mmap(nullptr, total_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_, 0);
  if (mapped == MAP_FAILED) return false;
  base_ = static_cast<std::byte*>(mapped);
  processes_ = places;
  return true;
}

// Who maps the segment first decides how many places there are: with room for processes that are started later where
// the address space has it, which it has not under valgrind and with a limit (ulimit -v). The others do as the header
// says.
bool Segment::map_as_agreed(Header& header, const launch::Bootstrap& bootstrap) noexcept {
  uint64_t decided = header.places.load(std::memory_order_acquire);
  if (decided == 0) {
    const int room = bootstrap.can_spawn() ? launch::spawn_room : 0;
    if (!map_with(bootstrap.size() + room) && (room == 0 || !map_with(bootstrap.size()))) return false;
    const auto wanted = static_cast<uint64_t>(processes_);
    if (header.places.compare_exchange_strong(decided, wanted, std::memory_order_acq_rel) || decided == wanted) {
      return true;
    }
    munmap(base_, total_);
    base_ = nullptr;
  }
  return map_with(static_cast<int>(decided));
}

// The header, the records of the processes that begin together, and their words of who has connected to them.
bool Segment::reserve_beginning(int first, int count) noexcept {
  const auto from = static_cast<uint64_t>(first);
  const auto number = static_cast<uint64_t>(count);
  const uint64_t row = static_cast<uint64_t>(connected_words_) * 8;
  return reserve(0, page) && reserve(records_ + from * record_stride, number * record_stride) &&
         reserve(connected_ + from * row, number * row);
}

int Segment::begun() const noexcept {
  return static_cast<int>(reinterpret_cast<Header*>(base_)->begun.load(std::memory_order_acquire));
}

bool Segment::map(const launch::Bootstrap& bootstrap, std::string& error) {
  if (!reserve(0, page)) {
    error = "The shared memory of the job cannot be had: " + cause() + ".";
    return false;
  }
  void* first_page = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  bool mapped = false, same_layout = true;
  if (first_page != MAP_FAILED) {
    auto& header = *static_cast<Header*>(first_page);
    uint64_t expected = 0;
    same_layout = header.magic.compare_exchange_strong(expected, magic) || expected == magic;
    mapped = same_layout && map_as_agreed(header, bootstrap);
  }
  if (!same_layout) {
    error = "The ranks of this job load different versions of this library: make them use the same one.";
  } else if (!mapped) {
    error = "The shared memory of the job cannot be mapped (" + std::to_string(total_ >> 20) +
            " MiB of address space, hardly any of it used): " + cause() +
            ". Check the limit on address space (ulimit -v).";
  }
  if (first_page != MAP_FAILED) munmap(first_page, page);
  return mapped;
}

bool Segment::open(launch::Bootstrap& bootstrap, const Origin& origin, std::string& error) {
  process_ = bootstrap.rank();
  processes_ = bootstrap.size();
  if (!obtain_file(bootstrap, origin, error)) return false;
  const int first = bootstrap.first();
  const int last = first + bootstrap.size();
  process_ += first;
  if (!map(bootstrap, error)) return false;
  if (last > processes_) {
    error = "The memory of the job has no place for the processes that were started later: it has " +
            std::to_string(processes_) + ", few where its first ones had little address space (ulimit -v).";
    return false;
  }
  // Every process does the same: the result does not depend on who comes first, and new pages are zero. Those that come
  // later find the file at least as long; it may have grown, and must not shrink.
  const bool long_enough = first > 0 || ftruncate(fd_, static_cast<off_t>(total_)) == 0;
  if (!long_enough || !reserve_beginning(first, bootstrap.size())) {
    error = "The shared memory of the job cannot be had (" + std::to_string(arenas_ / 1024) + " KiB): " + cause() + ".";
    return false;
  }
  auto* header = reinterpret_cast<Header*>(base_);
  // release: partner of the acquire in begun().
  uint64_t begun = header->begun.load(std::memory_order_relaxed);
  while (begun < static_cast<uint64_t>(last) &&
         !header->begun.compare_exchange_weak(begun, static_cast<uint64_t>(last), std::memory_order_release)) {
  }
  arena_free_.resize(64);
  return true;
}

bool Segment::look(int descriptor, std::string& error) {
  struct stat about {};
  uint64_t words[3] = {};
  static_assert(offsetof(Header, begun) == 2 * sizeof words[0]);
  if (fstat(descriptor, &about) != 0 || pread(descriptor, words, sizeof words, 0) != sizeof words ||
      words[0] != magic) {
    error = "The processes of the job have not called MPI_Init, or use another version of this library.";
    return false;
  }
  lay_out(static_cast<int>(words[1]));
  processes_ = static_cast<int>(words[2]);  // those that there are
  total_ = arenas_;
  if (processes_ < 1 || static_cast<uint64_t>(about.st_size) < total_) {
    error = "The memory of the job is not as this version of the library makes it.";
    return false;
  }
  void* mapped = mmap(nullptr, total_, PROT_READ, MAP_SHARED, descriptor, 0);
  if (mapped == MAP_FAILED) {
    error = "The memory of the job cannot be mapped: " + cause() + ".";
    return false;
  }
  base_ = static_cast<std::byte*>(mapped);
  return true;
}

bool Segment::reserve_pair(int sender, int receiver) noexcept {
  return reserve(pair_offset(sender, receiver), small_pair_bytes);
}

bool Segment::reserve_pair_data(int sender, int receiver) noexcept {
  return reserve(pair_offset(sender, receiver) + large_data_offset, large_data_bytes);
}

uint64_t Segment::allocate(uint64_t bytes, std::string& error) {
  std::lock_guard lock(mutex_);
  const uint64_t size = std::bit_ceil(std::max<uint64_t>(bytes, 64));
  auto& free_list = arena_free_[static_cast<size_t>(std::countr_zero(size))];
  const uint64_t arena = arenas_ + static_cast<uint64_t>(process_) * arena_bytes;
  uint64_t offset;
  if (!free_list.empty()) {
    offset = free_list.back();
    free_list.pop_back();
    std::memset(base_ + offset, 0, size);
    return offset;
  }
  if (arena_used_ + size > arena_bytes) {
    error = "The " + std::to_string(arena_bytes >> 20) +
            " MiB of shared memory of this rank are used up: free communicators.";
    return 0;
  }
  if (arena_used_ + size > arena_reserved_) {
    const uint64_t more = round_up(arena_used_ + size - arena_reserved_, 64 * 1024);
    if (!reserve(arena + arena_reserved_, more)) {
      error = "No more shared memory can be had (" + std::to_string(more / 1024) + " KiB): " + cause() + ".";
      return 0;
    }
    arena_reserved_ += more;
  }
  offset = arena + arena_used_;
  arena_used_ += size;
  return offset;
}

void Segment::release(uint64_t offset, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  const uint64_t size = std::bit_ceil(std::max<uint64_t>(bytes, 64));
  arena_free_[static_cast<size_t>(std::countr_zero(size))].push_back(offset);
}

}  // namespace vif::net::shm
