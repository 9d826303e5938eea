// Where a buffer lies in memory that all processes of the job can map. Context: any.
#pragma once

#include <cstdint>

namespace vif::net::shm {

struct Place {
  uint64_t pages = 0;   // of its range, an offset in the job's file; 0: the buffer is not in such memory
  uint64_t bytes = 0;   // of its range
  uint64_t offset = 0;  // of the buffer in the range

  bool shared() const noexcept { return pages != 0; }
};

}  // namespace vif::net::shm
