#include "mpi/handle.hpp"

#include <mutex>
#include <unordered_map>

#include "api.hpp"

namespace vif::mpi {
namespace {

struct Integers {
  std::mutex lock;
  std::unordered_map<const void*, int> of_handle;
  std::unordered_map<int, const void*> of_integer;
  int next = static_cast<int>(first_object_address);
};

Integers& integers() {
  // Never destroyed: the program may convert handles until its end.
  static auto* instance = new Integers;
  return *instance;
}

// Whether a number was ever given. relaxed: an object is destroyed by a thread that knows of all the uses of its
// handle.
std::atomic<bool> any_given{false};

}  // namespace

int integer_of_handle(const void* handle) {
  const auto value = reinterpret_cast<uintptr_t>(handle);
  if (value < first_object_address) return static_cast<int>(value);
  any_given.store(true, std::memory_order_relaxed);
  Integers& all = integers();
  const std::lock_guard guard(all.lock);
  const auto [place, added] = all.of_handle.try_emplace(handle, all.next);
  if (added) all.of_integer.emplace(all.next++, handle);
  return place->second;
}

void* handle_of_integer(int integer) {
  if (integer >= 0 && integer < static_cast<int>(first_object_address)) {
    return reinterpret_cast<void*>(static_cast<uintptr_t>(integer));
  }
  Integers& all = integers();
  const std::lock_guard guard(all.lock);
  const auto place = all.of_integer.find(integer);
  return place == all.of_integer.end() ? nullptr : const_cast<void*>(place->second);
}

void forget_integer(const void* handle) {
  if (!any_given.load(std::memory_order_relaxed)) return;
  Integers& all = integers();
  const std::lock_guard guard(all.lock);
  const auto place = all.of_handle.find(handle);
  if (place == all.of_handle.end()) return;
  all.of_integer.erase(place->second);
  all.of_handle.erase(place);
}

namespace {

// A number that stands for nothing gives the null handle of its type.
template <class Handle>
Handle converted(int integer, Handle null) {
  void* handle = handle_of_integer(integer);
  return handle == nullptr ? null : reinterpret_cast<Handle>(handle);
}

}  // namespace

namespace api {

int Comm_toint(MPI_Comm comm) { return integer_of_handle(comm); }
MPI_Comm Comm_fromint(int comm) { return converted(comm, MPI_COMM_NULL); }

int Errhandler_toint(MPI_Errhandler errhandler) { return integer_of_handle(errhandler); }
MPI_Errhandler Errhandler_fromint(int errhandler) { return converted(errhandler, MPI_ERRHANDLER_NULL); }

int File_toint(MPI_File file) { return integer_of_handle(file); }
MPI_File File_fromint(int file) { return converted(file, MPI_FILE_NULL); }

int Group_toint(MPI_Group group) { return integer_of_handle(group); }
MPI_Group Group_fromint(int group) { return converted(group, MPI_GROUP_NULL); }

int Info_toint(MPI_Info info) { return integer_of_handle(info); }
MPI_Info Info_fromint(int info) { return converted(info, MPI_INFO_NULL); }

int Message_toint(MPI_Message message) { return integer_of_handle(message); }
MPI_Message Message_fromint(int message) { return converted(message, MPI_MESSAGE_NULL); }

int Op_toint(MPI_Op op) { return integer_of_handle(op); }
MPI_Op Op_fromint(int op) { return converted(op, MPI_OP_NULL); }

int Request_toint(MPI_Request request) { return integer_of_handle(request); }
MPI_Request Request_fromint(int request) { return converted(request, MPI_REQUEST_NULL); }

int Session_toint(MPI_Session session) { return integer_of_handle(session); }
MPI_Session Session_fromint(int session) { return converted(session, MPI_SESSION_NULL); }

int Type_toint(MPI_Datatype datatype) { return integer_of_handle(datatype); }
MPI_Datatype Type_fromint(int datatype) { return converted(datatype, MPI_DATATYPE_NULL); }

int Win_toint(MPI_Win win) { return integer_of_handle(win); }
MPI_Win Win_fromint(int win) { return converted(win, MPI_WIN_NULL); }

}  // namespace api
}  // namespace vif::mpi
