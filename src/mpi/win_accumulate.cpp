// MPI_Accumulate, MPI_Get_accumulate, MPI_Fetch_and_op and MPI_Compare_and_swap. Context: app.
#include <string>

#include "api.hpp"
#include "mpi/errors.hpp"
#include "mpi/win_access.hpp"
#include "mpi/win_combine.hpp"

namespace vif::mpi {
namespace {

// One call. `result.address` may be null when nothing is fetched.
struct Accumulation {
  Buffer origin;
  Buffer result;
  Target target;
  Buffer remote;
  MPI_Op op;
  bool fetches;
  Receipt receipt;
};

int refuse_op(Win& win) {
  return raise_on(
      win, MPI_ERR_OP,
      "the operator is not one that may be used here: it must be predefined (MPI_NO_OP only where something "
      "is fetched), and fit the type of the elements.");
}

int refuse_types(Win& win) {
  return raise_on(
      win, MPI_ERR_TYPE,
      "the elements of a datatype are not all of one predefined type, the same on all sides, as accumulates "
      "need.");
}

// One predefined type, perhaps by two names.
bool same_elements(const Datatype& a, const Datatype& b) {
  if (a.element == nullptr || b.element == nullptr) return false;
  return a.element == b.element || (a.element->basic == b.element->basic && a.element->size == b.element->size &&
                                    a.element->basic != Basic::none);
}

int look_up(Accumulation& call, Op*& op) {
  const int error_of_target = look_up_target(call.target, call.receipt);
  if (error_of_target != MPI_SUCCESS || call.target.win == nullptr) return error_of_target;
  Win& win = *call.target.win;
  op = op_of(call.op);
  if (op == nullptr || !op->predefined || (op->handle == MPI_NO_OP && !call.fetches)) return refuse_op(win);
  // With MPI_NO_OP nothing at the origin is looked at.
  if (op->handle == MPI_NO_OP) call.origin = call.result;
  if (int error = look_up_buffer(win, call.origin, false)) return error;
  if (call.fetches) {
    if (int error = look_up_buffer(win, call.result, false)) return error;
  }
  return look_up_buffer(win, call.remote, true);
}

int check_sizes(const Accumulation& call) {
  const MPI_Count there = call.remote.count * call.remote.type->size;
  const MPI_Count here = call.origin.count * call.origin.type->size;
  const MPI_Count back = call.fetches ? call.result.count * call.result.type->size : there;
  if (here == there && back == there) return MPI_SUCCESS;
  return raise_on(*call.target.win, MPI_ERR_TRUNCATE,
                  "origin, result and target do not have the same number of elements; give them the same.");
}

int run(Accumulation call) {
  Op* op = nullptr;
  const int error_of_arguments = look_up(call, op);
  if (error_of_arguments != MPI_SUCCESS || op == nullptr) return error_of_arguments;
  Win& win = *call.target.win;
  if (call.target.rank != MPI_PROC_NULL) {
    if (int error = check_sizes(call)) return error;
  }
  // Of nothing, the operator need not fit the type.
  if (call.target.rank != MPI_PROC_NULL && call.remote.count * call.remote.type->size != 0) {
    const bool same = same_elements(*call.origin.type, *call.remote.type) &&
                      (!call.fetches || same_elements(*call.result.type, *call.remote.type));
    if (!same) return refuse_types(win);
    rma::Combine combine;
    if (!combine_of(*op, *call.remote.type->element, combine)) return refuse_op(win);
    const WinScope scope(win);
    const rma::Elements origin = elements_of(*call.origin.type, call.origin.count, call.origin.address);
    const rma::Elements target =
        elements_of(*call.remote.type, call.remote.count, reinterpret_cast<void*>(address_of(call.target)));
    rma::Elements result;
    if (call.fetches) result = elements_of(*call.result.type, call.result.count, call.result.address);
    const rma::Outcome outcome =
        win.core->accumulate(origin, call.fetches ? &result : nullptr, call.target.rank, target, combine);
    if (outcome != rma::Outcome::success) return raise_outcome_on(win, outcome);
  }
  return give_receipt(win, call.receipt);
}

bool may_swap(const Datatype& type) {
  switch (type.family) {
    case Family::c_integer:
    case Family::fortran_integer:
    case Family::logical:
    case Family::multi_language:
    case Family::byte:
      return type.predefined;
    default:
      return false;
  }
}

int swap(Buffer origin, const void* compare, void* result, Target target) {
  if (int error = look_up_target(target, no_receipt())) return error;
  Win& win = *target.win;
  if (int error = look_up_buffer(win, origin, false)) return error;
  if (!may_swap(*origin.type)) {
    return raise_on(win, MPI_ERR_TYPE,
                    "a compare-and-swap needs a predefined type of integers, logicals, bytes or addresses.");
  }
  if (compare == nullptr || result == nullptr) {
    return raise_on(win, MPI_ERR_BUFFER, "the value to compare with, or the place of the result, is a null pointer.");
  }
  if (target.rank == MPI_PROC_NULL) return MPI_SUCCESS;
  const WinScope scope(win);
  return raise_outcome_on(
      win, win.core->compare_and_swap(static_cast<const std::byte*>(origin.address),
                                      static_cast<const std::byte*>(compare), static_cast<std::byte*>(result),
                                      static_cast<uint32_t>(origin.type->size), target.rank, address_of(target)));
}

const Buffer no_result{nullptr, 0, MPI_DATATYPE_NULL};

}  // namespace

int accumulate(const Buffer& origin, const Buffer& remote, const Target& target, MPI_Op op, const Receipt& receipt) {
  return run({origin, no_result, target, remote, op, false, receipt});
}

int get_accumulate(const Buffer& origin, const Buffer& result, const Buffer& remote, const Target& target, MPI_Op op,
                   const Receipt& receipt) {
  return run({origin, result, target, remote, op, true, receipt});
}

namespace api {

int Fetch_and_op(const void* origin_addr, void* result_addr, MPI_Datatype datatype, int target_rank,
                 MPI_Aint target_disp, MPI_Op op, MPI_Win win) {
  return get_accumulate(buffer_of(origin_addr, 1, datatype), buffer_of(result_addr, 1, datatype),
                        buffer_of(nullptr, 1, datatype), {target_rank, target_disp, win}, op, no_receipt());
}

int Compare_and_swap(const void* origin_addr, const void* compare_addr, void* result_addr, MPI_Datatype datatype,
                     int target_rank, MPI_Aint target_disp, MPI_Win win) {
  return swap(buffer_of(origin_addr, 1, datatype), compare_addr, result_addr, {target_rank, target_disp, win});
}

}  // namespace api
}  // namespace vif::mpi
