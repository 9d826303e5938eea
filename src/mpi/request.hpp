// Requests of the user (MPI_Request), their pool, and what it takes to complete one.
//
// Life of a request:
//   taken from the pool -> [ inactive <-> active ] -> given back
// A non-persistent one is active from its birth and given back by the call that completes it. A persistent one becomes
// active by start, inactive by completion, and is given back by MPI_Request_free. One that is freed while active is an
// orphan: the pool completes it later (see sweep_orphans).
//
// The engine completes `net`. What may not be done in a handler (freeing) is done by finish(), in app
// context. Context: app.
#pragma once

#include <cstdint>
#include <string>

#include "mpi.h"
#include "mpi/comm.hpp"
#include "mpi/datatype.hpp"
#include "net/request.hpp"

namespace vif::mpi {

enum class RequestKind : uint8_t {
  empty,  // nothing to wait for: the peer is MPI_PROC_NULL, or a buffered send
  send,
  receive,
  exchange,  // a receive, and its send in `partner` (MPI_Isendrecv)
  work,      // anything else: a collective, a duplication, a flush of buffered sends
};

// What became of a request.
struct Ending {
  int error = MPI_SUCCESS;  // class
  std::string sentence;
};

// What a request of kind `work` does.
struct Work {
  virtual ~Work() = default;
  virtual Ending start() = 0;                     // once per activation
  virtual bool complete() noexcept = 0;           // asked again and again
  virtual Ending finish(MPI_Status& status) = 0;  // once complete; `status` comes as the empty status
  // The status of a complete one, without ending it; `status` comes as the empty status.
  virtual Ending peek(MPI_Status&) { return {}; }
  virtual Ending cancel() {
    return {MPI_ERR_REQUEST, "only sends, receives and generalized requests can be cancelled"};
  }
};

struct RequestObject {
  static constexpr uint32_t alive = 0x52657175;

  uint32_t magic = 0;
  RequestKind kind = RequestKind::empty;
  bool persistent = false;
  bool active = false;
  bool buffered = false;       // each start is a buffered send
  bool is_collective = false;  // kind `work`
  uint16_t function = 0;       // that made it, and for a collective its number on the communicator: see diary.hpp
  uint32_t number = 0;
  bool null_peer = false;    // its status is that of a receive from MPI_PROC_NULL
  Comm* comm = nullptr;      // counted
  Datatype* type = nullptr;  // counted; null when it is contiguous
  void* staging = nullptr;   // packed bytes, ours (MPI_Isendrecv_replace)
  RequestObject* partner = nullptr;
  Work* work = nullptr;           // ours
  RequestObject* next = nullptr;  // in the pool, or among the orphans
  net::Request net;
};

inline RequestObject* request_of(MPI_Request handle) noexcept { return user_object<RequestObject>(handle); }

inline MPI_Request handle_of(RequestObject* request) noexcept { return reinterpret_cast<MPI_Request>(request); }

// From the pool: every field but `net` is as above, `comm` is set and counted. Null when memory is exhausted.
RequestObject* take_request(RequestKind kind, Comm& comm) noexcept;
// Drops what the request holds and gives it back. Not for one that the engine still has.
void give_back(RequestObject* request);

// Completes the orphans that can be; all of them, waiting, when `wait` is true.
void sweep_orphans(bool wait);
// Takes charge of an active request whose handle the user gave up.
void adopt_orphan(RequestObject* request);

bool is_complete(RequestObject& request) noexcept;

// A complete request: fills the status (unless null), frees the staging. The request is inactive then; the
// caller gives it back if it is not persistent.
Ending finish(RequestObject& request, MPI_Status* status);

// The status without ending the request (MPI_Request_get_status).
Ending peek_status(const RequestObject& request, MPI_Status* status);

// Statuses.
void set_status(MPI_Status* status, int source, int tag, uint64_t bytes, bool cancelled) noexcept;
void set_empty_status(MPI_Status* status) noexcept;      // of null and inactive requests
void set_null_peer_status(MPI_Status* status) noexcept;  // of a receive from MPI_PROC_NULL
Ending ending_of(const net::Request& request);

inline bool ignored(const MPI_Status* status) noexcept { return status == MPI_STATUS_IGNORE; }

}  // namespace vif::mpi
