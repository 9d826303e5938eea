// Info objects: ordered lists of key and value. Context: app.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mpi/handle.hpp"

namespace vif::mpi {

struct Info {
  static constexpr uint32_t alive = 0x496e666f;

  uint32_t magic = alive;
  std::mutex lock;
  std::vector<std::pair<std::string, std::string>> entries;
};

// MPI_INFO_ENV is an object as well; MPI_INFO_NULL is none.
Info* info_of(MPI_Info handle);
inline MPI_Info handle_of(Info* info) noexcept { return reinterpret_cast<MPI_Info>(info); }

// For MPI_Comm_get_info and its like: a copy that belongs to the caller; of a null info, an empty one.
Info* copy_of(Info* info);
void destroy(Info* info);

// The value of a key, or an empty string.
std::string value_of(Info& info, std::string_view key);
void set_value(Info& info, std::string_view key, std::string_view value);

}  // namespace vif::mpi
