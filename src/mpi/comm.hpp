// Communicators.
//
// A communicator is an ordered set of processes and two context ids: `context` for what the user sends, and the
// next one for the collectives. Objects are counted: a request that is under way keeps its communicator, so the user
// may free the handle first. Context: app. The engine sees only the numbers copied into its requests.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "coll/coll.hpp"
#include "mpi.h"
#include "mpi/handle.hpp"
#include "mpi/process.hpp"

namespace vif::mpi {

struct AttributeSet;
struct BufferedSends;
struct Errhandler;
struct Group;
struct Info;

struct Comm {
  static constexpr uint32_t alive = 0x436f6d6d;

  uint32_t magic = alive;
  int rank = 0;
  int size = 1;
  uint32_t context = 0;
  const int* processes = nullptr;      // rank -> index in the job; points into `members`
  std::atomic<int64_t> references{1};  // the handle, and every request under way
  MPI_Comm handle = MPI_COMM_NULL;

  std::vector<int> members;
  coll::Group collectives;
  uint64_t area = 0;        // shared memory of the collectives, as an offset; 0: none
  uint64_t area_bytes = 0;  // what to give back; 0 in processes that did not allocate it
  std::string name;
  std::mutex lock;  // guards what follows, and `name`

  Errhandler* errhandler = nullptr;    // null: the default, MPI_ERRORS_ARE_FATAL
  AttributeSet* attributes = nullptr;  // null: none
  Info* info = nullptr;                // null: none
  BufferedSends* buffered = nullptr;   // MPI_Comm_attach_buffer; null: the process's buffer
};

// The communicator of a handle; null when it is none (null handle, freed object, garbage).
inline Comm* comm_of(MPI_Comm handle) noexcept {
  if (handle == MPI_COMM_WORLD) [[likely]]
    return process_pointer->world;
  if (handle == MPI_COMM_SELF) return process_pointer->self;
  return user_object<Comm>(handle);
}

// Counted references. Only a process with several threads in the library pays for atomic updates.
inline void retain(Comm& comm) noexcept {
  if (process_pointer->multiple) {
    comm.references.fetch_add(1, std::memory_order_relaxed);
  } else {
    comm.references.store(comm.references.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
}

void destroy(Comm& comm);

inline void release(Comm& comm) {
  int64_t before;
  if (process_pointer->multiple) {
    before = comm.references.fetch_sub(1, std::memory_order_acq_rel);
  } else {
    before = comm.references.load(std::memory_order_relaxed);
    comm.references.store(before - 1, std::memory_order_relaxed);
  }
  if (before == 1) destroy(comm);
}

// Names a communicator in a message: its name, or "a communicator without a name".
std::string describe(const Comm& comm);

}  // namespace vif::mpi
