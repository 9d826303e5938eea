// Moving bytes between memory and a file, through a view. Context: app.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi/io/file.hpp"

namespace vif::mpi::io {

// The bytes `from` to `from` + `bytes` of the stream that the view shows. `moved` says how many were moved, which is
// less at the end of the file, when reading, and when the ending is an error.
Ending read_stream(const File& file, const View& view, uint64_t from, uint64_t bytes, std::byte* to, uint64_t& moved);
Ending write_stream(const File& file, const View& view, uint64_t from, uint64_t bytes, const std::byte* data,
                    uint64_t& moved);

// In atomic mode: no other process reads or writes the file while this object lives.
class AtomicAccess {
 public:
  AtomicAccess(const File& file, bool write, Ending& ending);
  ~AtomicAccess();
  AtomicAccess(const AtomicAccess&) = delete;
  AtomicAccess& operator=(const AtomicAccess&) = delete;

 private:
  int descriptor_ = -1;  // locked
};

}  // namespace vif::mpi::io
