// Communicators.
//
// A communicator is an ordered set of processes and two context ids: `context` for what the user sends, and the
// next one for the collectives. An inter-communicator has two such sets: its messages go to the other one (`remote`),
// and its collectives run over the union of both, the first group first. Objects are counted: a request that is under
// way keeps its communicator, so the user may free the handle first. Context: app. The engine sees only the numbers
// copied into its requests.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "coll/coll.hpp"
#include "mpi.h"
#include "mpi/handle.hpp"
#include "mpi/process.hpp"

namespace vif::mpi {

struct AttributeSet;
class BufferedSends;
struct Errhandler;
struct Group;
struct Info;
struct Topology;

struct Comm {
  static constexpr uint32_t alive = 0x436f6d6d;

  uint32_t magic = alive;
  int rank = 0;
  int size = 1;   // of the group of this process
  int peers = 1;  // the ranks that messages may go to: `size`, or the size of the remote group
  uint32_t context = 0;
  const int* processes = nullptr;      // rank of a peer -> index in the job; points into `members` or `remote`
  std::atomic<int64_t> references{1};  // the handle, and every request under way
  MPI_Comm handle = MPI_COMM_NULL;

  std::vector<int> members;
  std::vector<int> remote;        // empty: an intra-communicator
  std::vector<int> both;          // inter: the first group and the second
  bool first = true;              // inter: this process's group is the first
  coll::Group collectives;        // over `members`, or over `both`
  uint64_t member_bits = 0;       // bit p: process p of the job takes part; 0: there are processes beyond 63
  uint32_t collective_calls = 0;  // so far; of the one thread that may call collectives at a time
  uint64_t shared = 0;            // memory that its processes share (comm_create.hpp), as an offset; 0: none
  std::shared_ptr<const Topology> topology;
  std::string name;
  std::mutex lock;  // guards what follows, and `name`

  Errhandler* errhandler = nullptr;    // null: the default, MPI_ERRORS_ARE_FATAL
  AttributeSet* attributes = nullptr;  // null: none
  Info* info = nullptr;                // null: none
  BufferedSends* buffered = nullptr;   // MPI_Comm_attach_buffer; null: the process's buffer

  bool is_inter() const noexcept { return !remote.empty(); }
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
