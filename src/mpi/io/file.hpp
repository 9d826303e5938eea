// Files: what MPI_File names.
//
// Each process has the file open on its own. What the processes share is a communicator of the file's, and the shared
// file pointer, which lies in the job's shared memory. Context: app.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

#include "mpi/comm.hpp"
#include "mpi/handle.hpp"
#include "mpi/io/view.hpp"
#include "mpi/request.hpp"

namespace vif::mpi {
struct Errhandler;
struct Info;
}  // namespace vif::mpi

namespace vif::mpi::io {

// A split collective that has begun and not ended.
struct Split {
  bool open = false;
  bool write = false;
  int where = 0;
  MPI_Status status = {};
  Ending ending;
};

struct File {
  static constexpr uint32_t alive = 0x46696c65;

  uint32_t magic = alive;
  MPI_Comm comm_handle = MPI_COMM_NULL;  // ours alone
  Comm* comm = nullptr;
  int descriptor = -1;
  int mode = 0;
  std::string name;
  std::atomic<int64_t>* shared_pointer = nullptr;  // in elementary types; null: there was no memory for it
  uint64_t shared_offset = 0;                      // of its memory; 0: it is this process's own
  std::mutex lock;                                 // guards what follows
  bool atomic = false;
  View view;
  MPI_Offset position = 0;           // the file pointer of this process, in elementary types
  Errhandler* errhandler = nullptr;  // counted, never null
  Info* info = nullptr;
  Split split;

  MPI_File handle() noexcept { return reinterpret_cast<MPI_File>(this); }
};

inline File* file_of(MPI_File handle) noexcept { return user_object<File>(handle); }

// Raise through the file's handler, and through the one of MPI_FILE_NULL.
int raise(File& file, int error_class, std::string_view sentence);
int raise_without_file(int error_class, std::string_view sentence);
int raise_no_file();
int raise_null(File& file, std::string_view parameter);
// The class of an error of the system, and a sentence about it: "cannot open 'x': no such file".
Ending ending_of_system(int error_number, const std::string& what);
int raised(File& file, const Ending& ending);

// The handler that a file begins with: the one of MPI_FILE_NULL. Counted for the caller.
Errhandler& take_default_errhandler();

// The size of the file in bytes, or -1.
int64_t bytes_in(const File& file) noexcept;

}  // namespace vif::mpi::io
