// Addresses, memory for the program, and the clock. Context: app.
#include <cstdlib>
#include <ctime>
#include <string>

#include "api.hpp"
#include "mpi/errors.hpp"

namespace vif::mpi::api {

int Alloc_mem(MPI_Aint size, MPI_Info, void* baseptr) {
  if (baseptr == nullptr) return raise_null_argument(nullptr, "baseptr");
  if (size < 0) return raise(nullptr, MPI_ERR_ARG, "the size is negative; give zero or more.");
  // Large memory starts a page, so that it can be moved and shared by pages; small memory a cache line.
  const std::size_t page = 4096;
  const std::size_t alignment = size >= static_cast<MPI_Aint>(16 * page) ? page : 64;
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, static_cast<std::size_t>(size)) != 0) {
    return raise(nullptr, MPI_ERR_NO_MEM,
                 std::to_string(size) + " bytes of memory could not be had; ask for less, or free some first.");
  }
  *static_cast<void**>(baseptr) = memory;
  return MPI_SUCCESS;
}

int Free_mem(void* base) {
  std::free(base);
  return MPI_SUCCESS;
}

int Get_address(const void* location, MPI_Aint* address) {
  if (address == nullptr) return raise_null_argument(nullptr, "address");
  *address = reinterpret_cast<MPI_Aint>(location);
  return MPI_SUCCESS;
}

MPI_Aint Aint_add(MPI_Aint base, MPI_Aint disp) {
  // Computed without sign: an address may wrap around.
  return static_cast<MPI_Aint>(static_cast<uintptr_t>(base) + static_cast<uintptr_t>(disp));
}

MPI_Aint Aint_diff(MPI_Aint addr1, MPI_Aint addr2) {
  return static_cast<MPI_Aint>(static_cast<uintptr_t>(addr1) - static_cast<uintptr_t>(addr2));
}

double Wtime() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double Wtick() {
  timespec resolution;
  clock_getres(CLOCK_MONOTONIC, &resolution);
  return static_cast<double>(resolution.tv_sec) + static_cast<double>(resolution.tv_nsec) * 1e-9;
}

}  // namespace vif::mpi::api
