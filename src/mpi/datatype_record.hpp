// The record of the arguments that made a datatype (Contents), as the constructors write it. Context: app.
#pragma once

#include <utility>

#include "mpi/datatype.hpp"

namespace vif::mpi {

template <class Count>
constexpr bool is_large = sizeof(Count) > sizeof(int);

// Counts and displacements of a large-count call all go to the list of large counts.
template <class Count>
class Record {
 public:
  explicit Record(int combiner) {
    contents_.combiner = combiner;
    contents_.large = is_large<Count>;
  }
  Record& counts(const Count* values, Count n) {
    for (Count i = 0; i < n; ++i) count(values[i]);
    return *this;
  }
  Record& count(Count value) {
    if constexpr (is_large<Count>) {
      contents_.counts.push_back(value);
    } else {
      contents_.integers.push_back(value);
    }
    return *this;
  }
  Record& addresses(const MPI_Count* values, Count n) {
    for (Count i = 0; i < n; ++i) address(values[i]);
    return *this;
  }
  Record& address(MPI_Count value) {
    if constexpr (is_large<Count>) {
      contents_.counts.push_back(value);
    } else {
      contents_.addresses.push_back(value);
    }
    return *this;
  }
  Record& integer(int value) {
    contents_.integers.push_back(value);
    return *this;
  }
  Record& type(Datatype* value) {
    contents_.types.push_back(value);
    return *this;
  }
  Contents take() { return std::move(contents_); }

 private:
  Contents contents_;
};

// Raises that the old type of a constructor is none.
int refuse_old_type();

}  // namespace vif::mpi
