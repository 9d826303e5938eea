// MPI_Comm_size, rank, compare, group, names, info, free: what concerns one communicator. Context: app.
#include "mpi/comm.hpp"

#include <algorithm>
#include <cstring>

#include "api.hpp"
#include "mpi/attribute.hpp"
#include "mpi/comm_create.hpp"
#include "mpi/comm_hints.hpp"
#include "mpi/errors.hpp"
#include "mpi/group.hpp"
#include "mpi/info.hpp"
#include "mpi/point_to_point_buffered.hpp"

namespace vif::mpi {

namespace {

bool same_people(const std::vector<int>& one, const std::vector<int>& other) {
  return one.size() == other.size() && std::is_permutation(one.begin(), one.end(), other.begin());
}

int compare(const Comm& one, const Comm& other) {
  if (&one == &other) return MPI_IDENT;
  if (one.members == other.members && one.remote == other.remote) return MPI_CONGRUENT;
  return same_people(one.members, other.members) && same_people(one.remote, other.remote) ? MPI_SIMILAR : MPI_UNEQUAL;
}

int free_comm(MPI_Comm* handle) {
  Comm* comm = comm_of(*handle);
  if (comm == nullptr) return raise_no_comm();
  if (comm == process()->world || comm == process()->self) {
    return raise(comm, MPI_ERR_COMM, describe(*comm) + " is predefined and cannot be freed");
  }
  if (const int error = delete_attributes(*comm); error != MPI_SUCCESS) return raise_code(comm, error);
  {
    net::ApiScope scope(engine());
    detach_buffer(*comm);
  }
  *handle = MPI_COMM_NULL;
  if (comm == process()->parent) process()->parent = nullptr;
  forget_integer(comm);
  comm->magic = 0;  // requests under way keep the object, not its handle
  release(*comm);
  return MPI_SUCCESS;
}

}  // namespace

namespace api {

int Comm_size(MPI_Comm comm, int* size) {
  Comm* object = comm_of(comm);
  if (object == nullptr) return raise_no_comm();
  *size = object->size;
  return MPI_SUCCESS;
}

int Comm_rank(MPI_Comm comm, int* rank) {
  Comm* object = comm_of(comm);
  if (object == nullptr) return raise_no_comm();
  *rank = object->rank;
  return MPI_SUCCESS;
}

int Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int* result) {
  const Comm* one = comm_of(comm1);
  const Comm* other = comm_of(comm2);
  if (one == nullptr || other == nullptr) return raise_no_comm();
  *result = compare(*one, *other);
  return MPI_SUCCESS;
}

int Comm_group(MPI_Comm comm, MPI_Group* group) {
  Comm* object = comm_of(comm);
  if (object == nullptr) return raise_no_comm();
  *group = make_group(object->members);
  return MPI_SUCCESS;
}

int Comm_set_name(MPI_Comm comm, const char* comm_name) {
  Comm* object = comm_of(comm);
  if (object == nullptr) return raise_no_comm();
  if (comm_name == nullptr) return raise_null_argument(object, "comm_name");
  std::lock_guard guard(object->lock);
  object->name.assign(comm_name, strnlen(comm_name, MPI_MAX_OBJECT_NAME - 1));
  return MPI_SUCCESS;
}

int Comm_get_name(MPI_Comm comm, char* comm_name, int* resultlen) {
  if (comm == MPI_COMM_NULL) {
    std::strcpy(comm_name, "MPI_COMM_NULL");
    *resultlen = static_cast<int>(std::strlen(comm_name));
    return MPI_SUCCESS;
  }
  Comm* object = comm_of(comm);
  if (object == nullptr) return raise_no_comm();
  std::lock_guard guard(object->lock);
  std::memcpy(comm_name, object->name.c_str(), object->name.size() + 1);
  *resultlen = static_cast<int>(object->name.size());
  return MPI_SUCCESS;
}

int Comm_set_info(MPI_Comm comm, MPI_Info info) {
  Comm* object = comm_of(comm);
  if (object == nullptr) return raise_no_comm();
  Info* given = info_of(info);
  if (given == nullptr && info != MPI_INFO_NULL) {
    return raise(object, MPI_ERR_INFO, "the info object has been freed, or never was one");
  }
  if (const int error = check_hints(object, given); error != MPI_SUCCESS) return error;
  Info* added = copy_of(given);
  {
    std::lock_guard guard(object->lock);
    if (object->info == nullptr) {
      std::swap(object->info, added);
    } else {
      for (const auto& [key, value] : added->entries) set_value(*object->info, key, value);
    }
    apply_hints(*object);
  }
  if (added != nullptr) destroy(added);
  return MPI_SUCCESS;
}

int Comm_get_info(MPI_Comm comm, MPI_Info* info_used) {
  Comm* object = comm_of(comm);
  if (object == nullptr) return raise_no_comm();
  std::lock_guard guard(object->lock);
  Info* copy = copy_of(object->info);
  add_hints_in_effect(*object, *copy);
  *info_used = handle_of(copy);
  return MPI_SUCCESS;
}

int Comm_free(MPI_Comm* comm) { return free_comm(comm); }

// The engine goes on with what is pending on the communicator by itself, so there is nothing to wait for here.
int Comm_disconnect(MPI_Comm* comm) { return free_comm(comm); }

int Comm_get_parent(MPI_Comm* parent) {
  if (parent == nullptr) return raise_null_argument(nullptr, "parent");
  *parent = process()->parent == nullptr ? MPI_COMM_NULL : process()->parent->handle;
  return MPI_SUCCESS;
}

}  // namespace api

}  // namespace vif::mpi
