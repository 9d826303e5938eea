// The memory that the processes of a job share.
//
// One memfd, as large as could ever be needed but made of holes: only what is reserved costs memory. Addresses are
// offsets, the same in every process. Every piece is reserved (fallocate) before it is touched, so that a lack of
// memory is an error with a sentence and never a SIGBUS. The memfd has no name: nothing stays behind, however the job
// ends.
//
//   header | one record per process | who has connected to whom | one arena per process | one ring per ordered pair |
//   pages given out on demand, each mapped by those who use it
//
// A ring is reserved by its sender when it first sends to that receiver: memory grows with the peers really talked to.
// There are places for processes that may be started later (launch::spawn_room): addresses, which cost nothing; none
// where the address space is too small for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "bell/interrupt.hpp"
#include "bell/posture.hpp"
#include "launch/bootstrap.hpp"
#include "net/route.hpp"
#include "net/shm/announcement.hpp"
#include "net/shm/cell_ring.hpp"
#include "net/shm/transfer.hpp"
#include "trace/diary.hpp"

namespace vif::net::shm {

inline constexpr uint32_t ring_cells = 64;
using Atoms = base::RealAtoms;
using Producer = RingProducer<Atoms, ring_cells>;
using Consumer = RingConsumer<Atoms, ring_cells>;
using PairMemory = RingMemory<Atoms, ring_cells>;
using ShmCell = Cell<Atoms>;

inline constexpr uint32_t page = 4096;
inline constexpr uint32_t pair_control = 2 * page;         // cells, then the control lines
inline constexpr uint32_t small_data_offset = page + 256;  // what is left of the second page and one more
inline constexpr uint32_t small_data_bytes = 2 * page - 256;
inline constexpr uint32_t small_pair_bytes = 3 * page;
inline constexpr uint32_t large_data_offset = 4 * page;
inline constexpr uint32_t large_data_bytes = 256 * 1024;
inline constexpr uint32_t large_data_again = 32 * 1024;  // after so many bytes it may begin at its start again
inline constexpr uint32_t pair_stride = large_data_offset + large_data_bytes;
inline constexpr uint32_t announcement_offset = sizeof(PairMemory);
static_assert(announcement_offset + sizeof(Announcement<Atoms>) <= small_data_offset);

inline constexpr int affinity_words = 16;  // CPUs 0 to 1023

// Values of ProcessRecord::present; 0: not yet.
inline constexpr uint32_t here = 1;
inline constexpr uint32_t left = 2;

struct ProcessRecord {
  // Written by the process at start, then published by `present`.
  bell::Address address;
  uint64_t affinity[affinity_words] = {};
  uint32_t processor_count = 0;
  CopyPrices prices;
  uint64_t probe_address = 0;  // of a word holding probe_value(process), for trying cross-memory access
  std::atomic<uint32_t> present{0};
  // Written by the process (rest) and by those who ring it.
  alignas(64) bell::PostureWord<Atoms> bell;
  // Written by the process: somebody sleeps outside the library until something is complete (Engine::demand). On the
  // line that ringers read anyway.
  std::atomic<uint32_t> demanding{0};
  // Written by those who ring (the helper thread sleeps on it).
  alignas(64) std::atomic<uint32_t> helper{0};
  // Written by the process: waiting in the library, so its core is free to copy. A hint: may be stale.
  alignas(64) std::atomic<uint32_t> waiting{0};
  // Written by the process: when that wait began, on the monotonic clock. For tools.
  std::atomic<int64_t> waiting_since{0};
  // Written by the process: outside the library, and expected back at once. A hint: may be stale, or wrong.
  std::atomic<uint32_t> back_soon{0};
  // Written by receivers that matched an offer of the process, and by the process.
  alignas(64) MatchedList<Atoms> matched;
  // Written by those who connect to the process, after their bit.
  alignas(64) std::atomic<uint32_t> connections{0};
  // Written by the threads of the process; for tools.
  trace::Desk<Atoms> desk;
};

// What a process keeps at its probe_address.
inline constexpr uint64_t probe_value(int process) noexcept {
  return 0x7669'6600'0000'0000ull + static_cast<uint64_t>(process);
}

struct Header;  // segment_header.hpp

class Segment {
 public:
  Segment() = default;
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  // Where the file of the segment is, when the launcher gives none: this process has made it (`own` is a descriptor,
  // which becomes the segment's), or another one of this host, which has it open.
  struct Origin {
    int own = -1;
    int process = 0;
    int descriptor = -1;
  };
  // App context. Makes or finds the segment of the job. False with a sentence in `error`.
  bool open(launch::Bootstrap& bootstrap, const Origin& origin, std::string& error);
  // The file for an origin; -1 with errno.
  static int new_file() noexcept;

  // For tools: maps the part with the records of somebody else's job, to be read only. False with a sentence.
  bool look(int descriptor, std::string& error);

  std::byte* base() const noexcept { return base_; }
  int processes() const noexcept { return processes_; }  // places
  int begun() const noexcept;                            // those that have had a process so far
  ProcessRecord& record(int process) const noexcept {
    return *reinterpret_cast<ProcessRecord*>(base_ + records_ + record_stride * static_cast<uint64_t>(process));
  }
  // Bit `sender` of the words of `receiver`.
  std::atomic<uint64_t>& connected(int receiver, int word) const noexcept {
    return reinterpret_cast<std::atomic<uint64_t>*>(base_ + connected_)[receiver * connected_words_ + word];
  }
  int connected_words() const noexcept { return connected_words_; }

  PairMemory* pair(int sender, int receiver) const noexcept {
    return reinterpret_cast<PairMemory*>(base_ + pair_offset(sender, receiver));
  }
  // Of a receive of `receiver`, to `sender`. The ring between them must have been reserved.
  Announcement<Atoms>& announcement(int sender, int receiver) const noexcept {
    return *reinterpret_cast<Announcement<Atoms>*>(base_ + pair_offset(sender, receiver) + announcement_offset);
  }
  std::byte* pair_data(int sender, int receiver) const noexcept { return base_ + pair_offset(sender, receiver); }
  // By the sender, app or handler context. False when there is no memory.
  bool reserve_pair(int sender, int receiver) noexcept;
  bool reserve_pair_data(int sender, int receiver) noexcept;  // its large data area

  // App context: zeroed memory from this process's arena, 64-byte aligned. 0 when there is none.
  uint64_t allocate(uint64_t bytes, std::string& error);
  void release(uint64_t offset, uint64_t bytes);
  // Pages behind all that: see RemoteMemory.
  uint64_t new_pages(uint64_t bytes) noexcept;
  bool fill_pages(uint64_t pages, uint64_t bytes, std::string& error) noexcept;
  // The same, without taking the memory before it is touched. False: no program gets that much.
  bool lay_out_pages(uint64_t pages, uint64_t bytes) noexcept;
  std::byte* map_pages(uint64_t pages, uint64_t bytes, std::string& error) noexcept;
  // Another process's range. given_out: whether there is such a range. Null when it cannot be mapped. Any context.
  bool given_out(uint64_t pages, uint64_t bytes) const noexcept;
  std::byte* map_again(uint64_t pages, uint64_t bytes, int flags) noexcept;
  void unmap_pages(std::byte* address, uint64_t bytes) noexcept;
  void free_pages(uint64_t pages, uint64_t bytes) noexcept;

  bool inside(uint64_t offset, uint64_t bytes) const noexcept { return offset < total_ && bytes <= total_ - offset; }

 private:
  static constexpr uint64_t record_stride = 5 * 1024;
  static constexpr uint64_t arena_bytes = 64ull << 20;
  static_assert(sizeof(ProcessRecord) <= record_stride);

  void lay_out(int processes);
  bool obtain_file(launch::Bootstrap& bootstrap, const Origin& origin, std::string& error);
  bool map(const launch::Bootstrap& bootstrap, std::string& error);
  bool map_as_agreed(Header& header, const launch::Bootstrap& bootstrap) noexcept;
  bool map_with(int places) noexcept;
  bool reserve_beginning(int first, int count) noexcept;
  bool reserve(uint64_t offset, uint64_t bytes) noexcept;
  uint64_t pair_offset(int sender, int receiver) const noexcept {
    return pairs_ +
           (static_cast<uint64_t>(receiver) * static_cast<uint64_t>(processes_) + static_cast<uint64_t>(sender)) *
               pair_stride;
  }

  int fd_ = -1;
  int process_ = 0, processes_ = 1;
  std::byte* base_ = nullptr;
  uint64_t records_ = 0, connected_ = 0, arenas_ = 0, pairs_ = 0, total_ = 0;
  int connected_words_ = 1;
  std::mutex mutex_;  // the arena's
  uint64_t arena_used_ = 0, arena_reserved_ = 0;
  std::vector<std::vector<uint64_t>> arena_free_;  // by power of two
};

}  // namespace vif::net::shm
