// The range of addresses, and the stack of free blocks. Context: core and app.
#include "memory/heap.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "memory/poison.hpp"

namespace vif::memory {
namespace {

constexpr std::size_t largest_range = std::size_t{64} << 30;
constexpr std::size_t smallest_range = std::size_t{16} << 20;
constexpr uint32_t step_blocks = 128;     // made usable at once: 1 MiB
constexpr uint32_t warm_blocks = 1024;    // free blocks that keep their memory: 8 MiB
constexpr uint32_t cooled_at_once = 256;  // beyond that, so many go back to the system together

void* reserve(std::size_t bytes, int protection) noexcept {
  void* start = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return start == MAP_FAILED ? nullptr : start;
}

}  // namespace

Heap& Heap::instance() noexcept {
  // Never destroyed: threads free objects until the very end of the process.
  alignas(Heap) static unsigned char room[sizeof(Heap)];
  static Heap* heap = [] {
    Heap* made = new (room) Heap;
    // A child process must not find the lock held by a thread that it does not have.
    pthread_atfork([] { instance().lock_.lock(); }, [] { instance().lock_.unlock(); },
                   [] { instance().lock_.unlock(); });
    return made;
  }();
  return *heap;
}

Heap::Heap() noexcept {
  // A limit on addresses (ulimit -v) may allow less.
  for (std::size_t bytes = largest_range; bytes >= smallest_range; bytes /= 2) {
    void* start = reserve(bytes + block_bytes, PROT_NONE);
    if (start == nullptr) continue;
    const auto blocks = static_cast<uint32_t>(bytes / block_bytes);
    free_ = static_cast<uint32_t*>(reserve(blocks * sizeof(uint32_t), PROT_READ | PROT_WRITE));
    if (free_ == nullptr) {
      munmap(start, bytes + block_bytes);
      continue;
    }
    limit_ = blocks;
    const uintptr_t first = (reinterpret_cast<uintptr_t>(start) + block_bytes - 1) & ~(uintptr_t{block_bytes} - 1);
    range_begin.store(first, std::memory_order_relaxed);
    range_bytes.store(bytes, std::memory_order_release);
    return;
  }
}

Block* Heap::block_at(uint32_t index) const noexcept {
  return reinterpret_cast<Block*>(range_begin.load(std::memory_order_relaxed) + std::size_t{index} * block_bytes);
}

bool Heap::extend() noexcept {
  const uint32_t count = std::min(step_blocks, limit_ - usable_);
  if (count == 0) return false;
  const std::size_t bytes = std::size_t{count} * block_bytes;
  if (mprotect(block_at(usable_), bytes, PROT_READ | PROT_WRITE) != 0) return false;
  may_hold_pointers(block_at(usable_), bytes);
  // The lowest number comes out first. Fresh ones lie below: they have no memory yet either.
  for (uint32_t i = 0; i < count; ++i) free_[free_count_ + i] = usable_ + count - 1 - i;
  free_count_ += count;
  cold_ = free_count_;
  usable_ += count;
  return true;
}

unsigned Heap::take(Block** blocks, unsigned wanted) noexcept {
  const std::lock_guard hold(lock_);
  if (free_count_ == 0 && !extend()) return 0;
  const unsigned count = std::min(wanted, free_count_);
  for (unsigned i = 0; i < count; ++i) blocks[i] = block_at(free_[--free_count_]);
  cold_ = std::min(cold_, free_count_);
  return count;
}

void Heap::give(Block** blocks, unsigned count) noexcept {
  const std::lock_guard hold(lock_);
  for (unsigned i = 0; i < count; ++i) {
    free_[free_count_++] = static_cast<uint32_t>(
        (reinterpret_cast<uintptr_t>(blocks[i]) - range_begin.load(std::memory_order_relaxed)) / block_bytes);
  }
  if (free_count_ - cold_ > warm_blocks + cooled_at_once) cool();
}

// The blocks that have lain free longest give their memory back. They read as zero when they are touched again.
void Heap::cool() noexcept {
  const uint32_t end = free_count_ - warm_blocks;
  std::sort(free_ + cold_, free_ + end);
  while (cold_ < end) {
    uint32_t next = cold_ + 1;
    while (next < end && free_[next] == free_[next - 1] + 1) ++next;
    Block* first = block_at(free_[cold_]);
    const std::size_t bytes = std::size_t{next - cold_} * block_bytes;
    allow_use(first, bytes);
    madvise(first, bytes, MADV_DONTNEED);
    cold_ = next;
  }
}

Heap::Figures Heap::figures() noexcept {
  const std::lock_guard hold(lock_);
  return {range_bytes.load(std::memory_order_relaxed), std::size_t{usable_} * block_bytes,
          std::size_t{usable_ - free_count_} * block_bytes, std::size_t{cold_} * block_bytes};
}

}  // namespace vif::memory
