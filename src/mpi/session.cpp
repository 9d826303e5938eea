// Sessions: their beginning and end, error handlers, buffers. Context: app.
#include "mpi/session.hpp"

#include <new>
#include <string>

#include "api.hpp"
#include "mpi/errhandler.hpp"
#include "mpi/errors.hpp"
#include "mpi/info.hpp"
#include "mpi/info_environment.hpp"
#include "mpi/lifecycle.hpp"

namespace vif::mpi {
namespace {

// The session's handler, kept alive until it is released.
Errhandler& take_errhandler(Session& session) {
  const std::lock_guard guard(session.lock);
  retain(*session.errhandler);
  return *session.errhandler;
}

int raised(Session& session, const Ending& ending) {
  return ending.error == MPI_SUCCESS ? MPI_SUCCESS : raise(session, ending.error, ending.sentence);
}

// What the program asks for with the key "thread_level"; the highest level unless it does.
int wanted_thread_level(MPI_Info info) {
  Info* object = info_of(info);
  const std::string wanted = object == nullptr ? std::string() : value_of(*object, "thread_level");
  for (int level : {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED}) {
    if (wanted == thread_level_name(level)) return level;
  }
  return MPI_THREAD_MULTIPLE;
}

int attach(MPI_Session session, void* buffer, MPI_Count bytes) {
  Session* object = session_of(session);
  if (object == nullptr) return raise_no_session();
  return raised(*object, attach_buffer(object->buffered, buffer, bytes));
}

template <class Size>
int detach(MPI_Session session, void* buffer_address, Size* size) {
  Session* object = session_of(session);
  if (object == nullptr) return raise_no_session();
  if (buffer_address == nullptr || size == nullptr) {
    return raise(*object, MPI_ERR_ARG, "buffer_addr or size is a null pointer; give an address.");
  }
  MPI_Count bytes;
  detach_buffer(object->buffered, static_cast<void**>(buffer_address), bytes);
  *size = static_cast<Size>(bytes);
  return MPI_SUCCESS;
}

}  // namespace

int raise(Session& session, int error_class, std::string_view sentence) {
  Errhandler& errhandler = take_errhandler(session);
  const int code = raise_through(errhandler, &session, error_class, sentence);
  release(errhandler);
  return code;
}

int raise_no_session() {
  return raise(nullptr, MPI_ERR_SESSION, "the session is MPI_SESSION_NULL, has been finalised, or never was one");
}

namespace api {

int Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
  Errhandler* chosen = errhandler_for(errhandler, Errhandler::Of::session);
  if (chosen == nullptr) return raise(nullptr, MPI_ERR_ERRHANDLER, "the argument is not an error handler of sessions.");
  if (session == nullptr) {
    return raise_through(*chosen, MPI_SESSION_NULL, MPI_ERR_ARG, "the argument session is a null pointer.");
  }
  if (info != MPI_INFO_NULL && info_of(info) == nullptr) {
    return raise_through(*chosen, MPI_SESSION_NULL, MPI_ERR_INFO, "the argument is not an info object.");
  }
  std::string error;
  if (!begin_use(wanted_thread_level(info), error)) {
    return raise_through(*chosen, MPI_SESSION_NULL, MPI_ERR_OTHER, error);
  }
  auto* object = new vif::mpi::Session;
  object->thread_level = process()->thread_level;
  object->errhandler = chosen;
  retain(*chosen);
  *session = handle_of(object);
  return MPI_SUCCESS;
}

int Session_finalize(MPI_Session* session) {
  Session* object = session == nullptr ? nullptr : session_of(*session);
  if (object == nullptr) return raise_no_session();
  if (object->buffered != nullptr) {
    void* memory;
    MPI_Count bytes;
    detach_buffer(object->buffered, &memory, bytes);
  }
  forget_integer(object);
  object->magic = 0;
  release(*object->errhandler);
  delete object;
  *session = MPI_SESSION_NULL;
  end_use(false);
  return MPI_SUCCESS;
}

int Session_get_info(MPI_Session session, MPI_Info* info_used) {
  Session* object = session_of(session);
  if (object == nullptr) return raise_no_session();
  if (info_used == nullptr) return raise(*object, MPI_ERR_ARG, "the argument info_used is a null pointer.");
  auto* info = new vif::mpi::Info;
  set_value(*info, "thread_level", thread_level_name(object->thread_level));
  *info_used = handle_of(info);
  return MPI_SUCCESS;
}

int Session_create_errhandler(MPI_Session_errhandler_function* function, MPI_Errhandler* errhandler) {
  if (function == nullptr) return raise_null_argument(nullptr, "session_errhandler_fn");
  if (errhandler == nullptr) return raise_null_argument(nullptr, "errhandler");
  *errhandler = make_errhandler(Errhandler::Of::session, {.session = function});
  return MPI_SUCCESS;
}

int Session_set_errhandler(MPI_Session session, MPI_Errhandler errhandler) {
  Session* object = session_of(session);
  if (object == nullptr) return raise_no_session();
  Errhandler* chosen = errhandler_for(errhandler, Errhandler::Of::session);
  if (chosen == nullptr) {
    return raise(*object, MPI_ERR_ERRHANDLER, "the argument is not an error handler of sessions.");
  }
  retain(*chosen);
  {
    const std::lock_guard guard(object->lock);
    std::swap(chosen, object->errhandler);
  }
  release(*chosen);
  return MPI_SUCCESS;
}

int Session_get_errhandler(MPI_Session session, MPI_Errhandler* errhandler) {
  Session* object = session_of(session);
  if (object == nullptr) return raise_no_session();
  if (errhandler == nullptr) return raise(*object, MPI_ERR_ARG, "the argument errhandler is a null pointer.");
  *errhandler = take_errhandler(*object).handle;
  return MPI_SUCCESS;
}

int Session_call_errhandler(MPI_Session session, int errorcode) {
  Session* object = session_of(session);
  if (object == nullptr) return raise_no_session();
  Errhandler& errhandler = take_errhandler(*object);
  raise_code_through(errhandler, object, errorcode);
  release(errhandler);
  return MPI_SUCCESS;
}

int Session_attach_buffer(MPI_Session session, void* buffer, int size) { return attach(session, buffer, size); }
int Session_attach_buffer_c(MPI_Session session, void* buffer, MPI_Count size) { return attach(session, buffer, size); }
int Session_detach_buffer(MPI_Session session, void* buffer_addr, int* size) {
  return detach(session, buffer_addr, size);
}
int Session_detach_buffer_c(MPI_Session session, void* buffer_addr, MPI_Count* size) {
  return detach(session, buffer_addr, size);
}

int Session_flush_buffer(MPI_Session session) {
  Session* object = session_of(session);
  if (object == nullptr) return raise_no_session();
  flush_buffer(object->buffered);
  return MPI_SUCCESS;
}

int Session_iflush_buffer(MPI_Session session, MPI_Request* request) {
  Session* object = session_of(session);
  if (object == nullptr) return raise_no_session();
  if (request == nullptr) return raise(*object, MPI_ERR_ARG, "the argument request is a null pointer.");
  return raised(*object, iflush_buffer(*process()->self, object->buffered, request));
}

}  // namespace api
}  // namespace vif::mpi
