// MPI_Comm_dup and its forms. Context: app.
#include <new>

#include "api.hpp"
#include "mpi/attribute.hpp"
#include "mpi/collective.hpp"
#include "mpi/comm_create.hpp"
#include "mpi/comm_hints.hpp"
#include "mpi/diary.hpp"
#include "mpi/errors.hpp"
#include "mpi/info.hpp"
#include "mpi/request.hpp"

namespace vif::mpi {

namespace {

void drop(Comm* shell) {
  delete_attributes(*shell);
  release(*shell);
}

// A copy of everything but the numbers. Null, with the error raised, when a callback of an attribute refuses.
Comm* new_shell(Comm& parent, Info* info, int& error) {
  Comm* shell = new_alike(parent);
  inherit(*shell, parent);
  shell->topology = parent.topology;
  if (info != nullptr) shell->info = copy_of(info);
  error = copy_attributes(parent, *shell);
  if (error == MPI_SUCCESS) return shell;
  drop(shell);
  error = raise_code(&parent, error);
  return nullptr;
}

// Finds the communicator and the info; false, with the error raised, when one is wrong.
bool look_up(MPI_Comm handle, MPI_Info info_handle, Comm*& parent, Info*& info, int& error) {
  parent = comm_of(handle);
  if (parent == nullptr) {
    error = raise_no_comm();
    return false;
  }
  info = info_of(info_handle);
  if (info == nullptr && info_handle != MPI_INFO_NULL) {
    error = raise(parent, MPI_ERR_INFO, "the info object has been freed, or never was one");
    return false;
  }
  error = check_hints(parent, info);
  if (error != MPI_SUCCESS) return false;
  note_collective(*parent, -1);
  return true;
}

int duplicate(MPI_Comm handle, MPI_Info info_handle, MPI_Comm* out) {
  Comm* parent;
  Info* info;
  int error;
  *out = MPI_COMM_NULL;
  if (!look_up(handle, info_handle, parent, info, error)) return error;
  Comm* shell = new_shell(*parent, info, error);
  if (shell == nullptr) return error;
  net::ApiScope scope(engine());
  Birth birth;
  if (parent->collectives.rank == 0) birth = new_birth(*shell);
  const net::Outcome outcome = coll::bcast(parent->collectives, &birth, sizeof birth, 0);
  if (outcome != net::Outcome::success || birth.context == ContextIds::none) {
    drop(shell);
    return outcome != net::Outcome::success ? raise_outcome(*parent, outcome) : raise_no_contexts(parent);
  }
  enliven(*shell, birth);
  *out = shell->handle;
  return MPI_SUCCESS;
}

// MPI_Comm_idup: the leader's numbers travel by a broadcast that nobody waits for.
class Duplication final : public Work {
 public:
  Duplication(Comm& parent, Comm* shell) : shell_(shell) {
    if (parent.collectives.rank == 0) birth_ = new_birth(*shell);
    operation_ = coll::make_bcast(parent.collectives, &birth_, sizeof birth_, 0);
  }
  Ending start() override {
    operation_->start();
    return {};
  }
  bool complete() noexcept override { return operation_->complete(); }
  Ending finish(MPI_Status&) override {
    if (operation_->outcome() != net::Outcome::success) return ending_of(operation_->outcome());
    if (birth_.context == ContextIds::none)
      return {MPI_ERR_OTHER, "the leader of the communicator has no numbers left"};
    enliven(*shell_, birth_);
    return {};
  }
  bool made() const noexcept { return operation_ != nullptr; }

 private:
  Comm* shell_;
  Birth birth_;
  coll::OperationPointer operation_;
};

int duplicate_later(MPI_Comm handle, MPI_Info info_handle, MPI_Comm* out, MPI_Request* out_request) {
  Comm* parent;
  Info* info;
  int error;
  *out = MPI_COMM_NULL;
  if (!look_up(handle, info_handle, parent, info, error)) return error;
  Comm* shell = new_shell(*parent, info, error);
  if (shell == nullptr) return error;
  net::ApiScope scope(engine());
  RequestObject* request = take_request(RequestKind::work, *parent);
  auto* work = new (std::nothrow) Duplication(*parent, shell);
  if (request == nullptr || work == nullptr || !work->made()) {
    delete work;
    if (request != nullptr) give_back(request);
    drop(shell);
    return raise(parent, MPI_ERR_NO_MEM, "there is no memory for a duplication");
  }
  request->work = work;
  request->active = true;
  work->start();
  *out = shell->handle;
  *out_request = handle_of(request);
  return MPI_SUCCESS;
}

}  // namespace

namespace api {

int Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) { return duplicate(comm, MPI_INFO_NULL, newcomm); }

int Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) { return duplicate(comm, info, newcomm); }

int Comm_idup(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  return duplicate_later(comm, MPI_INFO_NULL, newcomm, request);
}

int Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request) {
  return duplicate_later(comm, info, newcomm, request);
}

}  // namespace api

}  // namespace vif::mpi
