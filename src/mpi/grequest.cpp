// Generalized requests: operations of the program's own, which complete when it says so. Context: app.
#include <atomic>
#include <new>

#include "api.hpp"
#include "mpi/comm.hpp"
#include "mpi/errors.hpp"
#include "mpi/request.hpp"

namespace vif::mpi {
namespace {

struct Generalized final : Work {
  Generalized(MPI_Grequest_query_function* query_function, MPI_Grequest_free_function* free_function,
              MPI_Grequest_cancel_function* cancel_function, void* state)
      : query_(query_function), free_(free_function), cancel_(cancel_function), state_(state) {}

  Ending start() override { return {}; }
  // acquire: partner of the release in end(); what the operation did is seen by whoever completes the request.
  bool complete() noexcept override { return done_.load(std::memory_order_acquire); }

  void end() noexcept { done_.store(true, std::memory_order_release); }

  Ending peek(MPI_Status& status) override {
    status.MPI_ERROR = MPI_SUCCESS;
    return ending(query_ == nullptr ? MPI_SUCCESS : query_(state_, &status), "query");
  }

  Ending finish(MPI_Status& status) override {
    Ending of_query = peek(status);
    Ending of_free = ending(free_ == nullptr ? MPI_SUCCESS : free_(state_), "free");
    return of_query.error != MPI_SUCCESS ? of_query : of_free;
  }

  Ending cancel() override {
    return ending(cancel_ == nullptr ? MPI_SUCCESS : cancel_(state_, complete() ? 1 : 0), "cancel");
  }

 private:
  static Ending ending(int code, const char* which) {
    if (code == MPI_SUCCESS) return {};
    return {code, std::string("the ") + which + " function of a generalized request returned an error"};
  }

  MPI_Grequest_query_function* query_;
  MPI_Grequest_free_function* free_;
  MPI_Grequest_cancel_function* cancel_;
  void* state_;
  std::atomic<bool> done_{false};
};

}  // namespace

namespace api {

int Grequest_start(MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
                   MPI_Grequest_cancel_function* cancel_fn, void* extra_state, MPI_Request* request) {
  if (request == nullptr) return raise_null_argument(nullptr, "request");
  Comm& self = *process()->self;
  RequestObject* object = take_request(RequestKind::work, self);
  if (object != nullptr) object->work = new (std::nothrow) Generalized(query_fn, free_fn, cancel_fn, extra_state);
  if (object == nullptr || object->work == nullptr) {
    if (object != nullptr) give_back(object);
    return raise(&self, MPI_ERR_NO_MEM, "there is no memory for the request");
  }
  object->active = true;
  *request = handle_of(object);
  return MPI_SUCCESS;
}

int Grequest_complete(MPI_Request request) {
  RequestObject* object = request_of(request);
  auto* generalized = object == nullptr ? nullptr : dynamic_cast<Generalized*>(object->work);
  if (generalized == nullptr) {
    return raise(nullptr, MPI_ERR_REQUEST, "the request is not a generalized one; MPI_Grequest_start makes those.");
  }
  generalized->end();
  engine().ring(engine().process());  // another thread may sleep in MPI_Wait
  return MPI_SUCCESS;
}

}  // namespace api
}  // namespace vif::mpi
