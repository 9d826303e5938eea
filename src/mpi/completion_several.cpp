// The completion of several requests: MPI_Wait and MPI_Test with all, any, some. Context: app.
#include "api.hpp"
#include "mpi/completion.hpp"
#include "mpi/diary.hpp"

namespace vif::mpi {

namespace {

// The requests of one call, as the waiting loop looks at them.
struct Set {
  int count;
  MPI_Request* requests;
  int at = 0;      // all: those before are complete. any: the complete one
  int noted = -1;  // all: the one that the diary says is waited for

  bool complete(int i) const noexcept { return is_complete(*request_of(requests[i])); }
};

// Mostly looks at one request: the first that is not complete.
bool all_complete(void* argument) {
  Set& set = *static_cast<Set*>(argument);
  while (set.at < set.count && (has_nothing(set.requests[set.at]) || set.complete(set.at))) ++set.at;
  if (set.at == set.count) return true;
  if (set.noted != set.at) note_wait(*request_of(set.requests[set.at]));
  set.noted = set.at;
  return false;
}

bool any_complete(void* argument) {
  Set& set = *static_cast<Set*>(argument);
  for (int i = 0; i < set.count; ++i) {
    if (has_nothing(set.requests[i]) || !set.complete(i)) continue;
    set.at = i;
    return true;
  }
  for (int i = 0; i < set.count && set.noted < 0; ++i) {
    if (has_nothing(set.requests[i])) continue;
    note_wait(*request_of(set.requests[i]));
    set.noted = i;
  }
  return false;
}

bool all_inactive(const Set& set) noexcept {
  for (int i = 0; i < set.count; ++i) {
    if (!has_nothing(set.requests[i])) return false;
  }
  return true;
}

int end_all(const Set& set, MPI_Status* statuses) {
  SeveralEndings endings(statuses);
  for (int i = 0; i < set.count; ++i) {
    if (has_nothing(set.requests[i])) {
      endings.nothing();
    } else {
      endings.end(&set.requests[i]);
    }
  }
  return endings.raise_errors();
}

int end_some(const Set& set, int* outcount, int* indices, MPI_Status* statuses) {
  SeveralEndings endings(statuses);
  for (int i = 0; i < set.count; ++i) {
    if (has_nothing(set.requests[i]) || !set.complete(i)) continue;
    indices[endings.ended()] = i;
    endings.end(&set.requests[i]);
  }
  *outcount = endings.ended();
  return endings.raise_errors();
}

int none_of(int* index, MPI_Status* status) {
  *index = MPI_UNDEFINED;
  if (!ignored(status)) set_empty_status(status);
  return MPI_SUCCESS;
}

}  // namespace

namespace api {

int Waitall(int count, MPI_Request array_of_requests[], MPI_Status* array_of_statuses) {
  if (const int error = check_requests(count, array_of_requests); error != MPI_SUCCESS) return error;
  Set set{count, array_of_requests};
  net::ApiScope scope(engine());
  if (!all_complete(&set)) engine().wait_until(all_complete, &set);
  return end_all(set, array_of_statuses);
}

int Testall(int count, MPI_Request array_of_requests[], int* flag, MPI_Status* array_of_statuses) {
  if (const int error = check_requests(count, array_of_requests); error != MPI_SUCCESS) return error;
  Set set{count, array_of_requests};
  net::ApiScope scope(engine());
  *flag = all_complete(&set);
  if (!*flag) {
    engine().progress();
    *flag = all_complete(&set);
  }
  return *flag ? end_all(set, array_of_statuses) : MPI_SUCCESS;
}

int Waitany(int count, MPI_Request array_of_requests[], int* indx, MPI_Status* status) {
  if (const int error = check_requests(count, array_of_requests); error != MPI_SUCCESS) return error;
  Set set{count, array_of_requests};
  if (all_inactive(set)) return none_of(indx, status);
  net::ApiScope scope(engine());
  if (!any_complete(&set)) engine().wait_until(any_complete, &set);
  *indx = set.at;
  return end_and_raise(&array_of_requests[set.at], status);
}

int Testany(int count, MPI_Request array_of_requests[], int* indx, int* flag, MPI_Status* status) {
  if (const int error = check_requests(count, array_of_requests); error != MPI_SUCCESS) return error;
  Set set{count, array_of_requests};
  if (all_inactive(set)) {
    *flag = 1;
    return none_of(indx, status);
  }
  net::ApiScope scope(engine());
  *flag = any_complete(&set);
  if (!*flag) {
    engine().progress();
    *flag = any_complete(&set);
  }
  *indx = *flag ? set.at : MPI_UNDEFINED;
  return *flag ? end_and_raise(&array_of_requests[set.at], status) : MPI_SUCCESS;
}

int Waitsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
             MPI_Status* array_of_statuses) {
  if (const int error = check_requests(incount, array_of_requests); error != MPI_SUCCESS) return error;
  Set set{incount, array_of_requests};
  if (all_inactive(set)) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  net::ApiScope scope(engine());
  if (!any_complete(&set)) engine().wait_until(any_complete, &set);
  return end_some(set, outcount, array_of_indices, array_of_statuses);
}

int Testsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
             MPI_Status* array_of_statuses) {
  if (const int error = check_requests(incount, array_of_requests); error != MPI_SUCCESS) return error;
  Set set{incount, array_of_requests};
  if (all_inactive(set)) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  net::ApiScope scope(engine());
  if (!any_complete(&set)) engine().progress();
  return end_some(set, outcount, array_of_indices, array_of_statuses);
}

}  // namespace api

}  // namespace vif::mpi
