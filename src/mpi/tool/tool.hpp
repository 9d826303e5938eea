// The tool interface (MPI_T): what its parts share.
//
// Control variables are the options of the library (base/options.hpp), performance variables its counters. There are no
// events and no sources of events. Nothing here raises: each function returns its code, and MPI_Error_string explains
// it. Context: app, also outside MPI_Init and MPI_Finalize, between MPI_T_init_thread and MPI_T_finalize.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

namespace vif::mpi::tool {

// MPI_SUCCESS between MPI_T_init_thread and MPI_T_finalize.
int check_initialized();
int fail(int code, std::string_view sentence);
int fail_index(const char* what);
int fail_null();

// Gives a text in the manner of the interface: nothing when either is null, only the length when that is 0.
void give_text(std::string_view text, char* place, int* length);

template <class Value>
void give(Value* place, Value value) {
  if (place != nullptr) *place = value;
}

// An enumeration: the words that an option may have.
struct Enumeration {
  std::string name;
  std::vector<std::string> words;  // the value of a word is its place
};
MPI_T_enum handle_of(const Enumeration* enumeration) noexcept;

int control_count();
int counter_count();

}  // namespace vif::mpi::tool
