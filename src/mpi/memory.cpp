// Addresses, memory for the program, and the clock. Context: app.
#include <cstdlib>
#include <ctime>
#include <string>

#include "api.hpp"
#include "mpi/errors.hpp"
#include "mpi/info.hpp"
#include "mpi/process.hpp"
#include "net/engine.hpp"
#include "net/remote_memory.hpp"

namespace vif::mpi::api {

namespace {

// Memory that the other ranks can map is for long messages; it comes in pages.
constexpr MPI_Aint smallest_shared = 64 * 1024;
constexpr std::size_t page = 4096;

// A cache line, or what the program asks for.
std::size_t wanted_alignment(MPI_Info handle) {
  Info* info = info_of(handle);
  const std::string text = info != nullptr ? value_of(*info, "mpi_minimum_memory_alignment") : "";
  const std::size_t asked = std::strtoull(text.c_str(), nullptr, 10);
  return asked > 64 && (asked & (asked - 1)) == 0 ? asked : 64;
}

// Null: there is none, and ordinary memory does as well.
void* shared_memory(MPI_Aint size) {
  net::RemoteMemory* memory = engine().processes() > 1 ? engine().remote_memory() : nullptr;
  return memory != nullptr ? memory->allocate(static_cast<uint64_t>(size)) : nullptr;
}

}  // namespace

int Alloc_mem(MPI_Aint size, MPI_Info info, void* baseptr) {
  if (baseptr == nullptr) return raise_null_argument(nullptr, "baseptr");
  if (size < 0) return raise(nullptr, MPI_ERR_ARG, "the size is negative; give zero or more.");
  const std::size_t alignment = wanted_alignment(info);
  void* memory = size >= smallest_shared && alignment <= page ? shared_memory(size) : nullptr;
  if (memory == nullptr && posix_memalign(&memory, alignment, static_cast<std::size_t>(size)) != 0) {
    return raise(nullptr, MPI_ERR_NO_MEM,
                 std::to_string(size) + " bytes of memory could not be had; ask for less, or free some first.");
  }
  *static_cast<void**>(baseptr) = memory;
  return MPI_SUCCESS;
}

int Free_mem(void* base) {
  net::RemoteMemory* memory = engine().remote_memory();
  if (base == nullptr || memory == nullptr || !memory->release(static_cast<std::byte*>(base))) std::free(base);
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
