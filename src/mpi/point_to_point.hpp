// What all point-to-point calls share: looking up and checking arguments.
//
// look_up_send and look_up_receive are the short way: true when every argument is right and there is a real peer. When
// they say false, refuse_send and refuse_receive find out why: they raise the error, or return MPI_SUCCESS when nothing
// is wrong but that the peer is MPI_PROC_NULL. Context: app.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "mpi.h"
#include "mpi/comm.hpp"
#include "mpi/datatype.hpp"
#include "mpi/diary.hpp"
#include "mpi/errors.hpp"
#include "mpi/handle.hpp"
#include "mpi/request.hpp"
#include "net/engine.hpp"

namespace vif::mpi {

// One side's buffer and communicator, as the user gave them and as they were looked up.
struct Side {
  void* buffer;
  MPI_Count count;
  MPI_Datatype type_handle;
  int peer;
  int tag;
  MPI_Comm comm_handle;
  Comm* comm = nullptr;
  Datatype* type = nullptr;
  int64_t bytes = 0;
};

inline Side side_of(const void* buffer, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) noexcept {
  return Side{const_cast<void*>(buffer), count, type, peer, tag, comm};
}

inline bool look_up_buffer(Side& side) noexcept {
  side.type = datatype_of(side.type_handle);
  if (side.type == nullptr) [[unlikely]]
    return false;
  const Datatype& type = *side.type;
  if (side.count < 0 || __builtin_mul_overflow(side.count, type.size, &side.bytes)) [[unlikely]]
    return false;
  return type.committed && (side.buffer != nullptr || side.bytes == 0 || !type.contiguous);
}

inline bool look_up_common(Side& side) noexcept {
  side.comm = comm_of(side.comm_handle);
  return look_up_buffer(side) && side.comm != nullptr;
}

inline bool look_up_send(Side& side) noexcept {
  return look_up_common(side) && static_cast<unsigned>(side.peer) < static_cast<unsigned>(side.comm->peers) &&
         side.tag >= 0;
}

inline bool look_up_receive(Side& side) noexcept {
  return look_up_common(side) && side.peer >= MPI_ANY_SOURCE && side.peer < side.comm->peers &&
         (side.tag >= 0 || side.tag == MPI_ANY_TAG);
}

int refuse_send(const Side& side);
int refuse_receive(const Side& side);
// The same for probes, which have no buffer: MPI_SUCCESS means MPI_PROC_NULL.
int refuse_probe(const Comm* comm, int source, int tag);

int raise_no_memory(Comm& comm, int64_t bytes);
int raise_ending(Comm& comm, const net::Request& request);

// What stands for a null pointer, which the user may give for an empty message: memcpy wants an address even for no
// bytes.
inline char no_bytes;
inline void* address_of(void* buffer) noexcept { return buffer != nullptr ? buffer : &no_bytes; }

// Where the bytes of a message go: the user's memory, of the type's layout, or contiguous bytes of ours.
inline void fill_place(net::Request& request, const Side& side, void* buffer) noexcept {
  const bool laid_out = buffer == side.buffer && !side.type->contiguous;
  request.buffer = laid_out ? buffer : address_of(buffer);
  request.view = laid_out ? view_of(*side.type, side.count) : data::View{};
}

// Fills what the user of the engine fills, without a note. `buffer`: the user's, or contiguous bytes.
inline void prepare_send(net::Request& request, const Side& side, void* buffer, net::SendMode mode) noexcept {
  request.context = side.comm->context;
  request.process = side.comm->processes[side.peer];
  request.source = side.comm->rank;
  request.tag = side.tag;
  request.mode = mode;
  fill_place(request, side, buffer);
  request.length = static_cast<uint64_t>(side.bytes);
  request.on_complete = nullptr;
}

inline void prepare_receive(net::Request& request, const Side& side, void* buffer) noexcept {
  request.context = side.comm->context;
  request.process = side.peer == MPI_ANY_SOURCE ? -1 : side.comm->processes[side.peer];
  request.source = side.peer == MPI_ANY_SOURCE ? net::any_source : side.peer;
  request.tag = side.tag == MPI_ANY_TAG ? net::any_tag : side.tag;
  fill_place(request, side, buffer);
  request.length = static_cast<uint64_t>(side.bytes);
  request.on_complete = nullptr;
}

inline void note_message(trace::Act act, const net::Request& request) noexcept {
  note_message(act, request.context, request.process, request.tag, static_cast<int64_t>(request.length));
}

// The same, with a note.
inline void fill_send(net::Request& request, const Side& side, void* buffer, net::SendMode mode) noexcept {
  prepare_send(request, side, buffer, mode);
  note_message(trace::Act::send, request);
}

inline void fill_receive(net::Request& request, const Side& side, void* buffer) noexcept {
  prepare_receive(request, side, buffer);
  note_message(trace::Act::receive, request);
}

// The packed form of a message, for as long as this object lives: of MPI_Sendrecv_replace.
class Packed {
 public:
  Packed() = default;
  ~Packed() { std::free(bytes_); }
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;

  // False when there is no memory.
  bool from(const Side& side) {
    bytes_ = std::malloc(static_cast<size_t>(side.bytes) + 1);
    if (bytes_ == nullptr) return false;
    pack(*side.type, side.count, side.buffer, bytes_);
    return true;
  }
  void* bytes() const noexcept { return bytes_; }

 private:
  void* bytes_ = nullptr;
};

// The requests of the non-blocking and persistent calls, not started. Null when there is no memory (raised by the
// caller).
RequestObject* new_send(const Side& side, net::SendMode mode) noexcept;
RequestObject* new_receive(const Side& side) noexcept;
// A request of kind `empty` for a peer that is MPI_PROC_NULL.
RequestObject* new_empty(Comm& comm, bool receive) noexcept;
// Makes a request active and hands it to the engine.
Ending start_request(RequestObject& request);

}  // namespace vif::mpi
