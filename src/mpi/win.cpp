// Errors on windows; names, group, hints; what the program asks about the memory. Context: app.
#include "mpi/win.hpp"

#include <cstring>

#include "api.hpp"
#include "mpi/errors.hpp"
#include "mpi/group.hpp"
#include "mpi/info.hpp"
#include "mpi/win_hints.hpp"

namespace vif::mpi {
namespace {

struct Hint {
  const char* key;
  const char* value;
};
const Hint known[] = {
    {"no_locks", "false"},
    {"accumulate_ordering", "rar,raw,war,waw"},
    {"accumulate_ops", "same_op_no_op"},
    {"mpi_accumulate_granularity", "0"},
    {"same_size", "false"},
    {"same_disp_unit", "false"},
    {"alloc_shared_noncontig", "false"},
};

}  // namespace

Info* hints_of(int flavor, Info* wished) {
  Info* hints = copy_of(nullptr);
  for (const Hint& hint : known) {
    if (std::strcmp(hint.key, "alloc_shared_noncontig") == 0 && flavor != MPI_WIN_FLAVOR_SHARED) continue;
    const std::string value = wished == nullptr ? "" : value_of(*wished, hint.key);
    set_value(*hints, hint.key, value.empty() ? hint.value : value);
  }
  return hints;
}

int raise_no_win() {
  return raise(nullptr, MPI_ERR_WIN, "the window is MPI_WIN_NULL, has been freed, or never was one");
}

int raise_outcome_on(Win& win, rma::Outcome outcome) {
  switch (outcome) {
    case rma::Outcome::success:
      return MPI_SUCCESS;
    case rma::Outcome::out_of_range:
      return raise_on(win, MPI_ERR_RMA_RANGE,
                      "what is accessed does not lie within the memory that the target gave to the window; check "
                      "displacement, count and the target's displacement unit.");
    case rma::Outcome::not_attached:
      return raise_on(
          win, MPI_ERR_RMA_RANGE,
          "what is accessed is not attached to the window at the target; it must call MPI_Win_attach first.");
    case rma::Outcome::no_memory:
      return raise_on(win, MPI_ERR_NO_MEM, "there is no shared memory left for the operation; free other windows.");
    case rma::Outcome::failed:
      break;
  }
  return raise_on(win, MPI_ERR_OTHER,
                  "the memory of the target could not be read or written: it has ended, or its memory was unmapped.");
}

std::string describe(Win& win) {
  const std::lock_guard guard(win.lock);
  return win.name.empty() ? "a window without a name" : win.name;
}

namespace api {

int Win_set_name(MPI_Win handle, const char* name) {
  Win* win = win_of(handle);
  if (win == nullptr) return raise_no_win();
  if (name == nullptr) return raise_on(*win, MPI_ERR_ARG, "the name is a null pointer; give an address.");
  const std::lock_guard guard(win->lock);
  win->name.assign(name, strnlen(name, MPI_MAX_OBJECT_NAME - 1));
  return MPI_SUCCESS;
}

int Win_get_name(MPI_Win handle, char* name, int* length) {
  if (name == nullptr || length == nullptr) return raise_null_argument(nullptr, "win_name or resultlen");
  Win* win = win_of(handle);
  std::string text = "MPI_WIN_NULL";
  if (win != nullptr) {
    const std::lock_guard guard(win->lock);
    text = win->name;
  } else if (handle != MPI_WIN_NULL) {
    return raise_no_win();
  }
  std::memcpy(name, text.c_str(), text.size() + 1);
  *length = static_cast<int>(text.size());
  return MPI_SUCCESS;
}

int Win_get_group(MPI_Win handle, MPI_Group* group) {
  Win* win = win_of(handle);
  if (win == nullptr) return raise_no_win();
  if (group == nullptr) return raise_on(*win, MPI_ERR_ARG, "the argument group is a null pointer; give an address.");
  *group = make_group(win->comm->members);
  return MPI_SUCCESS;
}

int Win_set_info(MPI_Win handle, MPI_Info info) {
  Win* win = win_of(handle);
  if (win == nullptr) return raise_no_win();
  Info* given = info_of(info);
  if (given == nullptr && info != MPI_INFO_NULL) {
    return raise_on(*win, MPI_ERR_INFO, "the info object has been freed, or never was one");
  }
  if (given == nullptr) return MPI_SUCCESS;
  for (const Hint& hint : known) {
    // Where the parts lie was decided when the window was made.
    if (std::strcmp(hint.key, "alloc_shared_noncontig") == 0) continue;
    if (const std::string value = value_of(*given, hint.key); !value.empty()) set_value(*win->info, hint.key, value);
  }
  return MPI_SUCCESS;
}

int Win_get_info(MPI_Win handle, MPI_Info* info) {
  Win* win = win_of(handle);
  if (win == nullptr) return raise_no_win();
  if (info == nullptr) return raise_on(*win, MPI_ERR_ARG, "the argument info_used is a null pointer; give an address.");
  *info = handle_of(copy_of(win->info));
  return MPI_SUCCESS;
}

int Win_attach(MPI_Win handle, void* base, MPI_Aint size) {
  Win* win = win_of(handle);
  if (win == nullptr) return raise_no_win();
  if (win->flavor != MPI_WIN_FLAVOR_DYNAMIC) {
    return raise_on(*win, MPI_ERR_RMA_FLAVOR, "memory is attached only to windows made by MPI_Win_create_dynamic.");
  }
  if (size < 0) return raise_on(*win, MPI_ERR_SIZE, "the size is negative; give zero or more.");
  const rma::Outcome outcome = win->core->attach(reinterpret_cast<uint64_t>(base), static_cast<uint64_t>(size));
  if (outcome != rma::Outcome::not_attached) return raise_outcome_on(*win, outcome);
  return raise_on(*win, MPI_ERR_RMA_ATTACH, "a part of the memory is attached to the window already; detach it first.");
}

int Win_detach(MPI_Win handle, const void* base) {
  Win* win = win_of(handle);
  if (win == nullptr) return raise_no_win();
  if (win->flavor != MPI_WIN_FLAVOR_DYNAMIC) {
    return raise_on(*win, MPI_ERR_RMA_FLAVOR, "memory is detached only from windows made by MPI_Win_create_dynamic.");
  }
  if (win->core->detach(reinterpret_cast<uint64_t>(base))) return MPI_SUCCESS;
  return raise_on(*win, MPI_ERR_RMA_ATTACH, "no memory that begins there is attached to the window.");
}

}  // namespace api

namespace {

template <class Unit>
int query(MPI_Win handle, int rank, MPI_Aint* size, Unit* unit, void* base) {
  Win* win = win_of(handle);
  if (win == nullptr) return raise_no_win();
  if (size == nullptr || unit == nullptr || base == nullptr) {
    return raise_on(*win, MPI_ERR_ARG, "a result of the query is a null pointer; give addresses.");
  }
  if (win->flavor == MPI_WIN_FLAVOR_DYNAMIC) {
    return raise_on(*win, MPI_ERR_RMA_FLAVOR, "a dynamic window has no memory to ask for.");
  }
  *size = 0;
  *unit = 1;
  *static_cast<void**>(base) = nullptr;
  if (rank == MPI_PROC_NULL) {
    // The first process that gave any memory.
    rank = 0;
    while (rank < win->comm->size && win->core->peer(rank).bytes == 0) ++rank;
    if (rank == win->comm->size) return MPI_SUCCESS;
  }
  if (rank < 0 || rank >= win->comm->size) {
    return raise_on(*win, MPI_ERR_RANK,
                    "the rank is " + std::to_string(rank) + "; the window has " + std::to_string(win->comm->size) +
                        " processes, and MPI_PROC_NULL asks for the first that gave memory.");
  }
  const rma::Peer& peer = win->core->peer(rank);
  const bool mine = rank == win->comm->rank;
  if (peer.mapped == nullptr && !mine) return MPI_SUCCESS;  // not shared: nothing to give
  *size = static_cast<MPI_Aint>(peer.bytes);
  *unit = static_cast<Unit>(win->units[static_cast<std::size_t>(rank)]);
  *static_cast<void**>(base) = mine ? win->base : peer.mapped;
  return MPI_SUCCESS;
}

}  // namespace

namespace api {

int Win_shared_query(MPI_Win win, int rank, MPI_Aint* size, int* disp_unit, void* baseptr) {
  return query(win, rank, size, disp_unit, baseptr);
}
int Win_shared_query_c(MPI_Win win, int rank, MPI_Aint* size, MPI_Aint* disp_unit, void* baseptr) {
  return query(win, rank, size, disp_unit, baseptr);
}

}  // namespace api
}  // namespace vif::mpi
