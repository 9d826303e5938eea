// The making and unmaking of communicators.
//
// The leader of the new communicator chooses the context id and allocates the memory that its processes share: the area
// of the collectives, followed by a counter of the processes that have left the communicator for good. It also says
// whether there are more processes than CPUs, which guides the choice of algorithms and so must be one answer. All this
// travels to the others along the parent or the new communicator. When all have been counted, the leader takes memory
// and context id back, whenever it looks next: before that, some thread of some process may still use either.
// Context: app; callers that communicate hold a net::ApiScope.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mpi/comm.hpp"
#include "mpi/comm_context.hpp"

namespace vif::mpi {

struct Group;

// What the leader tells the others.
struct Birth {
  uint32_t context = ContextIds::none;
  uint32_t crowded = 0;  // more processes than CPUs, as the leader sees it
  uint64_t shared = 0;
};

// Takes back first what others have left meanwhile.
uint32_t take_context() noexcept;
ContextIds& context_ids() noexcept;

// The leader's choice for a communicator of the kind of this one, which has no numbers yet.
Birth new_birth(const Comm& shell);
void undo_birth(const Birth& birth, const Comm& shell);

// Communicators without their numbers. The handle is valid, nothing may be sent yet.
Comm* new_comm(std::vector<int> members);
Comm* new_inter_comm(std::vector<int> members, std::vector<int> remote, bool first);
// Another one of the same processes.
Comm* new_alike(const Comm& comm);
// Gives it its numbers.
void enliven(Comm& comm, const Birth& birth);
// The numbers of a communicator whose context is known already, from its leader. Collective over `comm`.
Birth agree_on_birth(Comm& comm);

// What a new communicator takes over from the one it is made from.
void inherit(Comm& comm, const Comm& parent);

// A communicator of those of the parent who say the same colour (MPI_UNDEFINED: none), ordered by their keys.
// Collective over the parent; `out` becomes MPI_COMM_NULL in processes that are in none.
int split(Comm& parent, int color, int key, MPI_Comm* out);
// The same as an intra-communicator, though the parent be an inter-communicator.
int split_merged(Comm& parent, int color, int key, MPI_Comm* out);

// A message from the leader to each of the other processes, which have no communicator with it in common or none to
// use: `context` is one in which nobody else sends with that tag.
net::Outcome tell(uint32_t context, const std::vector<int>& processes, int leader, int tag, void* words,
                  uint64_t bytes);
// The tag of a making that the program gave a name to.
int tag_of_name(std::string_view name, int kind) noexcept;

// The process that the leader of a group meets, to make an inter-communicator of the two groups, and where they
// exchange who they are. Both leaders name the same context and tag.
struct Peer {
  int process = -1;
  uint32_t context = 0;
  int tag = 0;
  int error = MPI_SUCCESS;  // what makes the meeting impossible, and why
  std::string why;
};
// Collective over `local`; what `peer` says counts in its leader. Raises what is wrong in all processes of the group.
int make_bridge(Comm& local, int local_leader, const Peer& peer, MPI_Comm* out);

// World and self. Self is alone; world is collective over the job.
void make_first_comms(Process& process);
void unmake_first_comms(Process& process);

int raise_no_contexts(Comm* parent);

// Raises MPI_ERR_COMM for a handle that names no communicator.
int raise_no_comm();

// The object of a handle that must be an intra- or inter-communicator; null, with the error raised, when it is not.
Comm* intra_comm_of(MPI_Comm handle, int& error);
Comm* inter_comm_of(MPI_Comm handle, int& error);

}  // namespace vif::mpi
