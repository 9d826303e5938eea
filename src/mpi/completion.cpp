// The endings of requests, alone and together; MPI_Wait, MPI_Test, MPI_Request_get_status. Context: app.
#include "mpi/completion.hpp"

#include "api.hpp"
#include "mpi/diary.hpp"

namespace vif::mpi {

int check_requests(int count, const MPI_Request* requests) {
  if (count < 0) return raise(nullptr, MPI_ERR_COUNT, "the number of requests is negative");
  for (int i = 0; i < count; ++i) {
    if (requests[i] != MPI_REQUEST_NULL && request_of(requests[i]) == nullptr) [[unlikely]] {
      return raise(nullptr, MPI_ERR_REQUEST,
                   "request " + std::to_string(i) + " of the array has been freed, or never was one");
    }
  }
  return MPI_SUCCESS;
}

namespace {

int raise_not_a_request() { return raise(nullptr, MPI_ERR_REQUEST, "the request has been freed, or never was one"); }

void retire(MPI_Request* handle, RequestObject* request) {
  if (request->persistent) return;
  *handle = MPI_REQUEST_NULL;
  give_back(request);
}

bool condition(void* request) { return is_complete(*static_cast<RequestObject*>(request)); }

}  // namespace

Ending end_request(MPI_Request* handle, MPI_Status* status) {
  RequestObject* request = request_of(*handle);
  Ending ending = finish(*request, status);
  retire(handle, request);
  return ending;
}

int end_and_raise(MPI_Request* handle, MPI_Status* status) {
  RequestObject* request = request_of(*handle);
  const Ending ending = finish(*request, status);
  if (ending.error == MPI_SUCCESS) [[likely]] {
    retire(handle, request);
    return MPI_SUCCESS;
  }
  Comm* comm = request->comm;
  retain(*comm);
  retire(handle, request);
  const int error = raise(comm, ending.error, ending.sentence);
  release(*comm);
  return error;
}

void SeveralEndings::end(MPI_Request* handle) {
  Comm* comm = request_of(*handle)->comm;
  retain(*comm);
  note(end_request(handle, next()), comm);
  release(*comm);
}

void SeveralEndings::nothing() {
  if (!ignored(statuses_)) set_empty_status(next());
  note({}, nullptr);
}

void SeveralEndings::note(const Ending& ending, Comm* comm) {
  if (ending.error != MPI_SUCCESS && failed_on_ == nullptr) {
    failed_on_ = comm;
    retain(*comm);
    sentence_ = "of the requests, the one that is number " + std::to_string(ended_) +
                " among the completed failed: " + ending.sentence;
    for (int i = 0; i < ended_ && !ignored(statuses_); ++i) statuses_[i].MPI_ERROR = MPI_SUCCESS;
  }
  if (failed_on_ != nullptr && !ignored(statuses_)) next()->MPI_ERROR = ending.error;
  ++ended_;
}

int SeveralEndings::raise_errors() {
  if (failed_on_ == nullptr) return MPI_SUCCESS;
  const int error = raise(failed_on_, MPI_ERR_IN_STATUS, sentence_);
  release(*failed_on_);
  failed_on_ = nullptr;
  return error;
}

namespace {

// What MPI_Request_get_status and its array forms do with one request.
bool peek(MPI_Request handle, MPI_Status* status) {
  if (has_nothing(handle)) {
    if (!ignored(status)) set_empty_status(status);
    return true;
  }
  RequestObject& request = *request_of(handle);
  if (!is_complete(request)) return false;
  if (const Ending ending = peek_status(request, status); ending.error != MPI_SUCCESS) {
    raise(request.comm, ending.error, ending.sentence);
  }
  return true;
}

MPI_Status* status_at(MPI_Status* statuses, int index) noexcept {
  return ignored(statuses) ? MPI_STATUS_IGNORE : &statuses[index];
}

}  // namespace

namespace api {

int Wait(MPI_Request* request, MPI_Status* status) {
  RequestObject* object = request_of(*request);
  if (object == nullptr || !object->active) {
    if (object == nullptr && *request != MPI_REQUEST_NULL) return raise_not_a_request();
    if (!ignored(status)) set_empty_status(status);
    return MPI_SUCCESS;
  }
  net::ApiScope scope(engine());
  if (!is_complete(*object)) {
    note_wait(*object);
    engine().wait_until(condition, object);
  }
  return end_and_raise(request, status);
}

int Test(MPI_Request* request, int* flag, MPI_Status* status) {
  RequestObject* object = request_of(*request);
  if (object == nullptr || !object->active) {
    if (object == nullptr && *request != MPI_REQUEST_NULL) return raise_not_a_request();
    *flag = 1;
    if (!ignored(status)) set_empty_status(status);
    return MPI_SUCCESS;
  }
  net::ApiScope scope(engine());
  *flag = is_complete(*object);
  if (!*flag) {
    engine().progress();
    *flag = is_complete(*object);
  }
  if (!*flag) note_wait(*object);
  return *flag ? end_and_raise(request, status) : MPI_SUCCESS;
}

int Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  if (const int error = check_requests(1, &request); error != MPI_SUCCESS) return error;
  net::ApiScope scope(engine());
  *flag = peek(request, status);
  if (!*flag) {
    engine().progress();
    *flag = peek(request, status);
  }
  return MPI_SUCCESS;
}

int Request_get_status_all(int count, const MPI_Request array_of_requests[], int* flag, MPI_Status* array_of_statuses) {
  if (const int error = check_requests(count, array_of_requests); error != MPI_SUCCESS) return error;
  net::ApiScope scope(engine());
  engine().progress();
  *flag = 1;
  for (int i = 0; i < count && *flag; ++i) *flag = peek(array_of_requests[i], status_at(array_of_statuses, i));
  return MPI_SUCCESS;
}

int Request_get_status_any(int count, const MPI_Request array_of_requests[], int* indx, int* flag, MPI_Status* status) {
  if (const int error = check_requests(count, array_of_requests); error != MPI_SUCCESS) return error;
  net::ApiScope scope(engine());
  engine().progress();
  *indx = MPI_UNDEFINED;
  bool some_active = false;
  for (int i = 0; i < count; ++i) {
    if (has_nothing(array_of_requests[i])) continue;
    some_active = true;
    if (!peek(array_of_requests[i], status)) continue;
    *indx = i;
    *flag = 1;
    return MPI_SUCCESS;
  }
  *flag = !some_active;
  if (!some_active && !ignored(status)) set_empty_status(status);
  return MPI_SUCCESS;
}

int Request_get_status_some(int incount, const MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
                            MPI_Status* array_of_statuses) {
  if (const int error = check_requests(incount, array_of_requests); error != MPI_SUCCESS) return error;
  net::ApiScope scope(engine());
  engine().progress();
  int complete = 0;
  bool some_active = false;
  for (int i = 0; i < incount; ++i) {
    if (has_nothing(array_of_requests[i])) continue;
    some_active = true;
    if (peek(array_of_requests[i], status_at(array_of_statuses, complete))) array_of_indices[complete++] = i;
  }
  *outcount = some_active ? complete : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

}  // namespace api

}  // namespace vif::mpi
