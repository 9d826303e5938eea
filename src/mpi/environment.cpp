// Starting and ending: MPI_Init to MPI_Finalize, MPI_Abort, and who this process and this library are. Context: app.
#include <sched.h>
#include <unistd.h>
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
#include "mpi/info_environment.hpp"
#include "mpi/predefined_attributes.hpp"
#include "mpi/process.hpp"

#ifndef VIF_VERSION
#error "VIF_VERSION is not defined; src/mpi/CMakeLists.txt defines it."
#endif

namespace vif::mpi {
namespace {

// Written once by MPI_Init, before any other thread may call.
pid_t main_thread = 0;

[[noreturn]] void refuse_start(const std::string& why) {
  std::fprintf(stderr, "vif: %s: %s\n", current_function, why.c_str());
  _exit(1);
}

int start(int required, int* provided) {
  const Phase now = phase.load(std::memory_order_relaxed);
  if (now != Phase::before_init) {
    return raise(nullptr, MPI_ERR_OTHER,
                 now == Phase::running ? "MPI is initialised already; ask MPI_Initialized before."
                                       : "MPI is finalised; a process can be initialised once only.");
  }
  // The standard's levels are ordered numbers; what lies between two of them gets the higher one.
  const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
  int level = MPI_THREAD_MULTIPLE;
  for (int candidate : levels) {
    if (candidate >= required) {
      level = candidate;
      break;
    }
  }
  std::string error = base::check_options();
  if (!error.empty() || !Process::start(level, error)) refuse_start(error);
  main_thread = gettid();
  fill_predefined_attributes(*process());
  complete_environment_info(process()->engine->processes(), level);
  phase.store(Phase::running, std::memory_order_release);
  if (provided != nullptr) *provided = level;
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
  *flag = phase.load(std::memory_order_acquire) != Phase::before_init;
  return MPI_SUCCESS;
}

int Finalized(int* flag) {
  if (flag == nullptr) return raise_null_argument(nullptr, "flag");
  *flag = phase.load(std::memory_order_acquire) == Phase::finalized;
  return MPI_SUCCESS;
}

int Finalize() {
  delete_first_attributes();
  Process::stop();
  phase.store(Phase::finalized, std::memory_order_release);
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
  *flag = gettid() == main_thread;
  return MPI_SUCCESS;
}

int Get_processor_name(char* name, int* resultlen) {
  char host[MPI_MAX_PROCESSOR_NAME] = "";
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

int Abi_get_version(int* abi_major, int* abi_minor) {
  if (abi_major == nullptr || abi_minor == nullptr) return raise_null_argument(nullptr, "abi_major or abi_minor");
  *abi_major = MPI_ABI_VERSION;
  *abi_minor = MPI_ABI_SUBVERSION;
  return MPI_SUCCESS;
}

int Abi_get_info(MPI_Info* info) {
  if (info == nullptr) return raise_null_argument(nullptr, "info");
  auto* object = new vif::mpi::Info;
  set_value(*object, "mpi_aint_size", std::to_string(sizeof(MPI_Aint)));
  set_value(*object, "mpi_count_size", std::to_string(sizeof(MPI_Count)));
  set_value(*object, "mpi_offset_size", std::to_string(sizeof(MPI_Offset)));
  *info = handle_of(object);
  return MPI_SUCCESS;
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
