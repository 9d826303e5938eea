// Accumulates and compare-and-swap, on mapped memory and across processes: under the lock of the part of the memory
// that an element lies in. Context: app.
#include <algorithm>
#include <cstring>

#include <sched.h>

#include "rma/runs.hpp"
#include "rma/window.hpp"

namespace vif::rma {
namespace {

constexpr uint64_t aside_bytes = 4096;
constexpr uint64_t chunk_bytes = 256 * 1024;

class Guard {
 public:
  explicit Guard(ElementLock<>& lock) noexcept : lock_(lock) {
    for (int tries = 0; !lock_.try_acquire(); ++tries) {
      // Held for a short run of elements; longer only where its holder has lost the CPU.
      if (tries < 200) {
        base::RealAtoms::pause();
      } else {
        sched_yield();
      }
    }
  }
  ~Guard() { lock_.release(); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  ElementLock<>& lock_;
};

}  // namespace

// Bytes of the elements that begin in the same part of the memory as the first.
uint64_t Window::within_part(const Run& run, uint32_t element) noexcept {
  const uint64_t part_end = (run.address / element_part + 1) * element_part;
  const uint64_t elements = (part_end - run.address + element - 1) / element;
  return std::min(run.bytes, elements * element);
}

void Window::apply_mapped(int rank, const Combine& combine, Run run) {
  std::byte* target = here(rank, run.address);
  TargetBlock& shared = block(rank);
  while (run.bytes != 0) {
    const uint64_t now = within_part(run, combine.element);
    {
      const Guard guard(shared.element_lock(run.address));
      apply(combine, target, run.origin, run.old, now);
    }
    target += now;
    run.address += now;
    run.bytes -= now;
    if (run.origin != nullptr) run.origin += now;
    if (run.old != nullptr) run.old += now;
  }
}

// Collects runs that lie under one lock, and does them with one read and one write.
class Window::Batch {
 public:
  Batch(Window& window, int rank, const Combine& combine) : window_(window), rank_(rank), combine_(combine) {}

  Outcome add(Run run) {
    while (run.bytes != 0) {
      ElementLock<>& lock = window_.block(rank_).element_lock(run.address);
      if (count_ == most_runs || bytes_ + combine_.element > sizeof aside_ || (count_ != 0 && &lock != lock_)) {
        if (const Outcome outcome = end(); outcome != Outcome::success) return outcome;
      }
      lock_ = &lock;
      const uint64_t room = (sizeof aside_ - bytes_) / combine_.element * combine_.element;
      const uint64_t now = std::min(within_part(run, combine_.element), room);
      runs_[count_] = {run.address, now, run.origin, run.old};
      there_[count_++] = {reinterpret_cast<void*>(run.address), now};
      bytes_ += now;
      run.address += now;
      run.bytes -= now;
      if (run.origin != nullptr) run.origin += now;
      if (run.old != nullptr) run.old += now;
    }
    return Outcome::success;
  }

  Outcome end() {
    if (count_ == 0) return Outcome::success;
    const int process = window_.peer(rank_).process;
    const bool reads = combine_.kind != Combine::Kind::replace || runs_[0].old != nullptr;
    iovec here{aside_, bytes_};
    const Guard guard(*lock_);
    int error = reads ? window_.memory_.read(process, &here, 1, there_, count_) : 0;
    std::byte* at = aside_;
    for (int i = 0; i < count_ && error == 0; ++i) {
      apply(combine_, at, runs_[i].origin, runs_[i].old, runs_[i].bytes);
      at += runs_[i].bytes;
    }
    if (error == 0 && combine_.kind != Combine::Kind::nothing) {
      error = window_.memory_.write(process, &here, 1, there_, count_);
    }
    count_ = 0;
    bytes_ = 0;
    return error == 0 ? Outcome::success : Outcome::failed;
  }

 private:
  static constexpr int most_runs = 64;

  Window& window_;
  const int rank_;
  const Combine& combine_;
  ElementLock<>* lock_ = nullptr;
  int count_ = 0;
  uint64_t bytes_ = 0;
  Run runs_[most_runs];
  iovec there_[most_runs];
  alignas(64) std::byte aside_[16 * 1024];
};

Outcome Window::accumulate_chunk(const Elements& target, int rank, const Combine& combine, uint64_t first,
                                 uint64_t count, const std::byte* origin, std::byte* old) {
  const bool mapped = here(rank, reinterpret_cast<uint64_t>(target.address)) != nullptr;
  // A process does its own accumulates as the others do theirs, or they would not exclude each other.
  if (way_ == Way::message) return message_chunk(target, rank, combine, first, count, origin, old);
  Outcome outcome = Outcome::success;
  auto each = [&](auto&& visitor) {
    each_run(target, first, count, [&](int64_t offset, uint64_t elements) {
      const uint64_t bytes = elements * combine.element;
      outcome =
          visitor(Run{reinterpret_cast<uint64_t>(target.address) + static_cast<uint64_t>(offset), bytes, origin, old});
      if (origin != nullptr) origin += bytes;
      if (old != nullptr) old += bytes;
      return outcome == Outcome::success;
    });
  };
  if (mapped) {
    each([&](const Run& run) {
      apply_mapped(rank, combine, run);
      return Outcome::success;
    });
    return outcome;
  }
  Batch batch(*this, rank, combine);
  each([&](const Run& run) { return batch.add(run); });
  return outcome == Outcome::success ? batch.end() : outcome;
}

Outcome Window::accumulate(const Elements& origin, const Elements* old, int rank, const Elements& target,
                           const Combine& combine) {
  const bool uses_origin = combine.kind != Combine::Kind::nothing;
  uint64_t count = target.count();
  if (uses_origin) count = std::min(count, origin.count());
  if (old != nullptr) count = std::min(count, old->count());
  if (count == 0) return Outcome::success;
  const Outcome checked = check(rank, reinterpret_cast<uint64_t>(target.address), target.view);
  if (checked != Outcome::success) return checked;

  const bool origin_aside = uses_origin && !origin.contiguous();
  const bool old_aside = old != nullptr && !old->contiguous();
  const uint64_t element = combine.element;
  const uint64_t most = std::max<uint64_t>(1, (origin_aside || old_aside ? aside_bytes : chunk_bytes) / element);
  alignas(64) std::byte origin_bytes[aside_bytes], old_bytes[aside_bytes];
  for (uint64_t first = 0; first < count; first += most) {
    const uint64_t now = std::min(most, count - first);
    const std::byte* from = nullptr;
    if (uses_origin && !origin_aside) from = origin.address + origin.view.offset() + first * element;
    if (origin_aside) {
      take_elements(origin, first, now, origin_bytes);
      from = origin_bytes;
    }
    std::byte* to = nullptr;
    if (old != nullptr) to = old_aside ? old_bytes : old->address + old->view.offset() + first * element;
    const Outcome outcome = accumulate_chunk(target, rank, combine, first, now, from, to);
    if (outcome != Outcome::success) return outcome;
    if (old_aside) put_elements(*old, first, now, old_bytes);
  }
  return Outcome::success;
}

Outcome Window::compare_and_swap(const std::byte* value, const std::byte* compare, std::byte* old, uint32_t bytes,
                                 int rank, uint64_t address) {
  const Outcome checked = check_range(rank, address, address + bytes);
  if (checked != Outcome::success) return checked;
  if (way_ == Way::message) return message_swap(value, compare, old, bytes, rank, address);
  std::byte* target = here(rank, address);
  if (target == nullptr) return cross_swap(value, compare, old, bytes, rank, address);
  std::byte before[16];
  {
    const Guard guard(block(rank).element_lock(address));
    std::memcpy(before, target, bytes);
    if (std::memcmp(before, compare, bytes) == 0) std::memcpy(target, value, bytes);
  }
  std::memcpy(old, before, bytes);
  return Outcome::success;
}

Outcome Window::cross_swap(const std::byte* value, const std::byte* compare, std::byte* old, uint32_t bytes, int rank,
                           uint64_t address) {
  const int process = peer(rank).process;
  std::byte before[16], after[16];
  std::memcpy(after, value, bytes);
  const iovec there{reinterpret_cast<void*>(address), bytes};
  iovec here{before, bytes};
  {
    const Guard guard(block(rank).element_lock(address));
    if (memory_.read(process, &here, 1, &there, 1) != 0) return Outcome::failed;
    here.iov_base = after;
    if (std::memcmp(before, compare, bytes) == 0 && memory_.write(process, &here, 1, &there, 1) != 0) {
      return Outcome::failed;
    }
  }
  std::memcpy(old, before, bytes);
  return Outcome::success;
}

}  // namespace vif::rma
