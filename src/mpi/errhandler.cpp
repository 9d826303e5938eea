#include "mpi/errhandler.hpp"

#include "api.hpp"
#include "mpi/comm.hpp"
#include "mpi/errors.hpp"

namespace vif::mpi {
namespace {

using Effect = Errhandler::Effect;

Errhandler fatal{.effect = Effect::fatal, .handle = MPI_ERRORS_ARE_FATAL};
Errhandler aborting{.effect = Effect::abort, .handle = MPI_ERRORS_ABORT};
Errhandler returning{.effect = Effect::give_back, .handle = MPI_ERRORS_RETURN};

bool predefined(const Errhandler& errhandler) noexcept { return errhandler.effect != Effect::call; }

int refuse_comm() {
  return raise(nullptr, MPI_ERR_COMM, "the argument is not a communicator; give a valid one, such as MPI_COMM_WORLD.");
}

int refuse_errhandler(Comm* comm) {
  return raise(
      comm, MPI_ERR_ERRHANDLER,
      "the argument is not an error handler of communicators (a null handle, one that was freed, or one made for "
      "other objects); give a valid one.");
}

}  // namespace

Errhandler* errhandler_of(MPI_Errhandler handle) noexcept {
  if (handle == MPI_ERRORS_ARE_FATAL) return &fatal;
  if (handle == MPI_ERRORS_ABORT) return &aborting;
  if (handle == MPI_ERRORS_RETURN) return &returning;
  return user_object<Errhandler>(handle);
}

Errhandler* errhandler_for(MPI_Errhandler handle, Errhandler::Of of) noexcept {
  Errhandler* errhandler = errhandler_of(handle);
  if (errhandler == nullptr || predefined(*errhandler)) return errhandler;
  return errhandler->of == of ? errhandler : nullptr;
}

MPI_Errhandler make_errhandler(Errhandler::Of of, Errhandler::Function function) {
  auto* object = new Errhandler;
  object->effect = Effect::call;
  object->of = of;
  object->function = function;
  object->handle = reinterpret_cast<MPI_Errhandler>(object);
  return object->handle;
}

void retain(Errhandler& errhandler) noexcept {
  if (!predefined(errhandler)) errhandler.references.fetch_add(1, std::memory_order_relaxed);
}

void release(Errhandler& errhandler) noexcept {
  // acq_rel: whoever destroys the handler must come after every use of it by others.
  if (predefined(errhandler) || errhandler.references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  forget_integer(errhandler.handle);
  errhandler.magic = 0;
  delete &errhandler;
}

namespace api {

int Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) {
  if (function == nullptr) return raise_null_argument(nullptr, "comm_errhandler_fn");
  if (errhandler == nullptr) return raise_null_argument(nullptr, "errhandler");
  *errhandler = make_errhandler(Errhandler::Of::comm, {.comm = function});
  return MPI_SUCCESS;
}

int Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) {
  Comm* object = comm_of(comm);
  if (object == nullptr) return refuse_comm();
  Errhandler* chosen = errhandler_for(errhandler, Errhandler::Of::comm);
  if (chosen == nullptr) return refuse_errhandler(object);
  retain(*chosen);
  {
    const std::lock_guard guard(object->lock);
    std::swap(chosen, object->errhandler);
  }
  if (chosen != nullptr) release(*chosen);
  return MPI_SUCCESS;
}

int Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* errhandler) {
  Comm* object = comm_of(comm);
  if (object == nullptr) return refuse_comm();
  if (errhandler == nullptr) return raise_null_argument(object, "errhandler");
  const std::lock_guard guard(object->lock);
  Errhandler* current = object->errhandler == nullptr ? &fatal : object->errhandler;
  retain(*current);
  *errhandler = current->handle;
  return MPI_SUCCESS;
}

int Comm_call_errhandler(MPI_Comm comm, int errorcode) {
  Comm* object = comm_of(comm);
  if (object == nullptr) return refuse_comm();
  // The program asked for the handler to be called; its own error is not an error of this call.
  raise_code(object, errorcode);
  return MPI_SUCCESS;
}

int Errhandler_free(MPI_Errhandler* errhandler) {
  Errhandler* object = errhandler == nullptr ? nullptr : errhandler_of(*errhandler);
  if (object == nullptr) return refuse_errhandler(nullptr);
  release(*object);
  *errhandler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

}  // namespace api
}  // namespace vif::mpi
