// Attributes that the user caches on communicators, datatypes and windows.
//
// An attribute set is a short list: programs cache few. A key is counted: the user's number for it, and each attribute
// of it; MPI_*_free_keyval takes back the number only. The callbacks are the user's: context app, never with a lock of
// ours held.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "mpi/handle.hpp"

namespace vif::mpi {

struct Comm;
struct Datatype;
struct Win;

enum class KeyKind : uint8_t { comm, type, win };

struct Key {
  KeyKind kind = KeyKind::comm;
  int number = MPI_KEYVAL_INVALID;
  // The callbacks as given; 0 and 1 are the predefined MPI_*_NULL_COPY_FN, MPI_*_DUP_FN and MPI_*_NULL_DELETE_FN.
  uintptr_t copy = 0;
  uintptr_t remove = 0;
  void* extra_state = nullptr;
  std::atomic<int64_t> references{1};
};

struct Attribute {
  Key* key;
  void* value;
};

struct AttributeSet {
  std::mutex lock;
  std::vector<Attribute> attributes;
};

// Hooks for MPI_Comm_dup and MPI_Comm_free, MPI_Type_dup and MPI_Type_free. Copies what the copy callbacks let through
// into `to` (whose handle is already valid); deletes all attributes, the last one set first. Return MPI_SUCCESS or the
// code of the first callback that failed; the caller raises it (raise_code) and gives up its own work. A communicator
// or type that could not be copied must have what was copied deleted.
int copy_attributes(Comm& from, Comm& to);
int copy_attributes(Datatype& from, Datatype& to);
int delete_attributes(Comm& comm);
int delete_attributes(Datatype& type);
int delete_attributes(Win& win);

}  // namespace vif::mpi
