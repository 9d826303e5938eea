// MPI_Isend and its modes, MPI_Irecv, MPI_Isendrecv. Context: app.
#include "api.hpp"
#include "mpi/point_to_point.hpp"

namespace vif::mpi {

namespace {

int give_empty(Comm& comm, bool receive, MPI_Request* out) {
  RequestObject* request = new_empty(comm, receive);
  if (request == nullptr) return raise_no_memory(comm, 0);
  request->active = true;
  *out = handle_of(request);
  return MPI_SUCCESS;
}

int start(RequestObject* request, MPI_Request* out) {
  net::ApiScope scope(engine());
  start_request(*request);
  *out = handle_of(request);
  return MPI_SUCCESS;
}

inline int isend(Side side, net::SendMode mode, MPI_Request* out) {
  if (!look_up_send(side)) [[unlikely]] {
    const int error = refuse_send(side);
    return error == MPI_SUCCESS ? give_empty(*side.comm, false, out) : error;
  }
  RequestObject* request = new_send(side, mode);
  if (request == nullptr) [[unlikely]]
    return raise_no_memory(*side.comm, side.bytes);
  return start(request, out);
}

inline int irecv(Side side, MPI_Request* out) {
  if (!look_up_receive(side)) [[unlikely]] {
    const int error = refuse_receive(side);
    return error == MPI_SUCCESS ? give_empty(*side.comm, true, out) : error;
  }
  RequestObject* request = new_receive(side);
  if (request == nullptr) [[unlikely]]
    return raise_no_memory(*side.comm, side.bytes);
  return start(request, out);
}

// With `replace`, what is sent is copied first: the receive goes into the same memory.
RequestObject* new_outgoing_half(const Side& send, bool replace) {
  RequestObject* request = new_send(send, net::SendMode::standard);
  if (request == nullptr || !replace) return request;
  request->staging = std::malloc(static_cast<size_t>(send.bytes) + 1);
  if (request->staging == nullptr) {
    give_back(request);
    return nullptr;
  }
  pack(*send.type, send.count, send.buffer, request->staging);
  request->net.buffer = request->staging;
  request->net.view = {};
  return request;
}

int isendrecv(Side send, Side receive, bool replace, MPI_Request* out) {
  const bool sending = look_up_send(send);
  if (!sending) {
    if (const int error = refuse_send(send); error != MPI_SUCCESS) return error;
  }
  const bool receiving = look_up_receive(receive);
  if (!receiving) {
    if (const int error = refuse_receive(receive); error != MPI_SUCCESS) return error;
  }
  RequestObject* outgoing = sending ? new_outgoing_half(send, replace) : new_empty(*send.comm, false);
  RequestObject* incoming = receiving ? new_receive(receive) : new_empty(*send.comm, true);
  if (outgoing == nullptr || incoming == nullptr) {
    if (outgoing != nullptr) give_back(outgoing);
    if (incoming != nullptr) give_back(incoming);
    return raise_no_memory(*send.comm, send.bytes + receive.bytes);
  }
  incoming->partner = outgoing;
  if (receiving) {
    incoming->kind = RequestKind::exchange;
    return start(incoming, out);
  }
  incoming->active = true;
  incoming->kind = RequestKind::exchange;
  incoming->net.status = net::Status{};
  incoming->net.done.store(1, std::memory_order_relaxed);
  net::ApiScope scope(engine());
  start_request(*outgoing);
  *out = handle_of(incoming);
  return MPI_SUCCESS;
}

}  // namespace

namespace api {

int Isend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  return isend(side_of(buf, count, datatype, dest, tag, comm), net::SendMode::standard, request);
}

int Isend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
            MPI_Request* request) {
  return isend(side_of(buf, count, datatype, dest, tag, comm), net::SendMode::standard, request);
}

int Issend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  return isend(side_of(buf, count, datatype, dest, tag, comm), net::SendMode::synchronous, request);
}

int Issend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
             MPI_Request* request) {
  return isend(side_of(buf, count, datatype, dest, tag, comm), net::SendMode::synchronous, request);
}

int Irsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  return isend(side_of(buf, count, datatype, dest, tag, comm), net::SendMode::standard, request);
}

int Irsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
             MPI_Request* request) {
  return isend(side_of(buf, count, datatype, dest, tag, comm), net::SendMode::standard, request);
}

int Irecv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  return irecv(side_of(buf, count, datatype, source, tag, comm), request);
}

int Irecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
            MPI_Request* request) {
  return irecv(side_of(buf, count, datatype, source, tag, comm), request);
}

int Isendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
              int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
  return isendrecv(side_of(sendbuf, sendcount, sendtype, dest, sendtag, comm),
                   side_of(recvbuf, recvcount, recvtype, source, recvtag, comm), false, request);
}

int Isendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
                MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                MPI_Request* request) {
  return isendrecv(side_of(sendbuf, sendcount, sendtype, dest, sendtag, comm),
                   side_of(recvbuf, recvcount, recvtype, source, recvtag, comm), false, request);
}

int Isendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
                      MPI_Comm comm, MPI_Request* request) {
  return isendrecv(side_of(buf, count, datatype, dest, sendtag, comm),
                   side_of(buf, count, datatype, source, recvtag, comm), true, request);
}

int Isendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source,
                        int recvtag, MPI_Comm comm, MPI_Request* request) {
  return isendrecv(side_of(buf, count, datatype, dest, sendtag, comm),
                   side_of(buf, count, datatype, source, recvtag, comm), true, request);
}

}  // namespace api

}  // namespace vif::mpi
