// Progress threads: who moves collectives of mode `thread` while the program computes (engine.hpp, Progress).
//
// The progress thread is the helper thread, on a CPU that VIF_PROGRESS_PLACE chooses. While an operation is entrusted
// to it, the application leaves the library in the posture `away`: whoever has something for this process wakes the
// helper instead of interrupting the program. A helper with nothing to do sleeps on its word; none looks at anything
// but its own engine, so their number costs nothing. With a CPU of its own it looks for a while before it sleeps again,
// as a waiting rank does. An application that comes to wait takes over: it runs the same engine, and the helper, whom
// nobody wakes then, stays asleep.
#include <sched.h>
#include <algorithm>
#include <new>

#include "base/clock.hpp"
#include "machine/places.hpp"
#include "machine/progress_seats.hpp"
#include "net/core.hpp"

namespace vif::net {

namespace {

constexpr int64_t look_ns = 100'000;  // several times what a sleep and a wake-up cost; the CPU is nobody else's

}  // namespace

// Context: app.
bool Core::entrust() noexcept {
  if (processes_ == 1) return false;
  start_helper();
  if (!helper_runs_.load(std::memory_order_relaxed)) return false;
  place_progress_thread();
  entrusted_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

// Context: app. The helper learns of it when the application leaves the library; who waits or tests before that takes
// it.
void Core::submit_to_thread(Task& task) noexcept { thread_inbox_.push(task); }

// Context: app. Once. Where the CPU cannot be had (the rank was bound elsewhere, the system forbids it) the thread
// stays on those of its rank.
void Core::place_progress_thread() noexcept {
  const std::lock_guard lock(helper_mutex_);
  if (progress_placed_) return;
  progress_placed_ = true;
  try {
    int index = 0, ranks = 0;
    for (int process = first_; process < first_ + together_; ++process) {
      if (channel(process).far) continue;
      if (process < process_) ++index;
      ++ranks;
    }
    const machine::Seats seats =
        machine::seat_ranks(ranks, machine::map_host(machine::job_cpus()), settings_.progress_place);
    const machine::Seat& seat = seats.list[static_cast<size_t>(index)];
    if (seat.progress < 0 || !machine::own_affinity().test(static_cast<size_t>(seat.task))) return;
    cpu_set_t there;
    CPU_ZERO(&there);
    CPU_SET(seat.progress, &there);
    if (pthread_setaffinity_np(helper_.native_handle(), sizeof there, &there) != 0) return;
    progress_alone_.store(seat.alone, std::memory_order_relaxed);
  } catch (const std::bad_alloc&) {
    // It stays where it is.
  }
}

// Context: helper. Looks until nothing has come for as long as that was worth while, the program is back in the
// library, or nothing is left. What comes after the last look finds the posture that on_helper() puts up again.
void Core::look_beside_program() noexcept {
  int64_t last = base::now_ns();
  for (uint32_t turns = 0;; ++turns) {
    const bool led = multiple_ && led_.load(std::memory_order_relaxed);
    if (!entrusted() || led || resting_.load(std::memory_order_relaxed) != bell::Posture::away ||
        stopping_.load(std::memory_order_relaxed)) {
      return;
    }
    bool moved = false;
    if (own(Owner::helper)) {
      const uint64_t completions = completions_;
      const uint64_t bytes = moved_;
      turn();
      moved = completions_ != completions || moved_ != bytes;
      disown();
    }
    const int64_t now = base::now_ns();
    if (moved) last = now;
    if (now - last > look_ns) return;
    base::RealAtoms::pause();
    if (turns % 64 == 63) sched_yield();
  }
}

}  // namespace vif::net
