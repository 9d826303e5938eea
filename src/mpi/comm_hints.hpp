// The hints of communicators. Context: app.
//
//   vif_progress   who moves the non-blocking and persistent collectives made from then on, while the program computes:
//                  react, thread or poll, as VIF_PROGRESS. The same in all processes of the communicator.
#pragma once

#include <string>
#include <string_view>

#include "mpi/comm.hpp"

namespace vif::mpi {

// Of a value of VIF_PROGRESS.
net::Progress progress_named(std::string_view name) noexcept;

// Why a value cannot be accepted, as a clause; empty: all can be. Null: there are no hints.
std::string refusal_of_hints(Info* given);
// Raises what is wrong with hints that are about to be given to a communicator.
int check_hints(Comm* comm, Info* given);
// Puts into effect what the info of the communicator says, or the option where it says nothing.
void apply_hints(Comm& comm);
// The hints in effect that its info does not name, added to a copy of it.
void add_hints_in_effect(const Comm& comm, Info& copy);

}  // namespace vif::mpi
