// Point-to-point: why arguments are refused, and the making and starting of requests. Context: app.
#include "mpi/point_to_point.hpp"

#include <string>

#include "mpi/point_to_point_buffered.hpp"

namespace vif::mpi {

namespace {

// Raises what is wrong with communicator, type, count and buffer; MPI_SUCCESS when nothing is.
int refuse_common(const Side& side) {
  if (side.comm == nullptr) {
    return raise(nullptr, MPI_ERR_COMM, "the communicator is MPI_COMM_NULL, has been freed, or never was one");
  }
  if (side.count < 0) {
    return raise(side.comm, MPI_ERR_COUNT, "the count is " + std::to_string(side.count) + "; it must be 0 or more");
  }
  if (side.type == nullptr) {
    return raise(side.comm, MPI_ERR_TYPE, "the datatype is MPI_DATATYPE_NULL, has been freed, or never was one");
  }
  if (!side.type->committed) {
    return raise(side.comm, MPI_ERR_TYPE, "the datatype is not committed; call MPI_Type_commit before using it");
  }
  int64_t bytes;
  if (__builtin_mul_overflow(side.count, side.type->size, &bytes)) {
    return raise(side.comm, MPI_ERR_COUNT,
                 std::to_string(side.count) + " elements are more bytes than 63 bits can count");
  }
  if (side.buffer == nullptr && bytes > 0 && side.type->contiguous) {
    return raise(side.comm, MPI_ERR_BUFFER, "the buffer is a null pointer although the message is not empty");
  }
  return MPI_SUCCESS;
}

std::string rank_sentence(const Comm& comm, const char* what, int rank) {
  return std::string("the ") + what + " " + std::to_string(rank) + " is not a rank of " +
         (comm.is_inter() ? "the remote group of " : "") + describe(comm) + ", whose ranks are 0 to " +
         std::to_string(comm.peers - 1);
}

std::string tag_sentence(int tag) {
  if (tag == MPI_ANY_TAG) return "MPI_ANY_TAG is only for receives and probes; a send needs a tag of 0 or more";
  return "the tag is " + std::to_string(tag) + "; it must be 0 or more (MPI_ANY_TAG in a receive takes any)";
}

}  // namespace

int refuse_send(const Side& side) {
  if (const int error = refuse_common(side); error != MPI_SUCCESS) return error;
  if (side.peer != MPI_PROC_NULL && (side.peer < 0 || side.peer >= side.comm->peers)) {
    return raise(side.comm, MPI_ERR_RANK, rank_sentence(*side.comm, "destination", side.peer));
  }
  if (side.tag < 0) return raise(side.comm, MPI_ERR_TAG, tag_sentence(side.tag));
  return MPI_SUCCESS;
}

int refuse_receive(const Side& side) {
  if (const int error = refuse_common(side); error != MPI_SUCCESS) return error;
  return refuse_probe(side.comm, side.peer, side.tag);
}

int refuse_probe(const Comm* comm, int source, int tag) {
  Comm* checked = const_cast<Comm*>(comm);
  if (comm == nullptr) {
    return raise(nullptr, MPI_ERR_COMM, "the communicator is MPI_COMM_NULL, has been freed, or never was one");
  }
  if (source != MPI_PROC_NULL && source != MPI_ANY_SOURCE && (source < 0 || source >= comm->peers)) {
    return raise(checked, MPI_ERR_RANK, rank_sentence(*comm, "source", source));
  }
  if (tag < 0 && tag != MPI_ANY_TAG) return raise(checked, MPI_ERR_TAG, tag_sentence(tag));
  return MPI_SUCCESS;
}

int raise_no_memory(Comm& comm, int64_t bytes) {
  return raise(&comm, MPI_ERR_NO_MEM, "there is no memory for the " + std::to_string(bytes) + " bytes of this message");
}

int raise_ending(Comm& comm, const net::Request& request) {
  const Ending ending = ending_of(request);
  return ending.error == MPI_SUCCESS ? MPI_SUCCESS : raise(&comm, ending.error, ending.sentence);
}

namespace {

RequestObject* new_transfer(RequestKind kind, const Side& side) noexcept {
  RequestObject* request = take_request(kind, *side.comm);
  if (request == nullptr || side.type->contiguous) return request;
  // The engine walks its layout; the program may free its handle meanwhile.
  request->type = side.type;
  retain(*side.type);
  return request;
}

}  // namespace

RequestObject* new_send(const Side& side, net::SendMode mode) noexcept {
  RequestObject* request = new_transfer(RequestKind::send, side);
  if (request != nullptr) {
    fill_send(request->net, side, side.buffer, mode);
  }
  return request;
}

RequestObject* new_receive(const Side& side) noexcept {
  RequestObject* request = new_transfer(RequestKind::receive, side);
  if (request != nullptr) {
    fill_receive(request->net, side, side.buffer);
  }
  return request;
}

RequestObject* new_empty(Comm& comm, bool receive) noexcept {
  RequestObject* request = take_request(RequestKind::empty, comm);
  if (request != nullptr) request->null_peer = receive;
  return request;
}

Ending start_request(RequestObject& request) {
  request.active = true;
  switch (request.kind) {
    case RequestKind::empty:
      return {};
    case RequestKind::send:
      engine().send(request.net);
      return {};
    case RequestKind::exchange:
      engine().receive(request.net);
      return start_request(*request.partner);
    case RequestKind::receive:
      engine().receive(request.net);
      return {};
    case RequestKind::work:
      return request.work->start();
  }
  return {MPI_ERR_INTERN, "a request of an unknown kind was started"};
}

}  // namespace vif::mpi
