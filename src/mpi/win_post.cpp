// Epochs of windows by post, start, complete and wait: an empty message from each target to each of its origins says
// that it is ready, one back that the origin is done. Context: app.
#include <algorithm>

#include "api.hpp"
#include "mpi/errors.hpp"
#include "mpi/group.hpp"
#include "mpi/point_to_point.hpp"
#include "mpi/win.hpp"

namespace vif::mpi {
namespace {

constexpr int tag_ready = 0;
constexpr int tag_done = 1;

// The ranks in the window of the members of a group; false when one is not in it.
bool ranks_of(const Win& win, const Group& group, std::vector<int>& ranks) {
  for (const int process : group.processes) {
    const auto place = std::find(win.comm->members.begin(), win.comm->members.end(), process);
    if (place == win.comm->members.end()) return false;
    ranks.push_back(static_cast<int>(place - win.comm->members.begin()));
  }
  return true;
}

void send_empty(const Win& win, net::Request& request, int rank, int tag) {
  request.context = win.comm->context;
  request.process = win.comm->processes[rank];
  request.source = win.comm->rank;
  request.tag = tag;
  request.mode = net::SendMode::standard;
  request.buffer = &no_bytes;
  request.length = 0;
  request.on_complete = nullptr;
  engine().send(request);
}

void receive_empty(const Win& win, net::Request& request, int rank, int tag) {
  request.context = win.comm->context;
  request.process = win.comm->processes[rank];
  request.source = rank;
  request.tag = tag;
  request.buffer = &no_bytes;
  request.length = 0;
  request.on_complete = nullptr;
  engine().receive(request);
}

std::unique_ptr<net::Request[]> new_requests(const Handshake& handshake) {
  return std::make_unique<net::Request[]>(handshake.ranks.size());
}

bool all_complete(const Handshake& handshake) noexcept {
  for (std::size_t i = 0; i < handshake.ranks.size(); ++i) {
    if (handshake.sends != nullptr && !handshake.sends[i].complete()) return false;
    if (handshake.receives != nullptr && !handshake.receives[i].complete()) return false;
  }
  return true;
}

void wait_all(Handshake& handshake) {
  engine().wait_until([](void* h) { return all_complete(*static_cast<Handshake*>(h)); }, &handshake);
}

// A peer that died is an error, and not the end of the epoch.
rma::Outcome end(Handshake& handshake) {
  bool good = true;
  for (std::size_t i = 0; i < handshake.ranks.size(); ++i) {
    if (handshake.sends != nullptr) good = good && handshake.sends[i].status.outcome == net::Outcome::success;
    if (handshake.receives != nullptr) good = good && handshake.receives[i].status.outcome == net::Outcome::success;
  }
  handshake.ranks.clear();
  handshake.sends.reset();
  handshake.receives.reset();
  handshake.open = false;
  return good ? rma::Outcome::success : rma::Outcome::failed;
}

int check(Win& win, MPI_Group handle, int assertion, int allowed, std::vector<int>& ranks) {
  const Group* group = group_of(handle);
  if (group == nullptr) {
    return raise_on(win, MPI_ERR_GROUP, "the group is MPI_GROUP_NULL, has been freed, or never was one");
  }
  if ((assertion & ~allowed) != 0) {
    return raise_on(win, MPI_ERR_ASSERT, "the assertion has bits that do not belong to this call; 0 is always right.");
  }
  if (ranks_of(win, *group, ranks)) return MPI_SUCCESS;
  return raise_on(win, MPI_ERR_GROUP, "a member of the group is not a process of the window.");
}

}  // namespace

namespace api {

int Win_post(MPI_Group group, int assertion, MPI_Win handle) {
  Win* win = win_of(handle);
  if (win == nullptr) return raise_no_win();
  Handshake& exposure = win->exposure;
  if (exposure.open) {
    return raise_on(*win, MPI_ERR_RMA_SYNC, "the window is posted already; end that with MPI_Win_wait first.");
  }
  std::vector<int> ranks;
  const int allowed = MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT;
  if (int error = check(*win, group, assertion, allowed, ranks)) return error;
  net::ApiScope scope(engine());
  base::RealAtoms::fence();  // what the program stored is there before anybody comes
  exposure.open = true;
  exposure.ranks = std::move(ranks);
  exposure.receives = new_requests(exposure);
  for (std::size_t i = 0; i < exposure.ranks.size(); ++i) {
    receive_empty(*win, exposure.receives[i], exposure.ranks[i], tag_done);
  }
  if ((assertion & MPI_MODE_NOCHECK) != 0) return MPI_SUCCESS;
  exposure.sends = new_requests(exposure);
  for (std::size_t i = 0; i < exposure.ranks.size(); ++i) {
    send_empty(*win, exposure.sends[i], exposure.ranks[i], tag_ready);
  }
  return MPI_SUCCESS;
}

int Win_start(MPI_Group group, int assertion, MPI_Win handle) {
  Win* win = win_of(handle);
  if (win == nullptr) return raise_no_win();
  Handshake& admission = win->admission;
  const bool in_fence = win->fence_open && win->fence_used.load(std::memory_order_relaxed);
  if (admission.open || win->all_locked || win->locks.load(std::memory_order_relaxed) != 0 || in_fence) {
    return raise_on(*win, MPI_ERR_RMA_SYNC, "an access epoch is open already; end it (complete, unlock, fence) first.");
  }
  std::vector<int> ranks;
  if (int error = check(*win, group, assertion, MPI_MODE_NOCHECK, ranks)) return error;
  net::ApiScope scope(engine());
  admission.open = true;
  admission.ranks = std::move(ranks);
  if ((assertion & MPI_MODE_NOCHECK) == 0) {
    admission.receives = new_requests(admission);
    for (std::size_t i = 0; i < admission.ranks.size(); ++i) {
      receive_empty(*win, admission.receives[i], admission.ranks[i], tag_ready);
    }
    wait_all(admission);
  }
  for (const int rank : admission.ranks) win->access[static_cast<std::size_t>(rank)] = Access::started;
  return MPI_SUCCESS;
}

int Win_complete(MPI_Win handle) {
  Win* win = win_of(handle);
  if (win == nullptr) return raise_no_win();
  Handshake& admission = win->admission;
  if (!admission.open) {
    return raise_on(*win, MPI_ERR_RMA_SYNC, "no epoch is open that MPI_Win_start began; start one first.");
  }
  net::ApiScope scope(engine());
  const rma::Outcome flushed = win->core->flush_all();
  admission.sends = new_requests(admission);
  for (std::size_t i = 0; i < admission.ranks.size(); ++i) {
    send_empty(*win, admission.sends[i], admission.ranks[i], tag_done);
    win->access[static_cast<std::size_t>(admission.ranks[i])] = Access::none;
  }
  wait_all(admission);
  const rma::Outcome ended = end(admission);
  return raise_outcome_on(*win, flushed == rma::Outcome::success ? ended : flushed);
}

int Win_wait(MPI_Win handle) {
  Win* win = win_of(handle);
  if (win == nullptr) return raise_no_win();
  if (!win->exposure.open) {
    return raise_on(*win, MPI_ERR_RMA_SYNC, "the window is not posted; call MPI_Win_post first.");
  }
  net::ApiScope scope(engine());
  wait_all(win->exposure);
  return raise_outcome_on(*win, end(win->exposure));
}

int Win_test(MPI_Win handle, int* flag) {
  Win* win = win_of(handle);
  if (win == nullptr) return raise_no_win();
  if (flag == nullptr) return raise_on(*win, MPI_ERR_ARG, "the argument flag is a null pointer; give an address.");
  if (!win->exposure.open) {
    return raise_on(*win, MPI_ERR_RMA_SYNC, "the window is not posted; call MPI_Win_post first.");
  }
  net::ApiScope scope(engine());
  engine().progress();
  *flag = all_complete(win->exposure) ? 1 : 0;
  return *flag == 0 ? MPI_SUCCESS : raise_outcome_on(*win, end(win->exposure));
}

}  // namespace api
}  // namespace vif::mpi
