// Errors of files, and the error handlers of files. Context: app.
#include "mpi/errors.hpp"

#include <cerrno>
#include <cstring>

#include "api.hpp"
#include "mpi/errhandler.hpp"
#include "mpi/io/file.hpp"

namespace vif::mpi::io {
namespace {

// The handler of MPI_FILE_NULL, which files begin with.
struct Default {
  std::mutex lock;
  Errhandler* errhandler = errhandler_of(MPI_ERRORS_RETURN);
};

Default& by_default() {
  static auto* instance = new Default;
  return *instance;
}

// Counted for the caller. A null file: the handler of MPI_FILE_NULL.
Errhandler& take_errhandler(File* file) {
  if (file == nullptr) return take_default_errhandler();
  const std::lock_guard guard(file->lock);
  retain(*file->errhandler);
  return *file->errhandler;
}

// The file of a handle; MPI_FILE_NULL gives null, and is right here.
bool look_up(MPI_File handle, File*& file) {
  file = file_of(handle);
  return file != nullptr || handle == MPI_FILE_NULL;
}

int class_of_system(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return MPI_ERR_NO_SUCH_FILE;
    case EACCES:
    case EPERM:
      return MPI_ERR_ACCESS;
    case EEXIST:
      return MPI_ERR_FILE_EXISTS;
    case EISDIR:
    case ENAMETOOLONG:
    case ELOOP:
      return MPI_ERR_BAD_FILE;
    case ENOSPC:
    case EFBIG:
      return MPI_ERR_NO_SPACE;
    case EDQUOT:
      return MPI_ERR_QUOTA;
    case EROFS:
      return MPI_ERR_READ_ONLY;
    case ETXTBSY:
    case EBUSY:
      return MPI_ERR_FILE_IN_USE;
    case ENOMEM:
      return MPI_ERR_NO_MEM;
    default:
      return MPI_ERR_IO;
  }
}

}  // namespace

Errhandler& take_default_errhandler() {
  Default& one = by_default();
  const std::lock_guard guard(one.lock);
  retain(*one.errhandler);
  return *one.errhandler;
}

int raise(File& file, int error_class, std::string_view sentence) {
  Errhandler& errhandler = take_errhandler(&file);
  const int code = raise_through(errhandler, &file, error_class, sentence);
  release(errhandler);
  return code;
}

int raise_without_file(int error_class, std::string_view sentence) {
  Errhandler& errhandler = take_default_errhandler();
  const int code = raise_through(errhandler, MPI_FILE_NULL, error_class, sentence);
  release(errhandler);
  return code;
}

int raise_no_file() {
  return raise_without_file(MPI_ERR_FILE, "the file is MPI_FILE_NULL, has been closed, or never was one.");
}

int raise_null(File& file, std::string_view parameter) {
  return raise(file, MPI_ERR_ARG, "the argument " + std::string(parameter) + " is a null pointer; give an address.");
}

int raised(File& file, const Ending& ending) {
  return ending.error == MPI_SUCCESS ? MPI_SUCCESS : raise(file, ending.error, ending.sentence);
}

Ending ending_of_system(int error_number, const std::string& what) {
  char words[128];
  return {class_of_system(error_number), what + ": " + strerror_r(error_number, words, sizeof words)};
}

}  // namespace vif::mpi::io

namespace vif::mpi::api {

int File_create_errhandler(MPI_File_errhandler_function* function, MPI_Errhandler* errhandler) {
  if (function == nullptr) return raise_null_argument(nullptr, "file_errhandler_fn");
  if (errhandler == nullptr) return raise_null_argument(nullptr, "errhandler");
  *errhandler = make_errhandler(Errhandler::Of::file, {.file = function});
  return MPI_SUCCESS;
}

int File_set_errhandler(MPI_File file, MPI_Errhandler errhandler) {
  io::File* object;
  if (!io::look_up(file, object)) return io::raise_no_file();
  Errhandler* chosen = errhandler_for(errhandler, Errhandler::Of::file);
  if (chosen == nullptr) {
    const char* why = "the argument is not an error handler of files; give a valid one.";
    return object == nullptr ? io::raise_without_file(MPI_ERR_ERRHANDLER, why)
                             : io::raise(*object, MPI_ERR_ERRHANDLER, why);
  }
  retain(*chosen);
  {
    std::mutex& lock = object == nullptr ? io::by_default().lock : object->lock;
    const std::lock_guard guard(lock);
    std::swap(chosen, object == nullptr ? io::by_default().errhandler : object->errhandler);
  }
  release(*chosen);
  return MPI_SUCCESS;
}

int File_get_errhandler(MPI_File file, MPI_Errhandler* errhandler) {
  io::File* object;
  if (!io::look_up(file, object)) return io::raise_no_file();
  if (errhandler == nullptr) return raise_null_argument(nullptr, "errhandler");
  *errhandler = io::take_errhandler(object).handle;
  return MPI_SUCCESS;
}

int File_call_errhandler(MPI_File fh, int errorcode) {
  io::File* object;
  if (!io::look_up(fh, object)) return io::raise_no_file();
  Errhandler& errhandler = io::take_errhandler(object);
  raise_code_through(errhandler, fh, errorcode);
  release(errhandler);
  return MPI_SUCCESS;
}

}  // namespace vif::mpi::api
