// Operations in words. Context: app.
#pragma once

#include <string>

#include "hang_report.hpp"

namespace vif::tool {

// "MPI_COMM_WORLD", "MPI_COMM_SELF", or a name made of the leader and the number of the communicator.
std::string communicator_words(uint32_t context);

// "MPI_Wait for its MPI_Irecv from rank 3, tag 7, up to 4096 bytes, on MPI_COMM_WORLD"
std::string operation_words(const trace::Note& note, const NameOf& name_of);

// The same without the peer: like operations have the same words.
std::string kind_words(const trace::Note& note, const NameOf& name_of);

// The collective that a function is a form of: MPI_Ibcast_c, MPI_Bcast_init and MPI_Bcast are MPI_Bcast.
std::string collective_name(const std::string& function);

}  // namespace vif::tool
