// The named sets of processes that a session offers: all of the job, and this process alone. Context: app.
#include <strings.h>
#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "api.hpp"
#include "mpi/comm.hpp"
#include "mpi/group.hpp"
#include "mpi/info.hpp"
#include "mpi/session.hpp"

namespace vif::mpi {
namespace {

constexpr std::string_view psets[] = {"mpi://WORLD", "mpi://SELF"};
constexpr int pset_count = 2;

// The communicator with the processes of the set; null when there is no set of that name. The standard compares the
// scheme and the names without regard to case.
const Comm* comm_of_pset(const char* name) {
  if (name == nullptr) return nullptr;
  const auto same = [name](std::string_view pset) {
    return strnlen(name, MPI_MAX_PSET_NAME_LEN) == pset.size() && strncasecmp(name, pset.data(), pset.size()) == 0;
  };
  if (same(psets[0])) return process()->world;
  return same(psets[1]) ? process()->self : nullptr;
}

int raise_no_pset(Session& session) {
  return raise(session, MPI_ERR_ARG, "no set of processes has this name; ask MPI_Session_get_nth_pset for the names.");
}

int raise_null(Session& session) { return raise(session, MPI_ERR_ARG, "an argument is a null pointer."); }

}  // namespace

namespace api {

int Session_get_num_psets(MPI_Session session, MPI_Info, int* npset_names) {
  Session* object = session_of(session);
  if (object == nullptr) return raise_no_session();
  if (npset_names == nullptr) return raise_null(*object);
  *npset_names = pset_count;
  return MPI_SUCCESS;
}

int Session_get_nth_pset(MPI_Session session, MPI_Info, int n, int* pset_len, char* pset_name) {
  Session* object = session_of(session);
  if (object == nullptr) return raise_no_session();
  if (pset_len == nullptr) return raise_null(*object);
  if (n < 0 || n >= pset_count) {
    return raise(*object, MPI_ERR_ARG, "there is no set of this number; ask MPI_Session_get_num_psets how many are.");
  }
  const std::string_view name = psets[n];
  if (*pset_len > 0) {
    if (pset_name == nullptr) return raise_null(*object);
    const std::size_t length = std::min(name.size(), static_cast<std::size_t>(*pset_len) - 1);
    std::memcpy(pset_name, name.data(), length);
    pset_name[length] = '\0';
  }
  *pset_len = static_cast<int>(name.size()) + 1;
  return MPI_SUCCESS;
}

int Session_get_pset_info(MPI_Session session, const char* pset_name, MPI_Info* info) {
  Session* object = session_of(session);
  if (object == nullptr) return raise_no_session();
  if (info == nullptr) return raise_null(*object);
  const Comm* comm = comm_of_pset(pset_name);
  if (comm == nullptr) return raise_no_pset(*object);
  auto* made = new vif::mpi::Info;
  set_value(*made, "mpi_size", std::to_string(comm->size));
  *info = handle_of(made);
  return MPI_SUCCESS;
}

int Group_from_session_pset(MPI_Session session, const char* pset_name, MPI_Group* newgroup) {
  Session* object = session_of(session);
  if (object == nullptr) return raise_no_session();
  if (newgroup == nullptr) return raise_null(*object);
  const Comm* comm = comm_of_pset(pset_name);
  if (comm == nullptr) return raise_no_pset(*object);
  *newgroup = make_group(comm->members);
  return MPI_SUCCESS;
}

}  // namespace api
}  // namespace vif::mpi
