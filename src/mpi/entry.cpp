// What the entry points refuse: see entry.hpp. Context: app.
#include "mpi/entry.hpp"

#include <string>

#include "mpi/comm.hpp"
#include "mpi/errors.hpp"
#include "mpi/info.hpp"
#include "mpi/io/file.hpp"
#include "mpi/session.hpp"
#include "mpi/win.hpp"

namespace vif::mpi {

namespace {

std::string null_sentence(const char* parameter) {
  return std::string("the argument ") + parameter + " is a null pointer; give an address.";
}

constexpr const char* info_sentence = "the info object has been freed, or never was one.";

// Through the handler of the object, or, of a handle that names none, of MPI_COMM_SELF.
int raise_on_handle(MPI_Comm comm, int error_class, const std::string& sentence) {
  return raise(comm_of(comm), error_class, sentence);
}
int raise_on_handle(MPI_Win handle, int error_class, const std::string& sentence) {
  Win* win = win_of(handle);
  return win == nullptr ? raise_no_win() : raise_on(*win, error_class, sentence);
}
int raise_on_handle(MPI_File handle, int error_class, const std::string& sentence) {
  io::File* file = io::file_of(handle);
  return file == nullptr ? io::raise_no_file() : io::raise(*file, error_class, sentence);
}
int raise_on_handle(MPI_Session handle, int error_class, const std::string& sentence) {
  Session* session = session_of(handle);
  return session == nullptr ? raise_no_session() : raise(*session, error_class, sentence);
}

}  // namespace

int refuse_null(const char* parameter) { return raise(nullptr, MPI_ERR_ARG, null_sentence(parameter)); }
int refuse_null(const char* parameter, MPI_Comm comm) {
  return raise_on_handle(comm, MPI_ERR_ARG, null_sentence(parameter));
}
int refuse_null(const char* parameter, MPI_Win win) {
  return raise_on_handle(win, MPI_ERR_ARG, null_sentence(parameter));
}
int refuse_null(const char* parameter, MPI_File file) {
  return raise_on_handle(file, MPI_ERR_ARG, null_sentence(parameter));
}
int refuse_null(const char* parameter, MPI_Session session) {
  return raise_on_handle(session, MPI_ERR_ARG, null_sentence(parameter));
}

int refuse_info() { return raise(nullptr, MPI_ERR_INFO, info_sentence); }
int refuse_info(MPI_Comm comm) { return raise_on_handle(comm, MPI_ERR_INFO, info_sentence); }
int refuse_info(MPI_Win win) { return raise_on_handle(win, MPI_ERR_INFO, info_sentence); }
int refuse_info(MPI_File file) { return raise_on_handle(file, MPI_ERR_INFO, info_sentence); }
int refuse_info(MPI_Session session) { return raise_on_handle(session, MPI_ERR_INFO, info_sentence); }

bool is_no_object(MPI_Info info) { return info_of(info) == nullptr; }

}  // namespace vif::mpi
