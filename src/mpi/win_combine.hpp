// What accumulates do with which types, for src/rma. Context: any for combine_function, app for the rest.
#pragma once

#include "mpi/datatype.hpp"
#include "mpi/op.hpp"
#include "rma/combine.hpp"

namespace vif::mpi {

// The loop for a number made by combine_of(); null for any other number.
rma::Combine::Function combine_function(uint32_t code);

// What an operator does with elements of a predefined type; false where the standard does not allow the two together.
bool combine_of(const Op& op, const Datatype& element, rma::Combine& combine);

// The elements of so many instances of a type whose elements are all of one predefined type.
rma::Elements elements_of(const Datatype& type, MPI_Count count, void* address);

}  // namespace vif::mpi
