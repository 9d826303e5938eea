// The making and unmaking of communicators.
//
// The leader, rank 0 of the new communicator, chooses the context id and allocates the shared memory of its
// collectives; both numbers travel to the others along the parent or the new communicator. The memory is followed by a
// counter of the processes that will not touch it any more: the leader frees it when all have been counted, whenever it
// looks next. Context: app; callers that communicate hold a net::ApiScope.
#pragma once

#include <vector>

#include "mpi/comm.hpp"
#include "mpi/comm_context.hpp"

namespace vif::mpi {

// What the leader tells the others.
struct Birth {
  uint32_t context = ContextIds::none;
  uint32_t unused = 0;
  uint64_t area = 0;
};

ContextIds& context_ids() noexcept;

// The leader's choice for a communicator of that many processes.
Birth new_birth(int size);
void undo_birth(const Birth& birth, int size);

// A communicator without its numbers: members and rank. The handle is valid, nothing may be sent yet.
Comm* new_comm(std::vector<int> members);
// Gives it its numbers.
void enliven(Comm& comm, const Birth& birth);
// Lets its leader make the shared memory, and tells the others. Collective over `comm`, whose context must be known.
uint64_t agree_on_area(Comm& comm);

// What a new communicator takes over from the one it is made from.
void inherit(Comm& comm, const Comm& parent);

// World and self. Self is alone; world is collective over the job.
void make_first_comms(Process& process);
void unmake_first_comms(Process& process);

int raise_no_contexts(Comm& parent);

// Raises MPI_ERR_COMM for a handle that names no communicator.
int raise_no_comm();

}  // namespace vif::mpi
