// Reading and writing: see access.hpp. Context: app.
//
// Every operation is done within the call that starts it, on the page cache of this machine; a request is complete when
// it is made.
#include "mpi/io/access.hpp"

#include <algorithm>
#include <new>
#include <vector>

#include "api.hpp"
#include "data/copy.hpp"
#include "mpi/errors.hpp"
#include "mpi/io/file.hpp"
#include "mpi/io/transfer.hpp"
#include "mpi/status.hpp"

namespace vif::mpi::io {
namespace {

constexpr uint64_t chunk_bytes = uint64_t{4} << 20;  // of data that lies in pieces in memory

// One operation whose arguments are right.
struct Access {
  File& file;
  Direction direction;
  Where where;
  std::byte* user;
  MPI_Count count;
  const Datatype& type;
  uint64_t stream_bytes;  // in the file's representation
  int64_t elements;       // elementary types
};

struct Moved {
  uint64_t bytes = 0;  // of the stream
  Ending ending;
};

Moved move_pieces(const Access& access, uint64_t from) {
  const bool reads = access.direction == Direction::read;
  const data::View memory = view_of(access.type, access.count);
  std::vector<std::byte> chunk(std::min(chunk_bytes, access.stream_bytes));
  Moved all;
  while (all.bytes < access.stream_bytes && all.ending.error == MPI_SUCCESS) {
    const uint64_t wanted = std::min(chunk_bytes, access.stream_bytes - all.bytes);
    uint64_t moved = 0;
    if (reads) {
      all.ending = read_stream(access.file, access.file.view, from + all.bytes, wanted, chunk.data(), moved);
      data::scatter(memory, access.user, all.bytes, chunk.data(), moved);
    } else {
      data::gather(memory, access.user, all.bytes, chunk.data(), wanted);
      all.ending = write_stream(access.file, access.file.view, from + all.bytes, wanted, chunk.data(), moved);
    }
    all.bytes += moved;
    if (moved < wanted) break;
  }
  return all;
}

Moved move_plain(const Access& access, uint64_t from) {
  Moved moved;
  std::byte* user = access.user + view_of(access.type, access.count).offset();
  const File& file = access.file;
  moved.ending = access.direction == Direction::read
                     ? read_stream(file, file.view, from, access.stream_bytes, user, moved.bytes)
                     : write_stream(file, file.view, from, access.stream_bytes, user, moved.bytes);
  return moved;
}

Moved move_converted(const Access& access, uint64_t from) {
  const Representation& form = access.file.view.representation();
  std::vector<std::byte> bytes(access.stream_bytes + 1);
  Moved moved;
  if (access.direction == Direction::write) {
    moved.ending = form.to_file(access.type, access.count, access.user, bytes.data());
    if (moved.ending.error != MPI_SUCCESS) return moved;
    moved.ending = write_stream(access.file, access.file.view, from, access.stream_bytes, bytes.data(), moved.bytes);
    return moved;
  }
  moved.ending = read_stream(access.file, access.file.view, from, access.stream_bytes, bytes.data(), moved.bytes);
  const uint64_t one = form.bytes(access.type, 1);
  const auto whole = static_cast<MPI_Count>(one == 0 ? 0 : moved.bytes / one);
  const Ending converted = form.from_file(access.type, whole, bytes.data(), access.user);
  if (moved.ending.error == MPI_SUCCESS) moved.ending = converted;
  return moved;
}

Moved move(const Access& access, int64_t position) {
  Moved moved;
  if (access.stream_bytes == 0) return moved;
  const uint64_t from = static_cast<uint64_t>(position) * access.file.view.element_bytes();
  const AtomicAccess alone(access.file, access.direction == Direction::write, moved.ending);
  if (moved.ending.error != MPI_SUCCESS) return moved;
  if (access.file.view.representation().converts()) return move_converted(access, from);
  return view_of(access.type, access.count).contiguous() ? move_plain(access, from) : move_pieces(access, from);
}

// Where each process begins in an ordered access: the shared pointer and what the ranks before have.
int64_t ordered_position(const Access& access) {
  File& file = access.file;
  std::vector<int64_t> all(static_cast<std::size_t>(file.comm->size));
  api::Allgather(&access.elements, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, file.comm_handle);
  int64_t before = 0, total = 0, base = 0;
  for (int rank = 0; rank < file.comm->size; ++rank) {
    if (rank < file.comm->rank) before += all[static_cast<std::size_t>(rank)];
    total += all[static_cast<std::size_t>(rank)];
  }
  if (file.comm->rank == 0) base = file.shared_pointer->fetch_add(total, std::memory_order_acq_rel);
  api::Bcast(&base, 1, MPI_INT64_T, 0, file.comm_handle);
  return base + before;
}

Moved perform(const Access& access, MPI_Offset offset) {
  File& file = access.file;
  switch (access.where) {
    case Where::at:
    case Where::at_all:
      return move(access, offset);
    case Where::shared:
      return move(access, file.shared_pointer->fetch_add(access.elements, std::memory_order_acq_rel));
    case Where::ordered:
      return move(access, ordered_position(access));
    default: {
      const std::lock_guard guard(file.lock);
      Moved moved = move(access, file.position);
      file.position += static_cast<int64_t>(moved.bytes / file.view.element_bytes());
      return moved;
    }
  }
}

// What the user's status says: the bytes as they are in memory.
void fill_status(const Access& access, const Moved& moved, MPI_Status& status) {
  set_empty_status(&status);
  uint64_t bytes = moved.bytes;
  if (access.file.view.representation().converts()) {
    const uint64_t one = access.file.view.representation().bytes(access.type, 1);
    bytes = one == 0 ? 0 : bytes / one * static_cast<uint64_t>(access.type.size);
  }
  set_status_bytes(status, bytes);
}

Ending check_mode(const File& file, Direction direction, Where where) {
  if (direction == Direction::read && (file.mode & MPI_MODE_WRONLY) != 0) {
    return {MPI_ERR_ACCESS, "the file was opened for writing only"};
  }
  if (direction == Direction::write && (file.mode & MPI_MODE_RDONLY) != 0) {
    return {MPI_ERR_READ_ONLY, "the file was opened for reading only"};
  }
  const bool by_shared_pointer = where == Where::shared || where == Where::ordered;
  if ((file.mode & MPI_MODE_SEQUENTIAL) != 0 && !by_shared_pointer) {
    return {MPI_ERR_UNSUPPORTED_OPERATION, "a file of mode MPI_MODE_SEQUENTIAL has a shared pointer only"};
  }
  if (by_shared_pointer && file.shared_pointer == nullptr) {
    return {
        MPI_ERR_NO_MEM,
        "there was no shared memory for the shared pointer when the file was opened, or its processes are not all on "
        "one host; give explicit offsets instead"};
  }
  return {};
}

Ending check_data(const File& file, const Call& call, const Datatype* type, Where where) {
  if (call.count < 0) return {MPI_ERR_COUNT, "the count is negative"};
  if (type == nullptr) return {MPI_ERR_TYPE, "the argument is not a datatype"};
  if (!type->committed) return {MPI_ERR_TYPE, "the datatype is not committed; call MPI_Type_commit first"};
  int64_t bytes;
  if (__builtin_mul_overflow(call.count, type->size, &bytes)) return {MPI_ERR_COUNT, "the data has too many bytes"};
  if (call.buffer == nullptr && bytes > 0 && type->contiguous) return {MPI_ERR_BUFFER, "the buffer is a null pointer"};
  if ((where == Where::at || where == Where::at_all) && call.offset < 0) return {MPI_ERR_ARG, "the offset is negative"};
  if (file.view.representation().bytes(*type, call.count) % file.view.element_bytes() != 0) {
    return {MPI_ERR_IO, "only whole elementary types of the view can be read or written, and the data is not"};
  }
  return {};
}

// Does the operation. The ending says what must be raised.
Ending carry_out(Direction direction, Where where, File& file, const Call& call, MPI_Status& status) {
  set_empty_status(&status);
  const Datatype* type = datatype_of(call.type);
  Ending ending = check_mode(file, direction, where);
  if (ending.error == MPI_SUCCESS) ending = check_data(file, call, type, where);
  if (ending.error != MPI_SUCCESS) return ending;
  const uint64_t bytes = file.view.representation().bytes(*type, call.count);
  auto* user = static_cast<std::byte*>(const_cast<void*>(call.buffer));
  const auto elements = static_cast<int64_t>(bytes / file.view.element_bytes());
  const Access access{file, direction, where, user, call.count, *type, bytes, elements};
  const Moved moved = perform(access, call.offset);
  fill_status(access, moved, status);
  return moved.ending;
}

// A request whose operation is over: it gives its status and its error when it is completed.
struct Finished final : Work {
  Finished(const MPI_Status& status, Ending ending) : status_(status), ending_(std::move(ending)) {}
  Ending start() override { return {}; }
  bool complete() noexcept override { return true; }
  Ending peek(MPI_Status& status) override {
    status = status_;
    return {};
  }
  Ending finish(MPI_Status& status) override {
    status = status_;
    return ending_;
  }

 private:
  MPI_Status status_;
  Ending ending_;
};

}  // namespace

int access(Direction direction, Where where, const Call& call, MPI_Status* status) {
  File* file = file_of(call.file);
  if (file == nullptr) return raise_no_file();
  MPI_Status own;
  const Ending ending = carry_out(direction, where, *file, call, own);
  if (status != MPI_STATUS_IGNORE) {
    own.MPI_ERROR = status->MPI_ERROR;  // a call with one status leaves it alone
    *status = own;
  }
  return raised(*file, ending);
}

int start(Direction direction, Where where, const Call& call, MPI_Request* request) {
  File* file = file_of(call.file);
  if (file == nullptr) return raise_no_file();
  if (request == nullptr) return raise_null(*file, "request");
  MPI_Status status;
  Ending ending = carry_out(direction, where, *file, call, status);
  // What is wrong with the arguments is raised at once, and there is no request then.
  if (ending.error != MPI_SUCCESS) return raised(*file, ending);
  RequestObject* object = take_request(RequestKind::work, *file->comm);
  if (object != nullptr) object->work = new (std::nothrow) Finished(status, std::move(ending));
  if (object == nullptr || object->work == nullptr) {
    if (object != nullptr) give_back(object);
    return raise(*file, MPI_ERR_NO_MEM, "there is no memory for the request");
  }
  object->active = true;
  *request = handle_of(object);
  return MPI_SUCCESS;
}

int begin(Direction direction, Where where, const Call& call) {
  File* file = file_of(call.file);
  if (file == nullptr) return raise_no_file();
  if (file->split.open) {
    return raise(*file, MPI_ERR_OTHER, "a split collective of this file has begun already; end it before.");
  }
  file->split = {true, direction == Direction::write, static_cast<int>(where), {}, {}};
  file->split.ending = carry_out(direction, where, *file, call, file->split.status);
  if (file->split.ending.error == MPI_SUCCESS) return MPI_SUCCESS;
  file->split.open = false;
  return raised(*file, file->split.ending);
}

int end(Direction direction, Where where, MPI_File handle, MPI_Status* status) {
  File* file = file_of(handle);
  if (file == nullptr) return raise_no_file();
  const bool write = direction == Direction::write;
  if (!file->split.open || file->split.write != write || file->split.where != static_cast<int>(where)) {
    return raise(*file, MPI_ERR_OTHER, "no split collective of this kind has begun on this file.");
  }
  file->split.open = false;
  if (status != MPI_STATUS_IGNORE) {
    const int error = status->MPI_ERROR;
    *status = file->split.status;
    status->MPI_ERROR = error;
  }
  return MPI_SUCCESS;
}

}  // namespace vif::mpi::io
