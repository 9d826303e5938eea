// MPI_Put and MPI_Get, and what all accesses check. Context: app.
#include "mpi/win_access.hpp"

#include <string>

#include "mpi/errors.hpp"
#include "mpi/request.hpp"

namespace vif::mpi {
namespace {

// Whether an epoch is open in which the target may be accessed.
bool may_access(Win& win, int rank) {
  if (win.all_locked || win.access[static_cast<std::size_t>(rank)] != Access::none) return true;
  if (!win.fence_open) return false;
  win.fence_used.store(true, std::memory_order_relaxed);
  return true;
}

[[gnu::cold]] int refuse_target(const Target& target) {
  Win& win = *target.win;
  if (target.rank < 0 || target.rank >= win.comm->size) {
    return raise_on(win, MPI_ERR_RANK,
                    "the target " + std::to_string(target.rank) + " is not a rank of " + describe(win) +
                        ", whose ranks are 0 to " + std::to_string(win.comm->size - 1) + ".");
  }
  if (target.displacement < 0 && win.flavor != MPI_WIN_FLAVOR_DYNAMIC) {
    return raise_on(win, MPI_ERR_DISP, "the displacement at the target is negative; give zero or more.");
  }
  return raise_on(
      win, MPI_ERR_RMA_SYNC,
      "no access epoch is open for the target; begin one with MPI_Win_fence, MPI_Win_start or MPI_Win_lock.");
}

[[gnu::cold]] int refuse_buffer(Win& win, const Buffer& buffer) {
  if (buffer.count < 0) return raise_on(win, MPI_ERR_COUNT, "a count is negative; give zero or more.");
  if (buffer.type == nullptr) {
    return raise_on(win, MPI_ERR_TYPE, "a datatype is MPI_DATATYPE_NULL, has been freed, or never was one");
  }
  if (!buffer.type->committed) {
    return raise_on(win, MPI_ERR_TYPE, "a datatype is not committed; call MPI_Type_commit before using it");
  }
  int64_t bytes;
  if (__builtin_mul_overflow(buffer.count, buffer.type->size, &bytes)) {
    return raise_on(win, MPI_ERR_COUNT,
                    std::to_string(buffer.count) + " elements are more bytes than 63 bits can count");
  }
  return raise_on(win, MPI_ERR_BUFFER, "the buffer at the origin is a null pointer although it is not empty");
}

enum class Direction : uint8_t { put, get };

int move(Direction direction, Buffer origin, Buffer remote, Target target, const Receipt& receipt) {
  if (int error = look_up_target(target, receipt)) return error;
  Win& win = *target.win;
  if (int error = look_up_buffer(win, origin, false)) return error;
  if (int error = look_up_buffer(win, remote, true)) return error;
  if (target.rank != MPI_PROC_NULL) {
    const int64_t here = origin.count * origin.type->size, there = remote.count * remote.type->size;
    if (direction == Direction::put ? here > there : there > here) {
      return raise_on(win, MPI_ERR_TRUNCATE,
                      "what is to be moved is larger than where it goes; give both the same size.");
    }
    const WinScope scope(win);
    const rma::Place place{target.rank, address_of(target), view_of(*remote.type, remote.count)};
    const data::View view = view_of(*origin.type, origin.count);
    auto* address = static_cast<std::byte*>(origin.address);
    const rma::Outcome outcome =
        direction == Direction::put ? win.core->put(view, address, place) : win.core->get(view, address, place);
    if (outcome != rma::Outcome::success) return raise_outcome_on(win, outcome);
  }
  return give_receipt(win, receipt);
}

}  // namespace

int look_up_target(Target& target, const Receipt& receipt) {
  target.win = win_of(target.handle);
  if (target.win == nullptr) return raise_no_win();
  if (receipt.wanted && receipt.request == nullptr) {
    return raise_on(*target.win, MPI_ERR_ARG, "the argument request is a null pointer; give an address.");
  }
  if (target.rank == MPI_PROC_NULL) return MPI_SUCCESS;
  Win& win = *target.win;
  const bool good = target.rank >= 0 && target.rank < win.comm->size &&
                    (target.displacement >= 0 || win.flavor == MPI_WIN_FLAVOR_DYNAMIC) && may_access(win, target.rank);
  return good ? MPI_SUCCESS : refuse_target(target);
}

int look_up_buffer(Win& win, Buffer& buffer, bool at_target) {
  buffer.type = datatype_of(buffer.handle);
  int64_t bytes;
  const bool good = buffer.type != nullptr && buffer.count >= 0 && buffer.type->committed &&
                    !__builtin_mul_overflow(buffer.count, buffer.type->size, &bytes) &&
                    (at_target || buffer.address != nullptr || bytes == 0 || !buffer.type->contiguous);
  return good ? MPI_SUCCESS : refuse_buffer(win, buffer);
}

int give_receipt(Win& win, const Receipt& receipt) {
  if (!receipt.wanted) return MPI_SUCCESS;
  RequestObject* object = take_request(RequestKind::empty, *win.comm);
  if (object == nullptr) return raise_on(win, MPI_ERR_NO_MEM, "there is no memory for a request");
  object->active = true;
  *receipt.request = handle_of(object);
  return MPI_SUCCESS;
}

int put(const Buffer& origin, const Buffer& remote, const Target& target, const Receipt& receipt) {
  return move(Direction::put, origin, remote, target, receipt);
}

int get(const Buffer& origin, const Buffer& remote, const Target& target, const Receipt& receipt) {
  return move(Direction::get, origin, remote, target, receipt);
}

}  // namespace vif::mpi
