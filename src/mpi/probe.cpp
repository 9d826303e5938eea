// MPI_Probe, MPI_Iprobe, the matched probes, and the receives of what they took aside. Context: app.
#include <new>

#include "api.hpp"
#include "mpi/point_to_point.hpp"

namespace vif::mpi {

namespace {

// A message that a matched probe took aside (MPI_Message).
struct MessageObject {
  static constexpr uint32_t alive = 0x4d657373;
  uint32_t magic = alive;
  Comm* comm = nullptr;  // counted
  net::Message* message = nullptr;
};

MPI_Message handle_of(MessageObject* message) noexcept { return reinterpret_cast<MPI_Message>(message); }

void destroy(MessageObject* message) {
  forget_integer(message);
  message->magic = 0;
  release(*message->comm);
  delete message;
}

// What is looked for, and what was found.
struct Search {
  Comm* comm;
  int32_t source;
  int32_t tag;
  bool take;  // set the message aside
  bool found = false;
  net::Message* message = nullptr;
  net::Status status;

  // Also asked again after it said true.
  bool look() noexcept {
    if (found) return true;
    if (take) {
      message = engine().match_probe(comm->context, source, tag, status);
      found = message != nullptr;
    } else {
      found = engine().probe(comm->context, source, tag, status);
    }
    return found;
  }
};

enum class Wait : uint8_t { no, yes };

// False: an error, in `error`, or the peer is MPI_PROC_NULL and `error` is MPI_SUCCESS.
bool search_for(int source, int tag, MPI_Comm handle, Wait wait, Search& search, int& error) {
  search.comm = comm_of(handle);
  const bool right = search.comm != nullptr && source >= MPI_ANY_SOURCE && source < search.comm->peers &&
                     (tag >= 0 || tag == MPI_ANY_TAG);
  if (!right) {
    error = refuse_probe(search.comm, source, tag);
    return false;
  }
  search.source = source == MPI_ANY_SOURCE ? net::any_source : source;
  search.tag = tag == MPI_ANY_TAG ? net::any_tag : tag;
  const int peer = source == MPI_ANY_SOURCE ? -1 : search.comm->processes[source];
  note_message(trace::Act::probe, search.comm->context, peer, search.tag, 0);
  net::ApiScope scope(engine());
  if (!search.look() && wait == Wait::yes) {
    engine().wait_until([](void* it) { return static_cast<Search*>(it)->look(); }, &search);
  }
  return true;
}

void set_status_of(const Search& search, MPI_Status* status) noexcept {
  if (!ignored(status)) set_status(status, search.status.source, search.status.tag, search.status.bytes, false);
}

int probe(int source, int tag, MPI_Comm comm, Wait wait, int* flag, MPI_Status* status) {
  Search search{};
  int error = MPI_SUCCESS;
  if (search_for(source, tag, comm, wait, search, error)) {
    *flag = search.found;
    if (search.found) set_status_of(search, status);
    return MPI_SUCCESS;
  }
  if (error != MPI_SUCCESS) return error;
  *flag = 1;
  if (!ignored(status)) set_null_peer_status(status);
  return MPI_SUCCESS;
}

int match_probe(int source, int tag, MPI_Comm comm, Wait wait, int* flag, MPI_Message* message, MPI_Status* status) {
  Search search{};
  search.take = true;
  int error = MPI_SUCCESS;
  if (!search_for(source, tag, comm, wait, search, error)) {
    if (error != MPI_SUCCESS) return error;
    *flag = 1;
    *message = MPI_MESSAGE_NO_PROC;
    if (!ignored(status)) set_null_peer_status(status);
    return MPI_SUCCESS;
  }
  *flag = search.found;
  if (!search.found) {
    *message = MPI_MESSAGE_NULL;
    return MPI_SUCCESS;
  }
  retain(*search.comm);
  *message = handle_of(new MessageObject{MessageObject::alive, search.comm, search.message});
  set_status_of(search, status);
  return MPI_SUCCESS;
}

// The receive of a message: a request that is active, or null with the error raised.
RequestObject* start_matched(Side side, MPI_Message* handle, int& error) {
  error = MPI_SUCCESS;
  if (*handle == MPI_MESSAGE_NO_PROC) {
    RequestObject* request = new_empty(*process()->self, true);
    if (request == nullptr) {
      error = raise_no_memory(*process()->self, 0);
      return nullptr;
    }
    request->active = true;
    *handle = MPI_MESSAGE_NULL;
    return request;
  }
  MessageObject* message = user_object<MessageObject>(*handle);
  if (message == nullptr) {
    error = raise(nullptr, MPI_ERR_REQUEST, "the message is MPI_MESSAGE_NULL, was received already, or never was one");
    return nullptr;
  }
  side.comm_handle = message->comm->handle;
  side.comm = message->comm;
  if (!look_up_buffer(side)) {
    error = refuse_receive(side);
    return nullptr;
  }
  RequestObject* request = new_receive(side);
  if (request == nullptr) {
    error = raise_no_memory(*side.comm, side.bytes);
    return nullptr;
  }
  request->active = true;
  engine().receive_message(request->net, message->message);
  destroy(message);
  *handle = MPI_MESSAGE_NULL;
  return request;
}

int imrecv(const Side& side, MPI_Message* message, MPI_Request* out) {
  net::ApiScope scope(engine());
  int error;
  RequestObject* request = start_matched(side, message, error);
  if (request != nullptr) *out = handle_of(request);
  return error;
}

int mrecv(const Side& side, MPI_Message* message, MPI_Status* status) {
  net::ApiScope scope(engine());
  int error;
  RequestObject* request = start_matched(side, message, error);
  if (request == nullptr) return error;
  engine().wait_until([](void* r) { return is_complete(*static_cast<RequestObject*>(r)); }, request);
  const Ending ending = finish(*request, status);
  if (ending.error != MPI_SUCCESS) error = raise(request->comm, ending.error, ending.sentence);
  give_back(request);
  return error;
}

Side matched_side(void* buffer, MPI_Count count, MPI_Datatype type) noexcept {
  return side_of(buffer, count, type, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_NULL);
}

}  // namespace

namespace api {

int Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  int flag;
  return probe(source, tag, comm, Wait::yes, &flag, status);
}

int Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  return probe(source, tag, comm, Wait::no, flag, status);
}

int Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  int flag;
  return match_probe(source, tag, comm, Wait::yes, &flag, message, status);
}

int Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  return match_probe(source, tag, comm, Wait::no, flag, message, status);
}

int Mrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
  return mrecv(matched_side(buf, count, datatype), message, status);
}

int Mrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
  return mrecv(matched_side(buf, count, datatype), message, status);
}

int Imrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) {
  return imrecv(matched_side(buf, count, datatype), message, request);
}

int Imrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) {
  return imrecv(matched_side(buf, count, datatype), message, request);
}

}  // namespace api

}  // namespace vif::mpi
