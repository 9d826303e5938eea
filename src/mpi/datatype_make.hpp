// The making of datatypes: from components to bounds, layout and signature. No checks of arguments here; see
// datatype_create.cpp. Context: app.
#pragma once

#include <span>

#include "mpi/datatype.hpp"

namespace vif::mpi {

// `count` instances of a type, one after the other, from a displacement in bytes on.
struct Component {
  MPI_Count count;
  MPI_Count displacement;
  Datatype* type;
};

// Each returns a new type with one handle and one reference, uncommitted, that keeps references to what is in
// `contents`.
Datatype* make_type(std::span<const Component> components, Contents contents);
// `count` blocks of `length` instances, `stride` bytes from one to the next.
Datatype* make_strided_type(MPI_Count count, MPI_Count length, MPI_Count stride, Datatype& old, Contents contents);
Datatype* make_resized_type(Datatype& old, MPI_Count lb, MPI_Count extent, Contents contents);
// A part of an array. The dimensions come with the one that varies fastest first.
struct Slice {
  MPI_Count size;
  MPI_Count part;
  MPI_Count start;
};
Datatype* make_subarray_type(std::span<const Slice> dimensions, Datatype& old, Contents contents);
Datatype* make_duplicate(Datatype& old);
// What one process has of one dimension of a distributed array: `blocks` blocks of `length` elements, `step` from one
// to the next, the first at `start`, and behind them one more of `rest` elements (0: none).
struct Share {
  MPI_Count size;
  MPI_Count start;
  MPI_Count length;
  MPI_Count step;
  MPI_Count blocks;
  MPI_Count rest;
};
// The dimensions come with the one that varies fastest first.
Datatype* make_share_type(std::span<const Share> dimensions, Datatype& old, Contents contents);

}  // namespace vif::mpi
