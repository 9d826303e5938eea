// Requests: completion, statuses. The pool is in request_pool.cpp. Context: app.
#include "mpi/request.hpp"

#include <cstdlib>
#include <cstring>

namespace vif::mpi {

void set_status(MPI_Status* status, int source, int tag, uint64_t bytes, bool cancelled) noexcept {
  status->MPI_SOURCE = source;
  status->MPI_TAG = tag;
  std::memcpy(&status->MPI_internal[0], &bytes, sizeof bytes);
  status->MPI_internal[2] = cancelled ? 1 : 0;
}

void set_empty_status(MPI_Status* status) noexcept {
  set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, false);
  status->MPI_ERROR = MPI_SUCCESS;
}

void set_null_peer_status(MPI_Status* status) noexcept { set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false); }

Ending ending_of(const net::Request& request) {
  const net::Status& status = request.status;
  const std::string peer = "process " + std::to_string(request.process) + " of the job";
  switch (status.outcome) {
    case net::Outcome::success:
    case net::Outcome::cancelled:
      return {};
    case net::Outcome::truncated:
      return {MPI_ERR_TRUNCATE, "the message of tag " + std::to_string(status.tag) + " from rank " +
                                    std::to_string(status.source) + " is longer than the " +
                                    std::to_string(request.length) +
                                    " bytes of room that the receive gave it; give the receive at least as many "
                                    "elements as the send, or ask MPI_Probe for the size first"};
    case net::Outcome::peer_dead:
      return {MPI_ERR_PROC_ABORTED, peer + " has died, so this operation with it cannot complete"};
    case net::Outcome::link_error:
      return {MPI_ERR_OTHER, "the link to " + peer + " failed"};
  }
  return {MPI_ERR_INTERN, "a request ended in an unknown way"};
}

bool is_complete(RequestObject& request) noexcept {
  switch (request.kind) {
    case RequestKind::empty:
      return true;
    case RequestKind::send:
    case RequestKind::receive:
      return request.net.complete();
    case RequestKind::exchange:
      return request.net.complete() && is_complete(*request.partner);
    case RequestKind::work:
      return request.work->complete();
  }
  return true;
}

namespace {

bool is_receive(const RequestObject& request) noexcept {
  return request.kind == RequestKind::receive || request.kind == RequestKind::exchange;
}

void status_of_transfer(const RequestObject& request, MPI_Status* status) noexcept {
  const net::Status& net = request.net.status;
  const bool cancelled = net.outcome == net::Outcome::cancelled;
  if (request.null_peer) {
    set_null_peer_status(status);
  } else if (is_receive(request) && !cancelled) {
    set_status(status, net.source, net.tag, net.bytes, false);
  } else {
    set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, cancelled);
  }
}

}  // namespace

Ending peek_status(const RequestObject& request, MPI_Status* status) {
  MPI_Status own;
  set_empty_status(&own);
  Ending ending;
  if (request.kind == RequestKind::work) {
    ending = request.work->peek(own);
  } else if (request.kind == RequestKind::send || is_receive(request) || request.null_peer) {
    status_of_transfer(request, &own);
  }
  if (!ignored(status)) *status = own;
  return ending;
}

Ending finish(RequestObject& request, MPI_Status* status) {
  request.active = false;
  if (request.kind == RequestKind::work) {
    MPI_Status own;
    set_empty_status(&own);
    Ending ending = request.work->finish(own);
    if (!ignored(status)) {
      const int error = status->MPI_ERROR;  // a completion of one request leaves it alone
      *status = own;
      status->MPI_ERROR = error;
    }
    return ending;
  }
  if (!ignored(status)) status_of_transfer(request, status);
  if (request.kind == RequestKind::empty) return {};
  if (request.kind == RequestKind::exchange) {
    Ending other = finish(*request.partner, MPI_STATUS_IGNORE);
    if (other.error != MPI_SUCCESS) return other;
  }
  if (request.net.status.outcome == net::Outcome::success) [[likely]]
    return {};
  return ending_of(request.net);
}

}  // namespace vif::mpi
