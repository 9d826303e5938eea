// MPI_Send and its modes, MPI_Recv, MPI_Sendrecv. Their requests are on the stack; nothing is allocated. Context: app.
#include "api.hpp"
#include "mpi/point_to_point.hpp"

namespace vif::mpi {

namespace {

int send_and_wait(const Side& side, net::SendMode mode) {
  net::Request request;
  prepare_send(request, side, side.buffer, mode);
  net::Engine& core = engine();
  net::ApiScope scope(core);
  core.send(request);
  note_message(trace::Act::send, request);
  if (!request.complete()) core.wait(request);
  if (request.status.outcome == net::Outcome::success) [[likely]]
    return MPI_SUCCESS;
  return raise_ending(*side.comm, request);
}

inline int send(Side side, net::SendMode mode) {
  if (!look_up_send(side)) [[unlikely]]
    return refuse_send(side);
  return send_and_wait(side, mode);
}

int receive_and_wait(const Side& side, MPI_Status* status) {
  net::Request request;
  prepare_receive(request, side, side.buffer);
  net::Engine& core = engine();
  net::ApiScope scope(core);
  core.receive(request);
  note_message(trace::Act::receive, request);
  if (!request.complete()) core.wait(request);
  const net::Status& ended = request.status;
  if (!ignored(status)) set_status(status, ended.source, ended.tag, ended.bytes, false);
  if (ended.outcome == net::Outcome::success) [[likely]]
    return MPI_SUCCESS;
  return raise_ending(*side.comm, request);
}

inline int receive(Side side, MPI_Status* status) {
  if (!look_up_receive(side)) [[unlikely]] {
    const int error = refuse_receive(side);
    if (error == MPI_SUCCESS && !ignored(status)) set_null_peer_status(status);
    return error;
  }
  return receive_and_wait(side, status);
}

// Both halves of MPI_Sendrecv. The receive is posted first, so that a message of the same call to oneself finds it.
class Exchange {
 public:
  Exchange(const Side& send, const Side& receive) noexcept : send_(send), receive_(receive) {}

  int run(MPI_Status* status, bool replace) {
    if (const int error = prepare(replace); error != MPI_SUCCESS) return error;
    net::ApiScope scope(engine());
    if (receiving_) engine().receive(incoming_);
    if (sending_) engine().send(outgoing_);
    engine().wait_until(both_complete, this);
    return conclude(status);
  }

 private:
  int prepare(bool replace) {
    sending_ = look_up_send(send_);
    if (!sending_) {
      if (const int error = refuse_send(send_); error != MPI_SUCCESS) return error;
    }
    receiving_ = look_up_receive(receive_);
    if (!receiving_) {
      if (const int error = refuse_receive(receive_); error != MPI_SUCCESS) return error;
    }
    if (sending_) {
      if (replace && !packed_.from(send_)) return raise_no_memory(*send_.comm, send_.bytes);
      fill_send(outgoing_, send_, replace ? packed_.bytes() : send_.buffer, net::SendMode::standard);
    }
    if (receiving_) fill_receive(incoming_, receive_, receive_.buffer);
    return MPI_SUCCESS;
  }

  static bool both_complete(void* self) {
    Exchange& exchange = *static_cast<Exchange*>(self);
    return exchange.incoming_.complete() && exchange.outgoing_.complete();
  }

  int conclude(MPI_Status* status) {
    const net::Status& ended = incoming_.status;
    if (!ignored(status)) {
      if (receiving_) {
        set_status(status, ended.source, ended.tag, ended.bytes, false);
      } else {
        set_null_peer_status(status);
      }
    }
    if (receiving_ && ended.outcome != net::Outcome::success) return raise_ending(*receive_.comm, incoming_);
    if (sending_ && outgoing_.status.outcome != net::Outcome::success) return raise_ending(*send_.comm, outgoing_);
    return MPI_SUCCESS;
  }

  Side send_;
  Side receive_;
  bool sending_ = false;
  bool receiving_ = false;
  Packed packed_;
  net::Request outgoing_;
  net::Request incoming_;
};

int exchange(const Side& send, const Side& receive, MPI_Status* status, bool replace) {
  return Exchange(send, receive).run(status, replace);
}

}  // namespace

namespace api {

int Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send(side_of(buf, count, datatype, dest, tag, comm), net::SendMode::standard);
}

int Send_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send(side_of(buf, count, datatype, dest, tag, comm), net::SendMode::standard);
}

int Ssend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send(side_of(buf, count, datatype, dest, tag, comm), net::SendMode::synchronous);
}

int Ssend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send(side_of(buf, count, datatype, dest, tag, comm), net::SendMode::synchronous);
}

// A ready send promises a posted receive: the standard mode makes the same use of it.
int Rsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send(side_of(buf, count, datatype, dest, tag, comm), net::SendMode::standard);
}

int Rsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send(side_of(buf, count, datatype, dest, tag, comm), net::SendMode::standard);
}

int Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return receive(side_of(buf, count, datatype, source, tag, comm), status);
}

int Recv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return receive(side_of(buf, count, datatype, source, tag, comm), status);
}

int Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
             int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return exchange(side_of(sendbuf, sendcount, sendtype, dest, sendtag, comm),
                  side_of(recvbuf, recvcount, recvtype, source, recvtag, comm), status, false);
}

int Sendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
               MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return exchange(side_of(sendbuf, sendcount, sendtype, dest, sendtag, comm),
                  side_of(recvbuf, recvcount, recvtype, source, recvtag, comm), status, false);
}

int Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
                     MPI_Comm comm, MPI_Status* status) {
  return exchange(side_of(buf, count, datatype, dest, sendtag, comm),
                  side_of(buf, count, datatype, source, recvtag, comm), status, true);
}

int Sendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source,
                       int recvtag, MPI_Comm comm, MPI_Status* status) {
  return exchange(side_of(buf, count, datatype, dest, sendtag, comm),
                  side_of(buf, count, datatype, source, recvtag, comm), status, true);
}

}  // namespace api

}  // namespace vif::mpi
