#include "mpi/op.hpp"

#include <climits>
#include <string>

#include "api.hpp"
#include "mpi/errors.hpp"

namespace vif::mpi {
namespace {

constexpr uintptr_t first_op_value = 0x20;

struct Row {
  MPI_Op handle;
  const char* name;
};
const Row rows[] = {
    {MPI_SUM, "MPI_SUM"},         {MPI_MIN, "MPI_MIN"},     {MPI_MAX, "MPI_MAX"},       {MPI_PROD, "MPI_PROD"},
    {MPI_BAND, "MPI_BAND"},       {MPI_BOR, "MPI_BOR"},     {MPI_BXOR, "MPI_BXOR"},     {MPI_LAND, "MPI_LAND"},
    {MPI_LOR, "MPI_LOR"},         {MPI_LXOR, "MPI_LXOR"},   {MPI_MINLOC, "MPI_MINLOC"}, {MPI_MAXLOC, "MPI_MAXLOC"},
    {MPI_REPLACE, "MPI_REPLACE"}, {MPI_NO_OP, "MPI_NO_OP"},
};
constexpr std::size_t values = 0x20;

// The predefined operators by their value minus the first one's.
struct Predefined {
  Op ops[values];
  Predefined() noexcept {
    for (const Row& row : rows) {
      Op& op = ops[handle_value(row.handle) - first_op_value];
      op.predefined = true;
      op.handle = row.handle;
      op.commutative = row.handle != MPI_REPLACE && row.handle != MPI_NO_OP;
    }
  }
};

Predefined predefined;

const char* name_of(const Op& op) {
  for (const Row& row : rows) {
    if (op.handle == row.handle) return row.name;
  }
  return "the program's operator";
}

int refuse_op() {
  return raise(nullptr, MPI_ERR_OP,
               "the argument is not an operator (a null handle, or an operator that was freed); give a valid one.");
}

int store_new(MPI_User_function* function, MPI_User_function_c* large_function, int commute, MPI_Op* result) {
  if (result == nullptr) return raise_null_argument(nullptr, "op");
  if (function == nullptr && large_function == nullptr) return raise_null_argument(nullptr, "user_fn");
  Op* op = new Op;
  op->function = function;
  op->large_function = large_function;
  op->commutative = commute != 0;
  op->handle = reinterpret_cast<MPI_Op>(op);
  *result = op->handle;
  return MPI_SUCCESS;
}

int reduce_local(const void* in, void* inout, MPI_Count count, MPI_Datatype datatype, MPI_Op handle) {
  const Op* op = op_of(handle);
  if (op == nullptr) return refuse_op();
  Datatype* type = datatype_of(datatype);
  if (type == nullptr) {
    return raise(nullptr, MPI_ERR_TYPE, "the argument is not a datatype (a null handle, or a type that was freed).");
  }
  if (!type->committed) {
    return raise(nullptr, MPI_ERR_TYPE, "the datatype is not committed; call MPI_Type_commit first.");
  }
  if (count < 0) return raise(nullptr, MPI_ERR_COUNT, "the count is negative; give zero or more.");
  const std::string refusal = refusal_of(*op, *type);
  if (!refusal.empty()) return raise(nullptr, MPI_ERR_OP, refusal);
  if (count == 0) return MPI_SUCCESS;
  if (is_nowhere(in, *type) || is_nowhere(inout, *type)) {
    return raise(nullptr, MPI_ERR_BUFFER, "a buffer is a null pointer although it is not empty.");
  }
  if (op->predefined) {
    reduce_function(*op, *type)(in, inout, static_cast<uint64_t>(count));
  } else {
    call_user_operator(*op, *type, in, inout, static_cast<uint64_t>(count));
  }
  return MPI_SUCCESS;
}

}  // namespace

Op* op_of(MPI_Op handle) noexcept {
  const uintptr_t index = handle_value(handle) - first_op_value;
  if (index < values) {
    Op& op = predefined.ops[index];
    return op.predefined ? &op : nullptr;
  }
  return user_object<Op>(handle);
}

void retain(Op& op) noexcept {
  if (!op.predefined) op.references.fetch_add(1, std::memory_order_relaxed);
}

void release(Op& op) noexcept {
  // acq_rel: whoever destroys the operator must come after every use of it by others.
  if (op.predefined || op.references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  forget_integer(op.handle);
  op.magic = 0;
  delete &op;
}

void call_user_operator(const Op& op, Datatype& type, const void* in, void* inout, uint64_t count) {
  MPI_Datatype handle = type.handle;
  // The operator's first argument is not const in the standard's type, though it may not be written.
  char* a = const_cast<char*>(static_cast<const char*>(in));
  char* b = static_cast<char*>(inout);
  if (op.large_function != nullptr) {
    MPI_Count length = static_cast<MPI_Count>(count);
    op.large_function(a, b, &length, &handle);
    return;
  }
  while (count > 0) {
    int length = count > INT_MAX ? INT_MAX : static_cast<int>(count);
    const uint64_t done = static_cast<uint64_t>(length);
    op.function(a, b, &length, &handle);
    a += static_cast<int64_t>(done) * type.extent;
    b += static_cast<int64_t>(done) * type.extent;
    count -= done;
  }
}

std::string refusal_of(const Op& op, Datatype& type) {
  if (!op.predefined || reduce_function(op, type) != nullptr) return {};
  return std::string(name_of(op)) + " is not defined on " + describe(type) +
         "; use a predefined type that the standard allows with it, or make an operator with MPI_Op_create.";
}

namespace api {

int Op_create(MPI_User_function* user_fn, int commute, MPI_Op* op) { return store_new(user_fn, nullptr, commute, op); }
int Op_create_c(MPI_User_function_c* user_fn, int commute, MPI_Op* op) {
  return store_new(nullptr, user_fn, commute, op);
}

int Op_free(MPI_Op* op) {
  Op* object = op == nullptr ? nullptr : op_of(*op);
  if (object == nullptr) return refuse_op();
  if (object->predefined) {
    return raise(nullptr, MPI_ERR_OP, "the operator is predefined; only those that the program made can be freed.");
  }
  release(*object);
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}

int Op_commutative(MPI_Op op, int* commute) {
  const Op* object = op_of(op);
  if (object == nullptr) return refuse_op();
  if (commute == nullptr) return raise_null_argument(nullptr, "commute");
  *commute = object->commutative;
  return MPI_SUCCESS;
}

int Reduce_local(const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype, MPI_Op op) {
  return reduce_local(inbuf, inoutbuf, count, datatype, op);
}
int Reduce_local_c(const void* inbuf, void* inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op) {
  return reduce_local(inbuf, inoutbuf, count, datatype, op);
}

}  // namespace api
}  // namespace vif::mpi
