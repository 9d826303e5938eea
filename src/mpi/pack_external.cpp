// MPI_Pack_external, MPI_Unpack_external, MPI_Pack_external_size. Context: app.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "api.hpp"
#include "mpi/datatype.hpp"
#include "mpi/errors.hpp"
#include "mpi/external.hpp"

namespace vif::mpi {
namespace {

constexpr MPI_Count bytes_at_a_time = 64 * 1024;

int check_arguments(const char* representation, const Datatype* type, MPI_Count count) {
  if (representation == nullptr) return raise_null_argument(nullptr, "datarep");
  if (std::strcmp(representation, "external32") != 0) {
    return raise(nullptr, MPI_ERR_UNSUPPORTED_DATAREP,
                 std::string("the data representation \"") + representation + "\" is not known; give \"external32\".");
  }
  if (type == nullptr) {
    return raise(nullptr, MPI_ERR_TYPE, "the argument is not a datatype (a null handle, or a type that was freed).");
  }
  if (!type->committed) {
    return raise(nullptr, MPI_ERR_TYPE, "the datatype is not committed; call MPI_Type_commit first.");
  }
  if (count < 0) return raise(nullptr, MPI_ERR_COUNT, "the count is negative; give zero or more.");
  return MPI_SUCCESS;
}

MPI_Count external_bytes(const Datatype& type, MPI_Count count) {
  return count * static_cast<MPI_Count>(type.signature->external);
}

// The packed buffer is of `size` bytes in all.
template <class Size>
int check(const char* representation, const Datatype* type, MPI_Count count, const void* user, const void* packed,
          const Size* position, Size size) {
  if (int error = check_arguments(representation, type, count)) return error;
  if (position == nullptr) return raise_null_argument(nullptr, "position");
  if (count * type->size > 0 && (packed == nullptr || is_nowhere(user, *type))) {
    return raise(nullptr, MPI_ERR_BUFFER, "a buffer is a null pointer although it is not empty.");
  }
  const MPI_Count needed = external_bytes(*type, count);
  if (*position >= 0 && needed <= static_cast<MPI_Count>(size) - *position) return MPI_SUCCESS;
  return raise(nullptr, MPI_ERR_TRUNCATE,
               "the packed buffer has " + std::to_string(size - *position) + " bytes from the position on, and " +
                   std::to_string(needed) + " are needed; ask MPI_Pack_external_size how many to allocate.");
}

// How many instances are converted in one go: their native form is kept aside.
MPI_Count instances_at_a_time(const Datatype& type) {
  return std::max<MPI_Count>(1, bytes_at_a_time / std::max<MPI_Count>(type.size, 1));
}

template <class Size>
int pack_into(const char* representation, const void* from, MPI_Count count, MPI_Datatype handle, void* to, Size size,
              Size* position) {
  const Datatype* type = datatype_of(handle);
  if (int error = check(representation, type, count, from, to, position, size)) return error;
  const MPI_Count most = instances_at_a_time(*type);
  std::vector<std::byte> native(static_cast<std::size_t>(std::min(most, count) * type->size));
  auto user = reinterpret_cast<intptr_t>(from);
  bool all_fit = true;
  for (MPI_Count done = 0; done < count; done += most) {
    const MPI_Count now = std::min(most, count - done);
    pack(*type, now, reinterpret_cast<const void*>(user), native.data());
    auto* place = static_cast<std::byte*>(to) + *position;
    all_fit = to_external(*type->signature, static_cast<uint64_t>(now), native.data(), place) && all_fit;
    user += now * type->extent;
    *position += static_cast<Size>(external_bytes(*type, now));
  }
  if (all_fit) return MPI_SUCCESS;
  return raise(nullptr, MPI_ERR_CONVERSION,
               "a number is larger than its external representation, which has 4 bytes for a long and 2 for a wchar_t; "
               "use a type of fixed size, such as MPI_INT64_T.");
}

template <class Size>
int unpack_from(const char* representation, const void* from, Size size, Size* position, void* to, MPI_Count count,
                MPI_Datatype handle) {
  const Datatype* type = datatype_of(handle);
  if (int error = check(representation, type, count, to, from, position, size)) return error;
  const MPI_Count most = instances_at_a_time(*type);
  std::vector<std::byte> native(static_cast<std::size_t>(std::min(most, count) * type->size));
  auto user = reinterpret_cast<intptr_t>(to);
  for (MPI_Count done = 0; done < count; done += most) {
    const MPI_Count now = std::min(most, count - done);
    const auto* place = static_cast<const std::byte*>(from) + *position;
    from_external(*type->signature, static_cast<uint64_t>(now), place, native.data());
    unpack(*type, now, native.data(), reinterpret_cast<void*>(user));
    user += now * type->extent;
    *position += static_cast<Size>(external_bytes(*type, now));
  }
  return MPI_SUCCESS;
}

template <class Size>
int size_of_packed(const char* representation, MPI_Count count, MPI_Datatype handle, Size* size) {
  const Datatype* type = datatype_of(handle);
  if (int error = check_arguments(representation, type, count)) return error;
  if (size == nullptr) return raise_null_argument(nullptr, "size");
  *size = static_cast<Size>(external_bytes(*type, count));
  return MPI_SUCCESS;
}

}  // namespace

namespace api {

int Pack_external(const char* datarep, const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf,
                  MPI_Aint outsize, MPI_Aint* position) {
  return pack_into(datarep, inbuf, incount, datatype, outbuf, outsize, position);
}
int Pack_external_c(const char* datarep, const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf,
                    MPI_Count outsize, MPI_Count* position) {
  return pack_into(datarep, inbuf, incount, datatype, outbuf, outsize, position);
}

int Unpack_external(const char datarep[], const void* inbuf, MPI_Aint insize, MPI_Aint* position, void* outbuf,
                    int outcount, MPI_Datatype datatype) {
  return unpack_from(datarep, inbuf, insize, position, outbuf, outcount, datatype);
}
int Unpack_external_c(const char datarep[], const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf,
                      MPI_Count outcount, MPI_Datatype datatype) {
  return unpack_from(datarep, inbuf, insize, position, outbuf, outcount, datatype);
}

int Pack_external_size(const char* datarep, int incount, MPI_Datatype datatype, MPI_Aint* size) {
  return size_of_packed(datarep, incount, datatype, size);
}
int Pack_external_size_c(const char* datarep, MPI_Count incount, MPI_Datatype datatype, MPI_Count* size) {
  return size_of_packed(datarep, incount, datatype, size);
}

}  // namespace api
}  // namespace vif::mpi
