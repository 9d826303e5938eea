// Reduction operators.
//
// A predefined operator on a predefined type is a plain loop, safe in a handler. A user's operator is called in app
// context only (design §4, rule 4); it may be given any type. All of them work on `count` elements laid out with the
// extent of the type (not packed): inout = in (op) inout.
#pragma once

#include <atomic>

#include "mpi/datatype.hpp"

namespace vif::mpi {

struct Op {
  static constexpr uint32_t alive = 0x4f706572;

  uint32_t magic = alive;
  bool predefined = false;
  bool commutative = true;
  MPI_User_function* function = nullptr;  // one of the two, for the user's
  MPI_User_function_c* large_function = nullptr;
  MPI_Op handle = MPI_OP_NULL;
  std::atomic<int64_t> references{1};
};

Op* op_of(MPI_Op handle) noexcept;

void retain(Op& op) noexcept;
void release(Op& op) noexcept;

// Safe in a handler.
using ReduceFunction = void (*)(const void* in, void* inout, uint64_t count);

// The loop of a predefined operator; null for a user's operator, and when the standard does not allow the pair.
ReduceFunction reduce_function(const Op& op, const Datatype& type) noexcept;

// Calls a user's operator, in several goes when the count is more than its type of count can say. Context: app.
void call_user_operator(const Op& op, Datatype& type, const void* in, void* inout, uint64_t count);

// The sentence for MPI_ERR_OP: empty when the pair may be used.
std::string refusal_of(const Op& op, Datatype& type);

}  // namespace vif::mpi
