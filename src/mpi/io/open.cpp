// Opening, closing and deleting files. Context: app.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <bit>
#include <cerrno>
#include <new>

#include "api.hpp"
#include "mpi/comm_create.hpp"
#include "mpi/errhandler.hpp"
#include "mpi/errors.hpp"
#include "mpi/hosts.hpp"
#include "mpi/info.hpp"
#include "mpi/io/file.hpp"

namespace vif::mpi::io {
namespace {

// What rank 0 tells the others: how it went, and where the shared pointer lies in the job's shared memory.
struct Opening {
  int mode = 0;
  int error = MPI_SUCCESS;
  uint64_t shared_offset = 0;
};

constexpr uint64_t shared_bytes = 64;

Ending check_mode(int mode) {
  const int access = mode & (MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR);
  if (std::popcount(static_cast<unsigned>(access)) != 1) {
    return {MPI_ERR_AMODE, "the mode needs exactly one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR"};
  }
  if ((mode & MPI_MODE_RDONLY) != 0 && (mode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) != 0) {
    return {MPI_ERR_AMODE,
            "a file that is read only cannot be created: MPI_MODE_CREATE and MPI_MODE_EXCL need writing"};
  }
  if ((mode & MPI_MODE_RDWR) != 0 && (mode & MPI_MODE_SEQUENTIAL) != 0) {
    return {MPI_ERR_AMODE, "MPI_MODE_SEQUENTIAL goes with reading or writing, not with MPI_MODE_RDWR"};
  }
  return {};
}

int flags_of(int mode, bool first) {
  int flags = O_CLOEXEC;
  flags |= (mode & MPI_MODE_RDONLY) != 0 ? O_RDONLY : (mode & MPI_MODE_WRONLY) != 0 ? O_WRONLY : O_RDWR;
  // The first process alone creates: with MPI_MODE_EXCL the others would fail.
  if (first && (mode & MPI_MODE_CREATE) != 0) flags |= O_CREAT;
  if (first && (mode & MPI_MODE_EXCL) != 0) flags |= O_EXCL;
  return flags;
}

Ending open_here(File& file, bool first) {
  file.descriptor = ::open(file.name.c_str(), flags_of(file.mode, first), 0666);
  struct stat facts;
  if (file.descriptor < 0) return ending_of_system(errno, "cannot open '" + file.name + "'");
  if (fstat(file.descriptor, &facts) == 0 && S_ISDIR(facts.st_mode)) {
    return ending_of_system(EISDIR, "cannot open '" + file.name + "'");
  }
  return {};
}

// Memory for the shared pointer: its own when nobody shares it.
uint64_t allocate_pointer(File& file) {
  if (file.comm->size == 1) {
    file.shared_pointer = new std::atomic<int64_t>(0);
    return 0;
  }
  if (!on_one_host(*file.comm)) return 0;
  std::string cause;  // without it all works but the shared pointer, which says so
  return engine().shared_allocate(shared_bytes, cause);
}

void find_pointer(File& file, uint64_t offset) {
  if (file.comm->size == 1 || offset == 0) return;
  file.shared_offset = offset;
  file.shared_pointer = reinterpret_cast<std::atomic<int64_t>*>(engine().shared_base() + offset);
}

void drop(File& file) {
  if (file.descriptor >= 0) ::close(file.descriptor);
  if (file.comm->size == 1) {
    delete file.shared_pointer;
  } else if (file.comm->rank == 0 && file.shared_offset != 0) {
    engine().shared_free(file.shared_offset, shared_bytes);
  }
  if (file.errhandler != nullptr) release(*file.errhandler);
  if (file.info != nullptr) destroy(file.info);
  api::Comm_free(&file.comm_handle);
  forget_integer(&file);
  file.magic = 0;
  delete &file;
}

// Collective: the first process opens, and creates, the file; then the others do. All learn the worst that happened.
Ending open_everywhere(File& file, Ending ending) {
  const bool first = file.comm->rank == 0;
  Opening opening;
  if (first) {
    if (ending.error == MPI_SUCCESS) ending = open_here(file, true);
    opening = {file.mode, ending.error, allocate_pointer(file)};
  } else if (file.comm->size == 1) {
    allocate_pointer(file);
  }
  api::Bcast(&opening, sizeof opening, MPI_BYTE, 0, file.comm_handle);
  find_pointer(file, opening.shared_offset);
  if (!first && ending.error == MPI_SUCCESS) {
    if (opening.error != MPI_SUCCESS) {
      ending = {opening.error, "the first process could not open '" + file.name + "'"};
    } else if (opening.mode != file.mode) {
      ending = {MPI_ERR_NOT_SAME, "the processes do not give the same mode"};
    } else {
      ending = open_here(file, false);
    }
  }
  int worst = 0;
  api::Allreduce(&ending.error, &worst, 1, MPI_INT, MPI_MAX, file.comm_handle);
  if (ending.error == MPI_SUCCESS && worst != MPI_SUCCESS) {
    ending = {worst, "another process could not open '" + file.name + "'"};
  }
  return ending;
}

void go_to_the_end(File& file) {
  file.position = bytes_in(file);
  if (file.shared_pointer != nullptr && file.comm->rank == 0) file.shared_pointer->store(file.position);
  api::Barrier(file.comm_handle);
}

// A communicator of the same processes for the file alone; attributes stay behind.
int private_comm(MPI_Comm comm, MPI_Comm* made) {
  MPI_Group group;
  if (const int error = api::Comm_group(comm, &group); error != MPI_SUCCESS) return error;
  const int error = api::Comm_create(comm, group, made);
  api::Group_free(&group);
  return error;
}

}  // namespace

int64_t bytes_in(const File& file) noexcept {
  struct stat facts;
  return fstat(file.descriptor, &facts) == 0 ? facts.st_size : -1;
}

}  // namespace vif::mpi::io

namespace vif::mpi::api {

int File_open(MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* fh) {
  Comm* parent = comm_of(comm);
  if (parent == nullptr || parent->is_inter()) {
    return io::raise_without_file(MPI_ERR_COMM, "the argument is not an intra-communicator; give a valid one.");
  }
  if (fh == nullptr) return io::raise_without_file(MPI_ERR_ARG, "the argument fh is a null pointer.");
  *fh = MPI_FILE_NULL;
  auto* file = new io::File;
  if (const int error = io::private_comm(comm, &file->comm_handle); error != MPI_SUCCESS) {
    delete file;
    return error;
  }
  file->comm = comm_of(file->comm_handle);
  file->mode = amode;
  file->name = filename == nullptr ? "" : filename;
  Ending ending = io::check_mode(amode);
  if (filename == nullptr) ending = {MPI_ERR_BAD_FILE, "the name of the file is a null pointer"};
  if (info != MPI_INFO_NULL && info_of(info) == nullptr) ending = {MPI_ERR_INFO, "the argument is not an info object"};
  ending = io::open_everywhere(*file, ending);
  if (ending.error != MPI_SUCCESS) {
    io::drop(*file);
    return io::raise_without_file(ending.error, ending.sentence);
  }
  file->errhandler = &io::take_default_errhandler();
  file->info = copy_of(info_of(info));
  Datatype& byte = *datatype_of(MPI_BYTE);
  file->view = io::View(0, byte, byte, *io::find_representation("native"));
  if ((amode & MPI_MODE_APPEND) != 0) io::go_to_the_end(*file);
  *fh = file->handle();
  return MPI_SUCCESS;
}

int File_close(MPI_File* fh) {
  io::File* file = fh == nullptr ? nullptr : io::file_of(*fh);
  if (file == nullptr) return io::raise_no_file();
  if (file->split.open) return io::raise(*file, MPI_ERR_OTHER, "a split collective has begun; end it before closing.");
  // Its name goes first, so that it is gone for all; the file itself lives until the last of them has closed it.
  const bool deletes = file->comm->rank == 0 && (file->mode & MPI_MODE_DELETE_ON_CLOSE) != 0;
  if (deletes) ::unlink(file->name.c_str());
  // Nobody frees the shared pointer while another still uses it.
  Barrier(file->comm_handle);
  io::drop(*file);
  *fh = MPI_FILE_NULL;
  return MPI_SUCCESS;
}

int File_delete(const char* filename, MPI_Info) {
  if (filename == nullptr) return io::raise_without_file(MPI_ERR_BAD_FILE, "the name of the file is a null pointer.");
  if (::unlink(filename) == 0) return MPI_SUCCESS;
  const Ending ending = io::ending_of_system(errno, std::string("cannot delete '") + filename + "'");
  return io::raise_without_file(ending.error, ending.sentence);
}

}  // namespace vif::mpi::api
