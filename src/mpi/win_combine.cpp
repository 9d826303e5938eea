#include "mpi/win_combine.hpp"

namespace vif::mpi {

// Handles of predefined operators and types are small numbers, the same in every process.
rma::Combine::Function combine_function(uint32_t code) {
  const auto op_handle = reinterpret_cast<MPI_Op>(static_cast<uintptr_t>(code >> 16));
  const auto type_handle = reinterpret_cast<MPI_Datatype>(static_cast<uintptr_t>(code & 0xffff));
  if (handle_value(op_handle) >= first_object_address || handle_value(type_handle) >= first_object_address) {
    return nullptr;
  }
  const Op* op = op_of(op_handle);
  const Datatype* type = datatype_of(type_handle);
  return op == nullptr || type == nullptr ? nullptr : reduce_function(*op, *type);
}

bool combine_of(const Op& op, const Datatype& element, rma::Combine& combine) {
  combine.element = static_cast<uint32_t>(element.extent);
  combine.alignment = static_cast<uint32_t>(element.alignment);
  if (op.handle == MPI_NO_OP) {
    combine.kind = rma::Combine::Kind::nothing;
    return true;
  }
  if (op.handle == MPI_REPLACE) {
    combine.kind = rma::Combine::Kind::replace;
    return true;
  }
  combine.kind = rma::Combine::Kind::function;
  combine.function = reduce_function(op, element);
  combine.code = static_cast<uint32_t>(handle_value(op.handle) << 16 | handle_value(element.handle));
  return combine.function != nullptr;
}

rma::Elements elements_of(const Datatype& type, MPI_Count count, void* address) {
  rma::Elements elements;
  elements.view = view_of(type, count);
  elements.address = static_cast<std::byte*>(address);
  elements.packed = static_cast<uint32_t>(type.element->size);
  elements.element = static_cast<uint32_t>(type.element->extent);
  return elements;
}

}  // namespace vif::mpi
