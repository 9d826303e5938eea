// Data representations: how values look in a file. Context: app.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "mpi/datatype.hpp"
#include "mpi/request.hpp"

namespace vif::mpi::io {

struct Representation {
  enum class Kind : uint8_t { native, external, user };

  std::string name;
  Kind kind = Kind::native;
  // Of the program's: one of each pair, or none when the values look as in memory.
  MPI_Datarep_conversion_function* read = nullptr;
  MPI_Datarep_conversion_function* write = nullptr;
  MPI_Datarep_conversion_function_c* large_read = nullptr;
  MPI_Datarep_conversion_function_c* large_write = nullptr;
  MPI_Datarep_extent_function* extent = nullptr;
  void* extra_state = nullptr;

  bool converts() const noexcept { return kind != Kind::native; }
  // What `count` instances take in a file.
  uint64_t bytes(const Datatype& type, MPI_Count count) const;
  // Between the user's memory and the form of the file. `from`, `to` hold bytes(type, count).
  Ending to_file(const Datatype& type, MPI_Count count, const void* user, std::byte* to) const;
  Ending from_file(const Datatype& type, MPI_Count count, std::byte* from, void* user) const;
};

// Null when there is none of that name. Lives until the process ends.
const Representation* find_representation(std::string_view name);

}  // namespace vif::mpi::io
