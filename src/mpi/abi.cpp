// What the library says about the binary interface, and what a Fortran binding tells it about Fortran's types.
//
// The library has no Fortran binding of its own: a binding above the C interface sets its facts once.
// Context: app; also before MPI_Init.
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "api.hpp"
#include "mpi/errors.hpp"
#include "mpi/info.hpp"

namespace vif::mpi {
namespace {

struct Fortran {
  std::mutex lock;
  Info* facts = nullptr;
  std::vector<char> logical_true;  // empty: not set
  std::vector<char> logical_false;
};

Fortran& fortran() {
  static auto* instance = new Fortran;  // never destroyed: may be asked for until the end of the program
  return *instance;
}

int raise_set_already() {
  return raise(nullptr, MPI_ERR_ABI, "the facts about Fortran were set already; they can be set once only.");
}

bool is_logical_size(int size) { return size == 1 || size == 2 || size == 4 || size == 8 || size == 16; }

int check_booleans(int size, const void* one, const void* other) {
  if (one == nullptr || other == nullptr) return raise_null_argument(nullptr, "logical_true or logical_false");
  if (is_logical_size(size)) return MPI_SUCCESS;
  return raise(nullptr, MPI_ERR_ARG, "a LOGICAL of Fortran has 1, 2, 4, 8 or 16 bytes, not " + std::to_string(size));
}

}  // namespace

namespace api {

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

int Abi_get_fortran_info(MPI_Info* info) {
  if (info == nullptr) return raise_null_argument(nullptr, "info");
  Fortran& facts = fortran();
  const std::lock_guard guard(facts.lock);
  *info = facts.facts == nullptr ? MPI_INFO_NULL : handle_of(copy_of(facts.facts));
  return MPI_SUCCESS;
}

int Abi_set_fortran_info(MPI_Info info) {
  vif::mpi::Info* given = info_of(info);
  if (given == nullptr) return raise(nullptr, MPI_ERR_INFO, "the argument is not an info object; give a valid one.");
  Fortran& facts = fortran();
  {
    const std::lock_guard guard(facts.lock);
    if (facts.facts == nullptr) {
      facts.facts = copy_of(given);
      return MPI_SUCCESS;
    }
  }
  return raise_set_already();
}

int Abi_set_fortran_booleans(int logical_size, void* logical_true, void* logical_false) {
  if (const int error = check_booleans(logical_size, logical_true, logical_false)) return error;
  Fortran& facts = fortran();
  {
    const std::lock_guard guard(facts.lock);
    if (facts.logical_true.empty()) {
      const char* yes = static_cast<char*>(logical_true);
      const char* no = static_cast<char*>(logical_false);
      facts.logical_true.assign(yes, yes + logical_size);
      facts.logical_false.assign(no, no + logical_size);
      return MPI_SUCCESS;
    }
  }
  return raise_set_already();
}

int Abi_get_fortran_booleans(int logical_size, void* logical_true, void* logical_false, int* is_set) {
  if (is_set == nullptr) return raise_null_argument(nullptr, "is_set");
  if (const int error = check_booleans(logical_size, logical_true, logical_false)) return error;
  Fortran& facts = fortran();
  const std::lock_guard guard(facts.lock);
  *is_set = facts.logical_true.size() == static_cast<std::size_t>(logical_size);
  if (*is_set == 0) return MPI_SUCCESS;
  std::memcpy(logical_true, facts.logical_true.data(), facts.logical_true.size());
  std::memcpy(logical_false, facts.logical_false.data(), facts.logical_false.size());
  return MPI_SUCCESS;
}

}  // namespace api
}  // namespace vif::mpi
