// What the completion calls share. Context: app.
#pragma once

#include "mpi/point_to_point.hpp"

namespace vif::mpi {

// A null handle and an inactive request have nothing to wait for; both give the empty status.
inline bool has_nothing(MPI_Request handle) noexcept {
  return handle == MPI_REQUEST_NULL || !request_of(handle)->active;
}

// Raises when a handle of the array is no request, or the count is negative.
int check_requests(int count, const MPI_Request* requests);

// Ends a complete request: status, unpacking, and the handle becomes MPI_REQUEST_NULL unless persistent.
Ending end_request(MPI_Request* handle, MPI_Status* status);
// The same, raising on its communicator what went wrong.
int end_and_raise(MPI_Request* handle, MPI_Status* status);

// Ends several requests of one call, collecting errors in their statuses.
class SeveralEndings {
 public:
  explicit SeveralEndings(MPI_Status* statuses) noexcept : statuses_(statuses) {}
  void end(MPI_Request* handle);
  void nothing();      // the next status is empty
  int raise_errors();  // MPI_SUCCESS or what MPI_ERR_IN_STATUS becomes
  int ended() const noexcept { return ended_; }

 private:
  MPI_Status* next() noexcept { return ignored(statuses_) ? MPI_STATUS_IGNORE : &statuses_[ended_]; }
  void note(const Ending& ending, Comm* comm);

  MPI_Status* statuses_;
  int ended_ = 0;
  Comm* failed_on_ = nullptr;  // counted
  std::string sentence_;
};

}  // namespace vif::mpi
