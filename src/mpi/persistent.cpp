// Persistent point-to-point: MPI_Send_init and its modes, MPI_Recv_init, MPI_Start, MPI_Startall, MPI_Request_free; and
// MPI_Cancel. Context: app.
#include "api.hpp"
#include "mpi/point_to_point.hpp"
#include "mpi/point_to_point_buffered.hpp"

namespace vif::mpi {

namespace {

// The buffered send of a persistent request: each start copies the message anew.
struct BufferedStart final : Work {
  explicit BufferedStart(const Side& side) : side_(side) { retain(*side_.type); }
  ~BufferedStart() override { release(*side_.type); }
  Ending start() override { return send_buffered(side_); }
  bool complete() noexcept override { return true; }
  Ending finish(MPI_Status&) override { return {}; }

 private:
  Side side_;
};

int give_persistent(Comm& comm, RequestObject* request, MPI_Request* out) {
  if (request == nullptr) return raise_no_memory(comm, 0);
  request->persistent = true;
  *out = handle_of(request);
  return MPI_SUCCESS;
}

int send_init(Side side, net::SendMode mode, MPI_Request* out) {
  if (look_up_send(side)) return give_persistent(*side.comm, new_send(side, mode), out);
  if (const int error = refuse_send(side); error != MPI_SUCCESS) return error;
  return give_persistent(*side.comm, new_empty(*side.comm, false), out);
}

int bsend_init(Side side, MPI_Request* out) {
  if (!look_up_send(side)) {
    if (const int error = refuse_send(side); error != MPI_SUCCESS) return error;
    return give_persistent(*side.comm, new_empty(*side.comm, false), out);
  }
  RequestObject* request = take_request(RequestKind::work, *side.comm);
  if (request != nullptr) {
    request->work = new (std::nothrow) BufferedStart(side);
    if (request->work == nullptr) {
      give_back(request);
      request = nullptr;
    }
  }
  return give_persistent(*side.comm, request, out);
}

int receive_init(Side side, MPI_Request* out) {
  if (look_up_receive(side)) return give_persistent(*side.comm, new_receive(side), out);
  if (const int error = refuse_receive(side); error != MPI_SUCCESS) return error;
  return give_persistent(*side.comm, new_empty(*side.comm, true), out);
}

int refuse_request(const char* sentence) { return raise(nullptr, MPI_ERR_REQUEST, sentence); }

constexpr const char* not_a_request = "the request is MPI_REQUEST_NULL, has been freed, or never was one";

int start(MPI_Request handle) {
  RequestObject* request = request_of(handle);
  if (request == nullptr) return refuse_request(not_a_request);
  if (!request->persistent) {
    return refuse_request("the request is not persistent; only those made by an MPI_..._init function can be started");
  }
  if (request->active) {
    return refuse_request("the request is active already; complete it (MPI_Wait, MPI_Test) before starting it again");
  }
  const Ending ending = start_request(*request);
  if (ending.error == MPI_SUCCESS) return MPI_SUCCESS;
  request->active = false;
  return raise(request->comm, ending.error, ending.sentence);
}

}  // namespace

namespace api {

int Send_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return send_init(side_of(buf, count, datatype, dest, tag, comm), net::SendMode::standard, request);
}

int Send_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                MPI_Request* request) {
  return send_init(side_of(buf, count, datatype, dest, tag, comm), net::SendMode::standard, request);
}

int Ssend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return send_init(side_of(buf, count, datatype, dest, tag, comm), net::SendMode::synchronous, request);
}

int Ssend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  return send_init(side_of(buf, count, datatype, dest, tag, comm), net::SendMode::synchronous, request);
}

int Rsend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return send_init(side_of(buf, count, datatype, dest, tag, comm), net::SendMode::standard, request);
}

int Rsend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  return send_init(side_of(buf, count, datatype, dest, tag, comm), net::SendMode::standard, request);
}

int Bsend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return bsend_init(side_of(buf, count, datatype, dest, tag, comm), request);
}

int Bsend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  return bsend_init(side_of(buf, count, datatype, dest, tag, comm), request);
}

int Recv_init(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  return receive_init(side_of(buf, count, datatype, source, tag, comm), request);
}

int Recv_init_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                MPI_Request* request) {
  return receive_init(side_of(buf, count, datatype, source, tag, comm), request);
}

int Start(MPI_Request* request) {
  net::ApiScope scope(engine());
  return start(*request);
}

int Startall(int count, MPI_Request array_of_requests[]) {
  if (count < 0) return raise(nullptr, MPI_ERR_COUNT, "the number of requests is negative");
  net::ApiScope scope(engine());
  for (int i = 0; i < count; ++i) {
    if (const int error = start(array_of_requests[i]); error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int Request_free(MPI_Request* request) {
  RequestObject* object = request_of(*request);
  if (object == nullptr) return refuse_request(not_a_request);
  *request = MPI_REQUEST_NULL;
  if (!object->active) {
    give_back(object);
    return MPI_SUCCESS;
  }
  net::ApiScope scope(engine());
  if (is_complete(*object)) {
    finish(*object, MPI_STATUS_IGNORE);
    give_back(object);
  } else {
    forget_integer(object);
    adopt_orphan(object);
  }
  return MPI_SUCCESS;
}

int Cancel(MPI_Request* request) {
  RequestObject* object = request_of(*request);
  if (object == nullptr) return refuse_request(not_a_request);
  if (object->kind == RequestKind::work && object->active) {
    const Ending ending = object->work->cancel();
    return ending.error == MPI_SUCCESS ? MPI_SUCCESS : raise(object->comm, ending.error, ending.sentence);
  }
  if (object->kind == RequestKind::work || object->kind == RequestKind::exchange) {
    return raise(object->comm, MPI_ERR_REQUEST, "only a send or a receive can be cancelled, and this is neither");
  }
  if (!object->active) {
    return raise(object->comm, MPI_ERR_REQUEST, "the request is not active: there is nothing to cancel");
  }
  if (object->kind == RequestKind::empty) return MPI_SUCCESS;
  net::ApiScope scope(engine());
  engine().cancel(object->net);
  return MPI_SUCCESS;
}

int Test_cancelled(const MPI_Status* status, int* flag) {
  if (ignored(status))
    return raise(nullptr, MPI_ERR_ARG, "the status is MPI_STATUS_IGNORE, of which nothing is known.");
  *flag = status->MPI_internal[2] != 0;
  return MPI_SUCCESS;
}

}  // namespace api

}  // namespace vif::mpi
