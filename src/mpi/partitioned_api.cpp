// MPI_Psend_init, MPI_Precv_init, MPI_Pready and its forms, MPI_Parrived. Context: app.
#include <new>

#include "api.hpp"
#include "mpi/partitioned.hpp"

namespace vif::mpi {
namespace {

int raise_partitions(Comm* comm, int partitions) {
  return raise(comm, MPI_ERR_ARG, "the number of partitions must be positive, not " + std::to_string(partitions));
}

template <class Kind>
int make(const Side& side, int partitions, MPI_Request* out) {
  RequestObject* request = take_request(RequestKind::work, *side.comm);
  if (request != nullptr) {
    net::ApiScope scope(engine());
    request->work = new (std::nothrow) Kind(side, partitions);
  }
  if (request == nullptr || request->work == nullptr) {
    if (request != nullptr) give_back(request);
    return raise_no_memory(*side.comm, 0);
  }
  request->persistent = true;
  *out = handle_of(request);
  return MPI_SUCCESS;
}

int make_empty(Comm& comm, bool receive, MPI_Request* out) {
  RequestObject* request = new_empty(comm, receive);
  if (request == nullptr) return raise_no_memory(comm, 0);
  request->persistent = true;
  *out = handle_of(request);
  return MPI_SUCCESS;
}

int send_init(Side side, int partitions, MPI_Request* out) {
  const bool good = look_up_send(side);
  if (side.comm == nullptr) return refuse_send(side);
  if (partitions <= 0) return raise_partitions(side.comm, partitions);
  if (out == nullptr) return raise_null_argument(side.comm, "request");
  if (good) return make<PartitionedSend>(side, partitions, out);
  if (const int error = refuse_send(side); error != MPI_SUCCESS) return error;
  return make_empty(*side.comm, false, out);
}

int receive_init(Side side, int partitions, MPI_Request* out) {
  const bool good = look_up_receive(side);
  if (side.comm == nullptr) return refuse_receive(side);
  if (partitions <= 0) return raise_partitions(side.comm, partitions);
  if (out == nullptr) return raise_null_argument(side.comm, "request");
  if (side.peer == MPI_ANY_SOURCE || side.tag == MPI_ANY_TAG) {
    return raise(side.comm, side.peer == MPI_ANY_SOURCE ? MPI_ERR_RANK : MPI_ERR_TAG,
                 "a partitioned receive names its source and its tag; wildcards are not allowed.");
  }
  if (good) return make<PartitionedReceive>(side, partitions, out);
  if (const int error = refuse_receive(side); error != MPI_SUCCESS) return error;
  return make_empty(*side.comm, true, out);
}

// MPI_SUCCESS, or what was raised. A message to MPI_PROC_NULL has no parts to look at: `found` is null then.
template <class Kind>
int find(MPI_Request handle, const char* what, bool must_be_active, Kind*& found) {
  found = nullptr;
  RequestObject* request = request_of(handle);
  if (request != nullptr && request->kind == RequestKind::empty && request->persistent) return MPI_SUCCESS;
  found = request == nullptr || request->kind != RequestKind::work ? nullptr : dynamic_cast<Kind*>(request->work);
  if (found == nullptr) return raise(nullptr, MPI_ERR_REQUEST, std::string("the request is not ") + what);
  if (must_be_active && !request->active) {
    return raise(request->comm, MPI_ERR_REQUEST, "the request is not active; start it before.");
  }
  return MPI_SUCCESS;
}

constexpr const char* a_send = "a partitioned send, made by MPI_Psend_init.";

int ready(MPI_Request handle, PartitionedSend& send, int partition) {
  const Ending ending = send.ready(partition);
  return ending.error == MPI_SUCCESS ? MPI_SUCCESS : raise(request_of(handle)->comm, ending.error, ending.sentence);
}

}  // namespace

namespace api {

int Psend_init(const void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return send_init(side_of(buf, count, datatype, dest, tag, comm), partitions, request);
}

int Precv_init(void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
               MPI_Info, MPI_Request* request) {
  return receive_init(side_of(buf, count, datatype, source, tag, comm), partitions, request);
}

int Psend_init_c(const void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return send_init(side_of(buf, count, datatype, dest, tag, comm), partitions, request);
}

int Precv_init_c(void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                 MPI_Info, MPI_Request* request) {
  return receive_init(side_of(buf, count, datatype, source, tag, comm), partitions, request);
}

int Pready(int partition, MPI_Request request) { return Pready_range(partition, partition, request); }

int Pready_range(int partition_low, int partition_high, MPI_Request request) {
  PartitionedSend* send;
  if (const int error = find(request, a_send, true, send); error != MPI_SUCCESS || send == nullptr) return error;
  if (partition_low > partition_high) {
    return raise(request_of(request)->comm, MPI_ERR_ARG, "the first partition comes after the last.");
  }
  net::ApiScope scope(engine());
  for (int partition = partition_low; partition <= partition_high; ++partition) {
    if (const int error = ready(request, *send, partition); error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int Pready_list(int length, const int array_of_partitions[], MPI_Request request) {
  PartitionedSend* send;
  if (const int error = find(request, a_send, true, send); error != MPI_SUCCESS || send == nullptr) return error;
  if (length < 0) return raise(request_of(request)->comm, MPI_ERR_COUNT, "the length of the list is negative");
  net::ApiScope scope(engine());
  for (int i = 0; i < length; ++i) {
    if (const int error = ready(request, *send, array_of_partitions[i]); error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int Parrived(MPI_Request request, int partition, int* flag) {
  if (flag == nullptr) return raise_null_argument(nullptr, "flag");
  PartitionedReceive* receive;
  const char* what = "a partitioned receive, made by MPI_Precv_init.";
  if (const int error = find(request, what, false, receive); error != MPI_SUCCESS) return error;
  *flag = 1;  // of a request that is not active, and of one from MPI_PROC_NULL
  if (receive == nullptr || !request_of(request)->active) return MPI_SUCCESS;
  if (partition < 0 || partition >= receive->parts()) {
    return raise(request_of(request)->comm, MPI_ERR_ARG, "there is no partition " + std::to_string(partition));
  }
  net::ApiScope scope(engine());
  *flag = receive->arrived(partition);
  if (*flag == 0) {
    engine().progress();
    *flag = receive->arrived(partition);
  }
  return MPI_SUCCESS;
}

}  // namespace api
}  // namespace vif::mpi
