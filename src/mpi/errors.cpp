#include "mpi/errors.hpp"

#include <unistd.h>
#include <cstdio>
#include <cstring>
#include <memory>

#include "api.hpp"
#include "mpi/comm.hpp"
#include "mpi/entry.hpp"
#include "mpi/errhandler.hpp"
#include "mpi/error_codes.hpp"
#include "mpi/process.hpp"

namespace vif::mpi {

std::atomic<Phase> phase{Phase::before_init};
constinit thread_local const char* current_function = nullptr;

namespace {

// The last sentence of this thread. Behind a pointer: a library that is loaded late has few thread-local bytes.
struct Kept {
  int code = MPI_SUCCESS;
  std::string sentence;
};
thread_local std::unique_ptr<Kept> kept;

std::string_view function_name() { return current_function == nullptr ? "MPI" : current_function; }

std::string class_of_code_in_words(int error_code) {
  const int error_class = class_of_code(error_code);
  std::string words(class_name(error_class));
  if (words.empty()) words = "error class " + std::to_string(error_class);
  const std::string added = error_codes().text(error_code);
  return added.empty() ? words : words + " (" + added + ")";
}

std::string sentence_of(int error_code) {
  if (kept != nullptr && kept->code == error_code) return kept->sentence;
  return std::string(function_name()) + ": " + std::string(class_text(class_of_code(error_code)));
}

// An exit code cannot say more than 8 bits, and 0 would mean success.
int exit_code_of(int error_code) { return (error_code & 0xff) != 0 ? error_code & 0xff : 1; }

[[noreturn]] void end(int error_code, std::string_view handler) {
  const bool joined = process() != nullptr && process()->world != nullptr;
  std::string why = joined ? "rank " + std::to_string(process()->world->rank) + ": " : "";
  why += sentence_of(error_code) + " [" + class_of_code_in_words(error_code) + "; the error handler is " +
         std::string(handler) + ", which ends the job]";
  if (process() != nullptr) Process::abort(exit_code_of(error_code), why);
  std::fprintf(stderr, "vif: %s\n", why.c_str());
  _exit(exit_code_of(error_code));
}

// Calls the program's function for the object behind the handle.
void call(const Errhandler& errhandler, void* handle, int error_code) {
  int code = error_code;
  switch (errhandler.of) {
    case Errhandler::Of::win: {
      auto win = static_cast<MPI_Win>(handle);
      return errhandler.function.win(&win, &code);
    }
    case Errhandler::Of::file: {
      auto file = static_cast<MPI_File>(handle);
      return errhandler.function.file(&file, &code);
    }
    case Errhandler::Of::session: {
      auto session = static_cast<MPI_Session>(handle);
      return errhandler.function.session(&session, &code);
    }
    default: {
      auto comm = static_cast<MPI_Comm>(handle);
      return errhandler.function.comm(&comm, &code);
    }
  }
}

// The communicator's handler, kept alive for the length of the call.
Errhandler* take_errhandler(Comm& comm) {
  const std::lock_guard guard(comm.lock);
  if (comm.errhandler != nullptr) retain(*comm.errhandler);
  return comm.errhandler;
}

}  // namespace

void keep_sentence(int error_code, std::string_view sentence) {
  if (kept == nullptr) kept = std::make_unique<Kept>();
  kept->code = error_code;
  kept->sentence = std::string(function_name()) + ": ";
  kept->sentence += sentence;
}

int raise(Comm* comm, int error_class, std::string_view sentence) {
  keep_sentence(error_class, sentence);
  return raise_code(comm, error_class);
}

int raise_code_through(Errhandler& errhandler, void* handle, int error_code) {
  if (errhandler.effect == Errhandler::Effect::fatal) end(error_code, "MPI_ERRORS_ARE_FATAL");
  if (errhandler.effect == Errhandler::Effect::abort) end(error_code, "MPI_ERRORS_ABORT");
  if (errhandler.effect == Errhandler::Effect::call) call(errhandler, handle, error_code);
  return error_code;
}

int raise_through(Errhandler& errhandler, void* handle, int error_class, std::string_view sentence) {
  keep_sentence(error_class, sentence);
  return raise_code_through(errhandler, handle, error_class);
}

int raise_code(Comm* comm, int error_code) {
  if (comm == nullptr && process() != nullptr) comm = process()->self;
  Errhandler* errhandler = comm == nullptr ? nullptr : take_errhandler(*comm);
  if (errhandler == nullptr) end(error_code, "MPI_ERRORS_ARE_FATAL");
  raise_code_through(*errhandler, comm->handle, error_code);
  release(*errhandler);
  return error_code;
}

int raise_null_argument(Comm* comm, std::string_view parameter) {
  return raise(comm, MPI_ERR_ARG, "the argument " + std::string(parameter) + " is a null pointer; give an address.");
}

void refuse_outside(const char* function) {
  const bool before = phase.load(std::memory_order_relaxed) == Phase::before_init;
  std::fprintf(stderr, "vif: %s is called %s; only a few functions, such as MPI_Initialized, may be called then.\n",
               function, before ? "before MPI_Init" : "after MPI_Finalize");
  _exit(exit_code_of(MPI_ERR_OTHER));
}

namespace api {

int Error_string(int errorcode, char* string, int* resultlen) {
  if (string == nullptr || resultlen == nullptr) return raise_null_argument(nullptr, "string or resultlen");
  std::string text = error_codes().text(errorcode);
  if (text.empty() && !class_name(errorcode).empty()) {
    text = std::string(class_name(errorcode)) + ": " + std::string(class_text(errorcode));
    if (kept != nullptr && kept->code == errorcode) text += " " + kept->sentence;
  } else if (text.empty() && error_codes().class_of(errorcode) == 0) {
    return raise(nullptr, MPI_ERR_ARG, std::to_string(errorcode) + " is not an error code.");
  }
  if (text.size() >= MPI_MAX_ERROR_STRING) text.resize(MPI_MAX_ERROR_STRING - 1);
  std::memcpy(string, text.c_str(), text.size() + 1);
  *resultlen = static_cast<int>(text.size());
  return MPI_SUCCESS;
}

}  // namespace api
}  // namespace vif::mpi
