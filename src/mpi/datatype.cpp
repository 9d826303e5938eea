#include "mpi/datatype.hpp"

#include "data/copy.hpp"
#include "mpi/attribute.hpp"

namespace vif::mpi {

void retain(Datatype& type) noexcept {
  if (!type.predefined) type.references.fetch_add(1, std::memory_order_relaxed);
}

void release(Datatype& type) {
  if (type.predefined) return;
  // acq_rel: whoever destroys the type must see what the other holders did with it.
  if (type.references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  for (Datatype* part : type.contents.types) release(*part);
  forget_integer(type.handle);
  delete type.attributes;
  type.magic = 0;
  delete &type;
}

void pack_bytes(const Datatype& type, MPI_Count count, const void* from, void* to, MPI_Count bytes) noexcept {
  const auto limit = static_cast<uint64_t>(bytes < count * type.size ? bytes : count * type.size);
  if (limit == 0) return;
  if (type.contiguous) {
    __builtin_memcpy(to, from, limit);
  } else {
    data::gather(view_of(type, count), from, 0, to, limit);
  }
}

void unpack_bytes(const Datatype& type, MPI_Count count, const void* from, MPI_Count bytes, void* to) noexcept {
  const auto limit = static_cast<uint64_t>(bytes < count * type.size ? bytes : count * type.size);
  if (limit == 0) return;
  if (type.contiguous) {
    __builtin_memcpy(to, from, limit);
  } else {
    data::scatter(view_of(type, count), to, 0, from, limit);
  }
}

void pack(const Datatype& type, MPI_Count count, const void* from, void* to) noexcept {
  pack_bytes(type, count, from, to, count * type.size);
}

void unpack(const Datatype& type, MPI_Count count, const void* from, void* to) noexcept {
  unpack_bytes(type, count, from, count * type.size, to);
}

MPI_Count count_instances(const Datatype& type, MPI_Count bytes) noexcept {
  if (type.size == 0) return bytes == 0 ? 0 : MPI_UNDEFINED;
  if (bytes % type.size != 0) return MPI_UNDEFINED;
  return bytes / type.size;
}

MPI_Count count_basic_elements(const Datatype& type, MPI_Count bytes) noexcept {
  uint64_t elements = 0;
  if (!count_elements(*type.signature, static_cast<uint64_t>(bytes), elements)) return MPI_UNDEFINED;
  return static_cast<MPI_Count>(elements);
}

std::string describe(Datatype& type) {
  const std::lock_guard guard(type.lock);
  return type.name.empty() ? "a datatype without a name" : type.name;
}

}  // namespace vif::mpi
