// Starting and ending: MPI_Init to MPI_Finalize, MPI_Abort, and who this process and this library are. Context: app.
#include <sched.h>
#include <unistd.h>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>

#include "api.hpp"
#include "base/options.hpp"
#include "mpi/attribute.hpp"
#include "mpi/comm.hpp"
#include "mpi/entry.hpp"
#include "mpi/errors.hpp"
#include "mpi/info.hpp"
#include "mpi/lifecycle.hpp"
#include "mpi/process.hpp"

#ifndef VIF_VERSION
#error "VIF_VERSION is not defined; src/mpi/CMakeLists.txt defines it."
#endif

namespace vif::mpi {
namespace {

// What became of MPI_COMM_WORLD; sessions do not change it.
enum class World : uint8_t { none, open, closed };
std::atomic<World> world{World::none};

int thread_level_at_least(int required) noexcept {
  // The standard's levels are ordered numbers; what lies between two of them gets the higher one.
  for (int level : {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED}) {
    if (level >= required) return level;
  }
  return MPI_THREAD_MULTIPLE;
}

int start(int required, int* provided) {
  const World now = world.load(std::memory_order_relaxed);
  if (now != World::none) {
    return raise(nullptr, MPI_ERR_OTHER,
                 now == World::open ? "MPI is initialised already; ask MPI_Initialized before."
                                    : "MPI is finalised; a process can be initialised once only.");
  }
  std::string error;
  if (!begin_use(thread_level_at_least(required), error)) {
    std::fprintf(stderr, "vif: %s: %s\n", current_function, error.c_str());
    _exit(1);
  }
  world.store(World::open, std::memory_order_release);
  if (provided != nullptr) *provided = process()->thread_level;
  return MPI_SUCCESS;
}

// As the standard says: the attributes of MPI_COMM_SELF first, while everything still works.
void delete_first_attributes() {
  for (Comm* comm : {process()->self, process()->world}) {
    if (int code = delete_attributes(*comm)) raise_code(comm, code);
  }
}

int copy_text(const std::string& text, char* place, int* length, std::size_t room) {
  if (place == nullptr || length == nullptr) return raise_null_argument(nullptr, "the text or its length");
  const std::size_t size = text.size() < room ? text.size() : room - 1;
  std::memcpy(place, text.data(), size);
  place[size] = '\0';
  *length = static_cast<int>(size);
  return MPI_SUCCESS;
}

}  // namespace

namespace api {

int Init(int*, char***) { return start(MPI_THREAD_SINGLE, nullptr); }

int Init_thread(int*, char***, int required, int* provided) { return start(required, provided); }

int Initialized(int* flag) {
  if (flag == nullptr) return raise_null_argument(nullptr, "flag");
  *flag = world.load(std::memory_order_acquire) != World::none;
  return MPI_SUCCESS;
}

int Finalized(int* flag) {
  if (flag == nullptr) return raise_null_argument(nullptr, "flag");
  *flag = world.load(std::memory_order_acquire) == World::closed;
  return MPI_SUCCESS;
}

int Finalize() {
  if (world.load(std::memory_order_relaxed) != World::open) {
    return raise(nullptr, MPI_ERR_OTHER, "MPI_COMM_WORLD is not open: MPI_Init was not called, or MPI_Finalize was.");
  }
  delete_first_attributes();
  world.store(World::closed, std::memory_order_release);
  end_use(true);
  return MPI_SUCCESS;
}

int Abort(MPI_Comm, int errorcode) {
  std::string why = "rank " + std::to_string(process()->world->rank) + " called MPI_Abort with code " +
                    std::to_string(errorcode) + ".";
  Process::abort(errorcode, why);
}

int Query_thread(int* provided) {
  if (provided == nullptr) return raise_null_argument(nullptr, "provided");
  *provided = process()->thread_level;
  return MPI_SUCCESS;
}

int Is_thread_main(int* flag) {
  if (flag == nullptr) return raise_null_argument(nullptr, "flag");
  *flag = is_main_thread();
  return MPI_SUCCESS;
}

int Get_processor_name(char* name, int* resultlen) {
  char host[MPI_MAX_PROCESSOR_NAME] = "";
  if (const std::string given = base::option("VIF_HOST"); !given.empty()) {
    return copy_text(given.substr(0, MPI_MAX_PROCESSOR_NAME - 1), name, resultlen, MPI_MAX_PROCESSOR_NAME);
  }
  if (gethostname(host, sizeof host - 1) != 0) std::strcpy(host, "unknown");
  return copy_text(host, name, resultlen, MPI_MAX_PROCESSOR_NAME);
}

int Get_version(int* version, int* subversion) {
  if (version == nullptr || subversion == nullptr) return raise_null_argument(nullptr, "version or subversion");
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}

int Get_library_version(char* version, int* resultlen) {
  return copy_text("Vif " VIF_VERSION ", MPI 5.0 with the standard binary interface 1.0", version, resultlen,
                   MPI_MAX_LIBRARY_VERSION_STRING);
}

int Get_hw_resource_info(MPI_Info* hw_info) {
  if (hw_info == nullptr) return raise_null_argument(nullptr, "hw_info");
  auto* object = new vif::mpi::Info;
  cpu_set_t allowed;
  const bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  // A value says whether this process is restricted to one instance of the resource.
  set_value(*object, "vif://machine", "true");
  set_value(*object, "vif://cpu", known && CPU_COUNT(&allowed) == 1 ? "true" : "false");
  *hw_info = handle_of(object);
  return MPI_SUCCESS;
}

int Pcontrol(const int, ...) { return MPI_SUCCESS; }

}  // namespace api
}  // namespace vif::mpi
