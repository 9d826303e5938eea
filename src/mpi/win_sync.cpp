// Epochs of windows by locks, flushes and fences. Context: app.
#include <string>

#include "api.hpp"
#include "mpi/errors.hpp"
#include "mpi/win.hpp"

namespace vif::mpi {
namespace {

int refuse_rank(Win& win, int rank) {
  return raise_on(win, MPI_ERR_RANK,
                  "the target " + std::to_string(rank) + " is not a rank of " + describe(win) +
                      ", whose ranks are 0 to " + std::to_string(win.comm->size - 1) + ".");
}

int refuse_order(Win& win, const char* sentence) { return raise_on(win, MPI_ERR_RMA_SYNC, sentence); }

bool is_rank(const Win& win, int rank) { return rank >= 0 && rank < win.comm->size; }

// A fence opens an epoch that counts only if something was done in it.
bool in_used_fence(const Win& win) { return win.fence_open && win.fence_used.load(std::memory_order_relaxed); }

int refuse_assertion(Win& win) {
  return raise_on(win, MPI_ERR_ASSERT, "the assertion has bits that do not belong to this call; 0 is always right.");
}

// Now and then a flush looks for what others want, too: a program may wait for something by a loop over them.
constexpr uint32_t look_every = 8;

int flush(MPI_Win handle, int rank, bool all, bool local) {
  Win* win = win_of(handle);
  if (win == nullptr) return raise_no_win();
  if (!all && rank == MPI_PROC_NULL) return MPI_SUCCESS;
  if (!all && !is_rank(*win, rank)) return refuse_rank(*win, rank);
  const bool locked = win->all_locked || (all ? win->locks.load(std::memory_order_relaxed) != 0
                                              : win->access[static_cast<std::size_t>(rank)] != Access::none);
  if (!locked) return refuse_order(*win, "no lock is held that a flush could belong to; call MPI_Win_lock before.");
  net::ApiScope scope(engine());
  if (win->flushes.fetch_add(1, std::memory_order_relaxed) % look_every == 0) engine().progress();
  // What was given to an operation may be used again when that returned: nothing is left to do locally.
  if (local) return MPI_SUCCESS;
  return raise_outcome_on(*win, all ? win->core->flush_all() : win->core->flush(rank));
}

}  // namespace

namespace api {

int Win_fence(int assertion, MPI_Win handle) {
  Win* win = win_of(handle);
  if (win == nullptr) return raise_no_win();
  if ((assertion & ~(MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED)) != 0) {
    return refuse_assertion(*win);
  }
  if (win->all_locked || win->locks.load(std::memory_order_relaxed) != 0 || win->admission.open) {
    return refuse_order(*win,
                        "an epoch that is not one of fences is open; end it (unlock, complete) before the fence.");
  }
  net::ApiScope scope(engine());
  const rma::Outcome flushed = win->core->flush_all();
  const net::Outcome met = coll::barrier(win->comm->collectives);
  base::RealAtoms::fence();
  win->fence_open = (assertion & MPI_MODE_NOSUCCEED) == 0;
  win->fence_used.store(false, std::memory_order_relaxed);
  if (met != net::Outcome::success) return raise_outcome_on(*win, rma::Outcome::failed);
  return raise_outcome_on(*win, flushed);
}

int Win_lock(int lock_type, int rank, int assertion, MPI_Win handle) {
  Win* win = win_of(handle);
  if (win == nullptr) return raise_no_win();
  if (lock_type != MPI_LOCK_EXCLUSIVE && lock_type != MPI_LOCK_SHARED) {
    return raise_on(*win, MPI_ERR_LOCKTYPE, "the type of lock is neither MPI_LOCK_EXCLUSIVE nor MPI_LOCK_SHARED.");
  }
  if ((assertion & ~MPI_MODE_NOCHECK) != 0) return refuse_assertion(*win);
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  if (!is_rank(*win, rank)) return refuse_rank(*win, rank);
  Access& access = win->access[static_cast<std::size_t>(rank)];
  if (access != Access::none || win->all_locked || win->admission.open || in_used_fence(*win)) {
    return refuse_order(*win, "the target is locked already, or an epoch of another kind is open; end it first.");
  }
  const bool exclusive = lock_type == MPI_LOCK_EXCLUSIVE;
  if ((assertion & MPI_MODE_NOCHECK) != 0) {
    access = Access::unchecked;
  } else {
    net::ApiScope scope(engine());
    win->core->lock(rank, exclusive);
    access = exclusive ? Access::exclusive : Access::shared;
  }
  win->locks.fetch_add(1, std::memory_order_relaxed);
  return MPI_SUCCESS;
}

int Win_unlock(int rank, MPI_Win handle) {
  Win* win = win_of(handle);
  if (win == nullptr) return raise_no_win();
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  if (!is_rank(*win, rank)) return refuse_rank(*win, rank);
  Access& access = win->access[static_cast<std::size_t>(rank)];
  if (access == Access::none || access == Access::started) {
    return refuse_order(*win, "the target is not locked by MPI_Win_lock; lock it first.");
  }
  net::ApiScope scope(engine());
  const rma::Outcome flushed = win->core->flush(rank);
  if (access != Access::unchecked) win->core->unlock(rank);
  access = Access::none;
  win->locks.fetch_sub(1, std::memory_order_relaxed);
  return raise_outcome_on(*win, flushed);
}

int Win_lock_all(int assertion, MPI_Win handle) {
  Win* win = win_of(handle);
  if (win == nullptr) return raise_no_win();
  if ((assertion & ~MPI_MODE_NOCHECK) != 0) return refuse_assertion(*win);
  if (win->all_locked || win->locks.load(std::memory_order_relaxed) != 0 || win->admission.open ||
      in_used_fence(*win)) {
    return refuse_order(*win, "targets are locked already, or an epoch of another kind is open; end it first.");
  }
  win->all_checked = (assertion & MPI_MODE_NOCHECK) == 0;
  if (win->all_checked) {
    net::ApiScope scope(engine());
    for (int rank = 0; rank < win->comm->size; ++rank) win->core->lock(rank, false);
  }
  win->all_locked = true;
  return MPI_SUCCESS;
}

int Win_unlock_all(MPI_Win handle) {
  Win* win = win_of(handle);
  if (win == nullptr) return raise_no_win();
  if (!win->all_locked) return refuse_order(*win, "the targets are not locked by MPI_Win_lock_all; lock them first.");
  net::ApiScope scope(engine());
  const rma::Outcome flushed = win->core->flush_all();
  for (int rank = 0; win->all_checked && rank < win->comm->size; ++rank) win->core->unlock(rank);
  win->all_locked = false;
  return raise_outcome_on(*win, flushed);
}

int Win_flush(int rank, MPI_Win win) { return flush(win, rank, false, false); }
int Win_flush_all(MPI_Win win) { return flush(win, 0, true, false); }
int Win_flush_local(int rank, MPI_Win win) { return flush(win, rank, false, true); }
int Win_flush_local_all(MPI_Win win) { return flush(win, 0, true, true); }

int Win_sync(MPI_Win handle) {
  Win* win = win_of(handle);
  if (win == nullptr) return raise_no_win();
  net::ApiScope scope(engine());
  engine().progress();
  base::RealAtoms::fence();
  return MPI_SUCCESS;
}

}  // namespace api
}  // namespace vif::mpi
