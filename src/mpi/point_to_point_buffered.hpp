// Buffered sends: messages copied into memory that the user attached, or into ours for MPI_BUFFER_AUTOMATIC.
//
// The attached memory holds segments in the order of their addresses, each a header (with the engine's request) and a
// message; a segment goes when its send is complete. A communicator may have a buffer of its own; the others share the
// process's.
// Context: app.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "mpi/point_to_point.hpp"

namespace vif::mpi {

class BufferedSends {
 public:
  // `memory` may be MPI_BUFFER_AUTOMATIC.
  BufferedSends(void* memory, MPI_Count bytes) noexcept : memory_(memory), bytes_(bytes) {}
  ~BufferedSends();
  BufferedSends(const BufferedSends&) = delete;
  BufferedSends& operator=(const BufferedSends&) = delete;

  // Copies and sends. False when there is no room.
  bool send(const Side& side);
  // Waits until every message has left the buffer. The caller holds a net::ApiScope.
  void flush();

  // For MPI_Buffer_iflush: the number of the newest message, and whether all up to that one have left.
  uint64_t newest();
  bool left(uint64_t newest);

  void* memory() const noexcept { return memory_; }
  MPI_Count bytes() const noexcept { return bytes_; }
  bool automatic() const noexcept { return memory_ == MPI_BUFFER_AUTOMATIC; }

 private:
  struct Segment;

  Segment* place(uint64_t bytes);
  Segment* place_in_memory(uint64_t bytes);
  void sweep();

  std::mutex lock_;
  void* memory_;
  MPI_Count bytes_;
  Segment* first_ = nullptr;  // by address; with MPI_BUFFER_AUTOMATIC by age, newest first
  uint64_t sent_ = 0;
};

// The buffer that a send on the communicator uses; null when none is attached.
BufferedSends* buffered_sends_of(Comm& comm) noexcept;

// The buffered send of an argument that was looked up: raises MPI_ERR_BUFFER when there is no room.
Ending send_buffered(const Side& side);

// Attaching, detaching and flushing, for whatever may hold a buffer: `place` is its pointer. attach_buffer() and
// iflush_buffer() say what is wrong instead of raising it; detach_buffer() waits for what is in the buffer.
Ending attach_buffer(BufferedSends*& place, void* buffer, MPI_Count bytes);
void detach_buffer(BufferedSends*& place, void** memory, MPI_Count& bytes);
void flush_buffer(BufferedSends* sends);
Ending iflush_buffer(Comm& comm, BufferedSends* sends, MPI_Request* out);

// At MPI_Finalize and MPI_Comm_free: waits for what is in the buffer, and forgets it.
void detach_process_buffer();
void detach_buffer(Comm& comm);

}  // namespace vif::mpi
