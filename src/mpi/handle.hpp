// Handles: what the user holds.
//
// A predefined handle is a small integer (the value the standard gives it). A handle of the user's own object is the
// object's address. Objects begin their life with their type's magic word and lose it when they are destroyed, so a
// stale handle is noticed as long as its memory is not used again. The headers of the objects (datatype.hpp, op.hpp,
// group.hpp, info.hpp, errhandler.hpp, comm.hpp, request.hpp) each offer `X* x_of(handle)`: null when the handle names
// no object. Context: any for what is inline here; app for the integers.
#pragma once

#include <atomic>
#include <cstdint>

#include <mpi.h>

namespace vif::mpi {

// Values below this are predefined handles.
inline constexpr uintptr_t first_object_address = 0x10000;

template <class Handle>
inline uintptr_t handle_value(Handle handle) noexcept {
  return reinterpret_cast<uintptr_t>(handle);
}

// The user's own object behind a handle; null for predefined ones, misaligned garbage and destroyed objects.
template <class Object, class Handle>
inline Object* user_object(Handle handle) noexcept {
  const uintptr_t value = handle_value(handle);
  if (value < first_object_address || value % alignof(Object) != 0) return nullptr;
  Object* object = reinterpret_cast<Object*>(value);
  return object->magic == Object::alive ? object : nullptr;
}

// Integers that stand for handles (MPI_Comm_toint and its like): predefined handles are their own integer, objects get
// a number from a table of the process. forget_integer() must be called when the object is destroyed; it costs one load
// when no object ever got a number.
int integer_of_handle(const void* handle);
void* handle_of_integer(int integer);  // null when the number was never given, or was forgotten
void forget_integer(const void* handle);

}  // namespace vif::mpi
