// File views: which bytes of a file a process sees, as one stream.
//
// A view is a displacement and a datatype (the filetype) that repeats from there on; the stream is its data, in order.
// Offsets of MPI count elementary types, which have a fixed number of bytes in the stream. Context: app.
#pragma once

#include <cstdint>
#include <utility>

#include "data/view.hpp"
#include "data/visit.hpp"
#include "mpi/datatype.hpp"
#include "mpi/io/representation.hpp"

namespace vif::mpi::io {

class View {
 public:
  View() = default;
  // All must be valid; the types are counted.
  View(MPI_Offset displacement, Datatype& element, Datatype& filetype, const Representation& representation);
  ~View();
  View(View&& other) noexcept { swap(other); }
  View& operator=(View&& other) noexcept {
    swap(other);
    return *this;
  }

  MPI_Offset displacement() const noexcept { return displacement_; }
  Datatype& element() const noexcept { return *element_; }
  Datatype& filetype() const noexcept { return *filetype_; }
  const Representation& representation() const noexcept { return *representation_; }
  uint64_t element_bytes() const noexcept { return element_bytes_; }
  bool contiguous() const noexcept { return contiguous_; }

  // Calls visitor(offset in the file, length) for each piece of the bytes `from` to `from` + `bytes` of the stream.
  template <class Visitor>
  void visit(uint64_t from, uint64_t bytes, Visitor&& visitor) const {
    if (contiguous_) {
      if (bytes != 0) visitor(displacement_ + static_cast<int64_t>(from), bytes);
      return;
    }
    data::visit(repeated_, from, bytes,
                [&](int64_t offset, uint64_t length) { return visitor(displacement_ + offset, length); });
  }

  // Where a byte of the stream lies in the file.
  int64_t offset_of(uint64_t byte) const;
  // How many bytes of the stream lie before that place in the file.
  uint64_t stream_bytes_before(int64_t offset) const;

 private:
  void swap(View& other) noexcept;

  MPI_Offset displacement_ = 0;
  Datatype* element_ = nullptr;
  Datatype* filetype_ = nullptr;
  const Representation* representation_ = nullptr;
  uint64_t element_bytes_ = 1;
  bool contiguous_ = true;
  data::View repeated_;  // the filetype, without end
};

// What is wrong with the arguments of MPI_File_set_view, if anything.
Ending check_view(MPI_Offset displacement, const Datatype* element, const Datatype* filetype,
                  const Representation* representation);

}  // namespace vif::mpi::io
