// What concerns a file as a whole: its size, mode, group, info, atomicity, view, and its pointers. Context: app.
#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

#include "api.hpp"
#include "mpi/errors.hpp"
#include "mpi/group.hpp"
#include "mpi/info.hpp"
#include "mpi/io/file.hpp"

namespace vif::mpi::io {
namespace {

// Collective: all learn the worst that happened.
Ending agree(const File& file, Ending ending) {
  int worst = 0;
  api::Allreduce(&ending.error, &worst, 1, MPI_INT, MPI_MAX, file.comm_handle);
  if (ending.error != MPI_SUCCESS || worst == MPI_SUCCESS) return ending;
  return {worst, "another process of the file failed"};
}

// Done by the first process for all.
template <class Action>
int once(File& file, const char* what, Action action) {
  Ending ending;
  if (file.comm->rank == 0) {
    const int error = action();
    if (error != 0) ending = ending_of_system(error, std::string(what) + " '" + file.name + "'");
  }
  return raised(file, agree(file, ending));
}

// A handle of a type for the user, who frees it unless it is predefined.
MPI_Datatype give_handle(Datatype& type) {
  if (type.predefined) return type.handle;
  retain(type);
  type.handles.fetch_add(1, std::memory_order_relaxed);
  return type.handle;
}

// The new value of a pointer in `result`, or what is wrong.
Ending target_of_seek(const File& file, MPI_Offset current, MPI_Offset offset, int whence, MPI_Offset& result) {
  const auto element = static_cast<int64_t>(file.view.element_bytes());
  switch (whence) {
    case MPI_SEEK_SET:
      result = offset;
      break;
    case MPI_SEEK_CUR:
      result = current + offset;
      break;
    case MPI_SEEK_END:
      result = (static_cast<int64_t>(file.view.stream_bytes_before(bytes_in(file))) + element - 1) / element + offset;
      break;
    default:
      return {MPI_ERR_ARG, "the third argument must be MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END"};
  }
  if (result < 0) return {MPI_ERR_ARG, "the file pointer would become negative"};
  return {};
}

Ending refuse_sequential(const File& file) {
  if ((file.mode & MPI_MODE_SEQUENTIAL) == 0) return {};
  return {MPI_ERR_UNSUPPORTED_OPERATION, "a file of mode MPI_MODE_SEQUENTIAL has no positions to seek"};
}

Ending check_shared(const File& file) {
  if (file.shared_pointer != nullptr) return refuse_sequential(file);
  return {MPI_ERR_NO_MEM, "there was no shared memory for the shared pointer when the file was opened"};
}

template <class Size>
int type_extent(MPI_File fh, MPI_Datatype datatype, Size* extent) {
  File* file = file_of(fh);
  if (file == nullptr) return raise_no_file();
  const Datatype* type = datatype_of(datatype);
  if (type == nullptr) return raise(*file, MPI_ERR_TYPE, "the argument is not a datatype");
  if (extent == nullptr) return raise_null(*file, "extent");
  const Representation& form = file->view.representation();
  const bool same = form.bytes(*type, 1) == static_cast<uint64_t>(type->size);
  *extent = static_cast<Size>(same ? type->extent : static_cast<MPI_Count>(form.bytes(*type, 1)));
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace vif::mpi::io

namespace vif::mpi::api {

using io::File;
using io::file_of;

int File_set_size(MPI_File fh, MPI_Offset size) {
  File* file = file_of(fh);
  if (file == nullptr) return io::raise_no_file();
  if (size < 0) return io::raise(*file, MPI_ERR_ARG, "the size is negative; give zero or more.");
  return io::once(*file, "cannot set the size of", [&] { return ftruncate(file->descriptor, size) == 0 ? 0 : errno; });
}

int File_preallocate(MPI_File fh, MPI_Offset size) {
  File* file = file_of(fh);
  if (file == nullptr) return io::raise_no_file();
  if (size < 0) return io::raise(*file, MPI_ERR_ARG, "the size is negative; give zero or more.");
  return io::once(*file, "cannot allocate room for",
                  [&] { return size == 0 ? 0 : posix_fallocate(file->descriptor, 0, size); });
}

int File_get_size(MPI_File fh, MPI_Offset* size) {
  File* file = file_of(fh);
  if (file == nullptr) return io::raise_no_file();
  if (size == nullptr) return io::raise_null(*file, "size");
  *size = io::bytes_in(*file);
  if (*size >= 0) return MPI_SUCCESS;
  return io::raised(*file, io::ending_of_system(errno, "cannot ask for the size of '" + file->name + "'"));
}

int File_sync(MPI_File fh) {
  File* file = file_of(fh);
  if (file == nullptr) return io::raise_no_file();
  Ending ending;
  if ((file->mode & MPI_MODE_RDONLY) == 0 && fdatasync(file->descriptor) != 0 && errno != EINVAL) {
    ending = io::ending_of_system(errno, "cannot store '" + file->name + "'");
  }
  return io::raised(*file, io::agree(*file, ending));
}

int File_get_group(MPI_File fh, MPI_Group* group) {
  File* file = file_of(fh);
  if (file == nullptr) return io::raise_no_file();
  if (group == nullptr) return io::raise_null(*file, "group");
  *group = make_group(file->comm->members);
  return MPI_SUCCESS;
}

int File_get_amode(MPI_File fh, int* amode) {
  File* file = file_of(fh);
  if (file == nullptr) return io::raise_no_file();
  if (amode == nullptr) return io::raise_null(*file, "amode");
  *amode = file->mode;
  return MPI_SUCCESS;
}

int File_set_info(MPI_File fh, MPI_Info info) {
  File* file = file_of(fh);
  if (file == nullptr) return io::raise_no_file();
  vif::mpi::Info* given = info_of(info);
  if (given == nullptr) return io::raise(*file, MPI_ERR_INFO, "the argument is not an info object; give a valid one.");
  vif::mpi::Info* copy = copy_of(given);
  const std::lock_guard guard(file->lock);
  for (const auto& [key, value] : copy->entries) set_value(*file->info, key, value);
  destroy(copy);
  return MPI_SUCCESS;
}

int File_get_info(MPI_File fh, MPI_Info* info_used) {
  File* file = file_of(fh);
  if (file == nullptr) return io::raise_no_file();
  if (info_used == nullptr) return io::raise_null(*file, "info_used");
  *info_used = handle_of(copy_of(file->info));
  return MPI_SUCCESS;
}

int File_set_atomicity(MPI_File fh, int flag) {
  File* file = file_of(fh);
  if (file == nullptr) return io::raise_no_file();
  {
    const std::lock_guard guard(file->lock);
    file->atomic = flag != 0;
  }
  return Barrier(file->comm_handle);
}

int File_get_atomicity(MPI_File fh, int* flag) {
  File* file = file_of(fh);
  if (file == nullptr) return io::raise_no_file();
  if (flag == nullptr) return io::raise_null(*file, "flag");
  *flag = file->atomic;
  return MPI_SUCCESS;
}

int File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep,
                  MPI_Info info) {
  File* file = file_of(fh);
  if (file == nullptr) return io::raise_no_file();
  Datatype* element = datatype_of(etype);
  Datatype* whole = datatype_of(filetype);
  const io::Representation* form = datarep == nullptr ? nullptr : io::find_representation(datarep);
  if (disp == MPI_DISPLACEMENT_CURRENT && (file->mode & MPI_MODE_SEQUENTIAL) != 0 && file->shared_pointer != nullptr) {
    disp = file->view.offset_of(static_cast<uint64_t>(file->shared_pointer->load()) * file->view.element_bytes());
  }
  Ending ending = io::check_view(disp, element, whole, form);
  if (info != MPI_INFO_NULL && info_of(info) == nullptr) ending = {MPI_ERR_INFO, "the argument is not an info object"};
  ending = io::agree(*file, ending);
  if (ending.error != MPI_SUCCESS || element == nullptr || whole == nullptr || form == nullptr) {
    return io::raised(*file, ending);
  }
  {
    const std::lock_guard guard(file->lock);
    file->view = io::View(disp, *element, *whole, *form);
    file->position = 0;
    if (file->comm->rank == 0 && file->shared_pointer != nullptr) file->shared_pointer->store(0);
  }
  return Barrier(file->comm_handle);  // nobody uses the shared pointer before it is 0
}

int File_get_view(MPI_File fh, MPI_Offset* disp, MPI_Datatype* etype, MPI_Datatype* filetype, char* datarep) {
  File* file = file_of(fh);
  if (file == nullptr) return io::raise_no_file();
  if (disp == nullptr || etype == nullptr || filetype == nullptr || datarep == nullptr) {
    return io::raise_null(*file, "disp, etype, filetype or datarep");
  }
  *disp = file->view.displacement();
  *etype = io::give_handle(file->view.element());
  *filetype = io::give_handle(file->view.filetype());
  std::strcpy(datarep, file->view.representation().name.c_str());
  return MPI_SUCCESS;
}

int File_seek(MPI_File fh, MPI_Offset offset, int whence) {
  File* file = file_of(fh);
  if (file == nullptr) return io::raise_no_file();
  Ending ending = io::refuse_sequential(*file);
  MPI_Offset target = 0;
  if (ending.error == MPI_SUCCESS) ending = io::target_of_seek(*file, file->position, offset, whence, target);
  if (ending.error != MPI_SUCCESS) return io::raised(*file, ending);
  const std::lock_guard guard(file->lock);
  file->position = target;
  return MPI_SUCCESS;
}

int File_get_position(MPI_File fh, MPI_Offset* offset) {
  File* file = file_of(fh);
  if (file == nullptr) return io::raise_no_file();
  if (offset == nullptr) return io::raise_null(*file, "offset");
  *offset = file->position;
  return MPI_SUCCESS;
}

int File_get_byte_offset(MPI_File fh, MPI_Offset offset, MPI_Offset* disp) {
  File* file = file_of(fh);
  if (file == nullptr) return io::raise_no_file();
  if (disp == nullptr) return io::raise_null(*file, "disp");
  if (offset < 0) return io::raise(*file, MPI_ERR_ARG, "the offset is negative; give zero or more.");
  *disp = file->view.offset_of(static_cast<uint64_t>(offset) * file->view.element_bytes());
  return MPI_SUCCESS;
}

int File_seek_shared(MPI_File fh, MPI_Offset offset, int whence) {
  File* file = file_of(fh);
  if (file == nullptr) return io::raise_no_file();
  Ending ending = io::check_shared(*file);
  MPI_Offset target = 0;
  if (ending.error == MPI_SUCCESS) {
    Barrier(file->comm_handle);  // whoever used the pointer before has done so
    ending = io::target_of_seek(*file, file->shared_pointer->load(), offset, whence, target);
    ending = io::agree(*file, ending);
  }
  if (ending.error != MPI_SUCCESS) return io::raised(*file, ending);
  if (file->comm->rank == 0) file->shared_pointer->store(target);
  return Barrier(file->comm_handle);
}

int File_get_position_shared(MPI_File fh, MPI_Offset* offset) {
  File* file = file_of(fh);
  if (file == nullptr) return io::raise_no_file();
  if (offset == nullptr) return io::raise_null(*file, "offset");
  if (const Ending ending = io::check_shared(*file); ending.error != MPI_SUCCESS) return io::raised(*file, ending);
  *offset = file->shared_pointer->load();
  return MPI_SUCCESS;
}

int File_get_type_extent(MPI_File fh, MPI_Datatype datatype, MPI_Aint* extent) {
  return io::type_extent(fh, datatype, extent);
}

int File_get_type_extent_c(MPI_File fh, MPI_Datatype datatype, MPI_Count* extent) {
  return io::type_extent(fh, datatype, extent);
}

}  // namespace vif::mpi::api
