// MPI_Pack, MPI_Unpack, MPI_Pack_size. A packed message is the bytes of the elements in the order of the type, with
// nothing added. Context: app.
#include <climits>
#include <string>

#include "api.hpp"
#include "mpi/comm.hpp"
#include "mpi/datatype.hpp"
#include "mpi/errors.hpp"

namespace vif::mpi {
namespace {

int check_arguments(MPI_Comm handle, const Datatype* type, MPI_Count count) {
  Comm* comm = comm_of(handle);
  if (comm == nullptr) {
    return raise(nullptr, MPI_ERR_COMM,
                 "the argument is not a communicator; give a valid one, such as MPI_COMM_WORLD.");
  }
  if (type == nullptr) {
    return raise(comm, MPI_ERR_TYPE, "the argument is not a datatype (a null handle, or a type that was freed).");
  }
  if (!type->committed) {
    return raise(comm, MPI_ERR_TYPE, "the datatype is not committed; call MPI_Type_commit first.");
  }
  if (count < 0) return raise(comm, MPI_ERR_COUNT, "the count is negative; give zero or more.");
  return MPI_SUCCESS;
}

// What packing and unpacking check alike. The packed buffer is of `packed_size` bytes in all.
template <class Count>
int check(MPI_Comm handle, const Datatype* type, Count count, const void* user, const void* packed,
          const Count* position, Count packed_size) {
  if (int error = check_arguments(handle, type, count)) return error;
  Comm* comm = comm_of(handle);
  if (position == nullptr) return raise_null_argument(comm, "position");
  MPI_Count needed;
  if (__builtin_mul_overflow(static_cast<MPI_Count>(count), type->size, &needed)) {
    return raise(comm, MPI_ERR_COUNT, "the elements are more bytes than 63 bits can count.");
  }
  if (needed > 0 && (packed == nullptr || is_nowhere(user, *type))) {
    return raise(comm, MPI_ERR_BUFFER, "a buffer is a null pointer although it is not empty.");
  }
  if (*position < 0 || needed > static_cast<MPI_Count>(packed_size) - *position) {
    return raise(comm, MPI_ERR_TRUNCATE,
                 "the packed buffer has " + std::to_string(packed_size - *position) +
                     " bytes from the position on, and " + std::to_string(needed) +
                     " are needed; ask MPI_Pack_size how many to allocate.");
  }
  return MPI_SUCCESS;
}

template <class Count>
int pack_into(const void* from, Count count, MPI_Datatype handle, void* to, Count size, Count* position,
              MPI_Comm comm) {
  const Datatype* type = datatype_of(handle);
  if (int error = check(comm, type, count, from, to, position, size)) return error;
  pack(*type, count, from, static_cast<char*>(to) + *position);
  *position += static_cast<Count>(count * type->size);
  return MPI_SUCCESS;
}

template <class Count>
int unpack_from(const void* from, Count size, Count* position, void* to, Count count, MPI_Datatype handle,
                MPI_Comm comm) {
  const Datatype* type = datatype_of(handle);
  if (int error = check(comm, type, count, to, from, position, size)) return error;
  unpack(*type, count, static_cast<const char*>(from) + *position, to);
  *position += static_cast<Count>(count * type->size);
  return MPI_SUCCESS;
}

template <class Count>
int size_of_packed(Count count, MPI_Datatype handle, MPI_Comm comm, Count* size) {
  const Datatype* type = datatype_of(handle);
  if (int error = check_arguments(comm, type, count)) return error;
  if (size == nullptr) return raise_null_argument(comm_of(comm), "size");
  const MPI_Count bytes = count * type->size;
  *size =
      sizeof(Count) == sizeof(int) && bytes > INT_MAX ? static_cast<Count>(MPI_UNDEFINED) : static_cast<Count>(bytes);
  return MPI_SUCCESS;
}

}  // namespace

namespace api {

int Pack(const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize, int* position,
         MPI_Comm comm) {
  return pack_into(inbuf, incount, datatype, outbuf, outsize, position, comm);
}
int Pack_c(const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf, MPI_Count outsize,
           MPI_Count* position, MPI_Comm comm) {
  return pack_into(inbuf, incount, datatype, outbuf, outsize, position, comm);
}

int Unpack(const void* inbuf, int insize, int* position, void* outbuf, int outcount, MPI_Datatype datatype,
           MPI_Comm comm) {
  return unpack_from(inbuf, insize, position, outbuf, outcount, datatype, comm);
}
int Unpack_c(const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf, MPI_Count outcount,
             MPI_Datatype datatype, MPI_Comm comm) {
  return unpack_from(inbuf, insize, position, outbuf, outcount, datatype, comm);
}

int Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int* size) {
  return size_of_packed(incount, datatype, comm, size);
}
int Pack_size_c(MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count* size) {
  return size_of_packed(incount, datatype, comm, size);
}

}  // namespace api
}  // namespace vif::mpi
