#include "mpi/io/representation.hpp"

#include <cstring>
#include <deque>
#include <mutex>
#include <vector>

#include "api.hpp"
#include "mpi/external.hpp"
#include "mpi/io/file.hpp"

namespace vif::mpi::io {
namespace {

using Kind = Representation::Kind;

struct Registry {
  std::mutex lock;
  std::deque<Representation> all;  // never moved, never removed

  Registry() {
    for (const char* name : {"native", "internal"}) add_one(name, Kind::native);
    add_one("external32", Kind::external);
  }
  void add_one(const char* name, Kind kind) {
    all.emplace_back().name = name;
    all.back().kind = kind;
  }
};

Registry& registry() {
  static auto* instance = new Registry;
  return *instance;
}

Ending refused(int code) {
  if (code == MPI_SUCCESS) return {};
  return {MPI_ERR_CONVERSION, "a conversion function of the data representation returned an error"};
}

// Whole instances of packed bytes.
std::vector<std::byte> packed_copy(const Datatype& type, MPI_Count count, const void* user) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(type.size * count) + 1);
  pack(type, count, user, bytes.data());
  return bytes;
}

int add(const char* name, Representation&& made) {
  if (name == nullptr || made.extent == nullptr) {
    return raise_without_file(MPI_ERR_ARG, "the name or the extent function is a null pointer; give an address.");
  }
  if (std::strlen(name) >= MPI_MAX_DATAREP_STRING) {
    return raise_without_file(MPI_ERR_ARG, "the name has MPI_MAX_DATAREP_STRING characters or more.");
  }
  if (find_representation(name) != nullptr) {
    return raise_without_file(MPI_ERR_DUP_DATAREP, std::string("the data representation \"") + name +
                                                       "\" exists already; choose another name.");
  }
  made.name = name;
  made.kind = Kind::user;
  Registry& all = registry();
  const std::lock_guard guard(all.lock);
  all.all.push_back(std::move(made));
  return MPI_SUCCESS;
}

}  // namespace

const Representation* find_representation(std::string_view name) {
  Registry& all = registry();
  const std::lock_guard guard(all.lock);
  for (const Representation& one : all.all) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

uint64_t Representation::bytes(const Datatype& type, MPI_Count count) const {
  const auto instances = static_cast<uint64_t>(count);
  if (kind == Kind::external) return type.signature->external * instances;
  MPI_Aint file_extent = type.size;
  const bool converted = read != nullptr || write != nullptr || large_read != nullptr || large_write != nullptr;
  if (kind == Kind::user && converted) extent(type.handle, &file_extent, extra_state);
  return static_cast<uint64_t>(file_extent) * instances;
}

Ending Representation::to_file(const Datatype& type, MPI_Count count, const void* user, std::byte* to) const {
  if (kind == Kind::external) {
    const std::vector<std::byte> native = packed_copy(type, count, user);
    if (to_external(*type.signature, static_cast<uint64_t>(count), native.data(), to)) return {};
    return {MPI_ERR_CONVERSION, "a number does not fit its external32 representation"};
  }
  if (large_write != nullptr) {
    return refused(large_write(const_cast<void*>(user), type.handle, count, to, 0, extra_state));
  }
  if (write != nullptr) {
    return refused(write(const_cast<void*>(user), type.handle, static_cast<int>(count), to, 0, extra_state));
  }
  pack(type, count, user, to);
  return {};
}

Ending Representation::from_file(const Datatype& type, MPI_Count count, std::byte* from, void* user) const {
  if (kind == Kind::external) {
    std::vector<std::byte> native(static_cast<std::size_t>(type.size * count) + 1);
    from_external(*type.signature, static_cast<uint64_t>(count), from, native.data());
    unpack(type, count, native.data(), user);
    return {};
  }
  if (large_read != nullptr) return refused(large_read(user, type.handle, count, from, 0, extra_state));
  if (read != nullptr) return refused(read(user, type.handle, static_cast<int>(count), from, 0, extra_state));
  unpack(type, count, from, user);
  return {};
}

}  // namespace vif::mpi::io

namespace vif::mpi::api {

int Register_datarep(const char* datarep, MPI_Datarep_conversion_function* read_conversion_fn,
                     MPI_Datarep_conversion_function* write_conversion_fn,
                     MPI_Datarep_extent_function* dtype_file_extent_fn, void* extra_state) {
  io::Representation made;
  made.read = read_conversion_fn;
  made.write = write_conversion_fn;
  made.extent = dtype_file_extent_fn;
  made.extra_state = extra_state;
  return io::add(datarep, std::move(made));
}

int Register_datarep_c(const char* datarep, MPI_Datarep_conversion_function_c* read_conversion_fn,
                       MPI_Datarep_conversion_function_c* write_conversion_fn,
                       MPI_Datarep_extent_function* dtype_file_extent_fn, void* extra_state) {
  io::Representation made;
  made.large_read = read_conversion_fn;
  made.large_write = write_conversion_fn;
  made.extent = dtype_file_extent_fn;
  made.extra_state = extra_state;
  return io::add(datarep, std::move(made));
}

}  // namespace vif::mpi::api
