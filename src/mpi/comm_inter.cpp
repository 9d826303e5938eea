// Inter-communicators: MPI_Intercomm_create, create_from_groups, merge; what concerns the remote group. Context: app.
#include <algorithm>
#include <array>

#include "api.hpp"
#include "mpi/collective.hpp"
#include "mpi/comm_create.hpp"
#include "mpi/errhandler.hpp"
#include "mpi/errors.hpp"
#include "mpi/group.hpp"

namespace vif::mpi {

namespace {

// What the leaders of the two groups tell each other first. Of their births the one of the first group is used: the
// group whose leader has the smaller index in the job.
struct Introduction {
  int leader = 0;
  int size = 0;
  Birth birth;
};

// What one process learns of the other side.
struct OtherSide {
  int error = MPI_SUCCESS;
  int leader = 0;
  int size = 0;
  Birth birth;
};

// Sends to one process and receives from it.
net::Outcome trade(uint32_t context, int peer, int tag, const void* out, uint64_t out_bytes, void* in,
                   uint64_t in_bytes) {
  std::array<net::Request, 2> requests;
  for (net::Request& request : requests) {
    request.context = context;
    request.process = peer;
    request.tag = tag;
  }
  requests[0].source = engine().process();
  requests[0].buffer = const_cast<void*>(out);
  requests[0].length = out_bytes;
  requests[1].source = peer;
  requests[1].buffer = in;
  requests[1].length = in_bytes;
  engine().receive(requests[1]);
  engine().send(requests[0]);
  engine().wait(requests[0]);
  engine().wait(requests[1]);
  const net::Outcome outcome = requests[1].status.outcome;
  return outcome == net::Outcome::success ? requests[0].status.outcome : outcome;
}

// The peer that the arguments of MPI_Intercomm_create name.
Peer peer_in(MPI_Comm peer_comm, int remote_leader, int tag) {
  Peer peer;
  const Comm* peers = comm_of(peer_comm);
  if (peers == nullptr) {
    peer.error = MPI_ERR_COMM;
  } else if (tag < 0) {
    peer.error = MPI_ERR_TAG;
  } else if (remote_leader < 0 || remote_leader >= peers->peers) {
    peer.error = MPI_ERR_RANK;
  } else {
    peer.process = peers->processes[remote_leader];
    peer.context = peers->context + creation_use;
    peer.tag = tag;
  }
  return peer;
}

// The leader's part: who the others are. `members` becomes the remote group.
OtherSide meet(const Comm& local, const Peer& to_meet, std::vector<int>& members) {
  OtherSide other;
  other.error = to_meet.error;
  if (other.error != MPI_SUCCESS) return other;
  const int me = engine().process();
  const int peer = to_meet.process;
  const uint32_t context = to_meet.context;
  const std::vector<int>& mine = local.members;
  Introduction own{me, static_cast<int>(mine.size()), {}};
  if (me < peer) own.birth.context = take_context();
  Introduction theirs;
  net::Outcome outcome = trade(context, peer, to_meet.tag, &own, sizeof own, &theirs, sizeof theirs);
  if (outcome == net::Outcome::success) {
    members.resize(static_cast<size_t>(theirs.size));
    outcome = trade(context, peer, to_meet.tag, mine.data(), mine.size() * sizeof(int), members.data(),
                    members.size() * sizeof(int));
  }
  if (outcome != net::Outcome::success) {
    context_ids().give_back(own.birth.context);
    other.error = ending_of(outcome).error;
    return other;
  }
  other.leader = theirs.leader;
  other.size = theirs.size;
  other.birth = me < peer ? own.birth : theirs.birth;
  const bool overlap =
      std::any_of(members.begin(), members.end(), [&](int p) { return std::count(mine.begin(), mine.end(), p) != 0; });
  if (overlap) other.error = MPI_ERR_COMM;
  return other;
}

int raise_refused(Comm& local, int error, const std::string& why) {
  if (!why.empty()) return raise(&local, error, why);
  switch (error) {
    case MPI_ERR_SPAWN:
    case MPI_ERR_PORT:
      return raise(&local, error, "the root could not start the processes, or its port is not open; it says why");
    case MPI_ERR_RANK:
      return raise(&local, error, "the remote leader is not a rank of the peer communicator");
    case MPI_ERR_TAG:
      return raise(&local, error, "the tag must be 0 or more");
    case MPI_ERR_COMM:
      return raise(&local, error,
                   "the peer communicator is none, or the two groups have a process in common: an inter-communicator "
                   "needs disjoint groups");
    default:
      return raise(&local, error, "the leaders of the two groups could not exchange who they are");
  }
}

// The leader of the first group tells everybody in both groups: all know who they are.
int make_of_groups(const Group& local, int local_leader, const Group& remote, int remote_leader, int tag,
                   Errhandler& errhandler, MPI_Comm* out) {
  const int here = local.processes[static_cast<size_t>(local_leader)];
  const int there = remote.processes[static_cast<size_t>(remote_leader)];
  const bool first = here < there;
  Comm* comm = new_inter_comm(local.processes, remote.processes, first);
  retain(errhandler);
  comm->errhandler = &errhandler;
  net::ApiScope scope(engine());
  const int leader = first ? here : there;
  Birth birth;
  if (engine().process() == leader) birth = new_birth(*comm);
  const net::Outcome outcome = tell(ContextIds::announcements(leader), comm->both, leader, tag, &birth, sizeof birth);
  if (outcome != net::Outcome::success || birth.context == ContextIds::none) {
    release(*comm);
    return outcome != net::Outcome::success ? raise(nullptr, ending_of(outcome).error, ending_of(outcome).sentence)
                                            : raise_no_contexts(nullptr);
  }
  enliven(*comm, birth);
  *out = comm->handle;
  return MPI_SUCCESS;
}

int raise_leader(Comm* comm, int leader) {
  return raise(comm, MPI_ERR_RANK, "the leader " + std::to_string(leader) + " is not a rank of its group");
}

bool has_rank(const Group& group, int rank) noexcept { return rank >= 0 && rank < group.size(); }

}  // namespace

int make_bridge(Comm& local, int local_leader, const Peer& peer, MPI_Comm* out) {
  *out = MPI_COMM_NULL;
  net::ApiScope scope(engine());
  OtherSide other;
  std::vector<int> members;
  if (local.rank == local_leader) other = meet(local, peer, members);
  net::Outcome outcome = coll::bcast(local.collectives, &other, sizeof other, local_leader);
  if (outcome != net::Outcome::success) return raise_outcome(local, outcome);
  if (other.error != MPI_SUCCESS) return raise_refused(local, other.error, peer.why);
  members.resize(static_cast<size_t>(other.size));
  outcome = coll::bcast(local.collectives, members.data(), members.size() * sizeof(int), local_leader);
  if (outcome != net::Outcome::success) return raise_outcome(local, outcome);
  if (other.birth.context == ContextIds::none) return raise_no_contexts(&local);
  const bool first = local.members[static_cast<size_t>(local_leader)] < other.leader;
  Comm* comm = new_inter_comm(local.members, std::move(members), first);
  comm->context = other.birth.context;
  inherit(*comm, local);
  enliven(*comm, agree_on_birth(*comm));
  *out = comm->handle;
  return MPI_SUCCESS;
}

namespace api {

int Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
                     MPI_Comm* newintercomm) {
  int error = MPI_SUCCESS;
  Comm* local = intra_comm_of(local_comm, error);
  if (local == nullptr) return error;
  if (local_leader < 0 || local_leader >= local->size) return raise_leader(local, local_leader);
  return make_bridge(*local, local_leader, peer_in(peer_comm, remote_leader, tag), newintercomm);
}

int Intercomm_create_from_groups(MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader,
                                 const char* stringtag, MPI_Info, MPI_Errhandler errhandler, MPI_Comm* newintercomm) {
  *newintercomm = MPI_COMM_NULL;
  const Group* local = group_of(local_group);
  const Group* remote = group_of(remote_group);
  if (local == nullptr || remote == nullptr) {
    return raise(nullptr, MPI_ERR_GROUP, "a group is MPI_GROUP_NULL, has been freed, or never was one");
  }
  if (stringtag == nullptr) return raise_null_argument(nullptr, "stringtag");
  Errhandler* handler = errhandler_of(errhandler);
  if (handler == nullptr) return raise(nullptr, MPI_ERR_ARG, "the error handler has been freed, or never was one");
  if (local->size() == 0 || remote->size() == 0) return MPI_SUCCESS;
  if (!has_rank(*local, local_leader)) return raise_leader(nullptr, local_leader);
  if (!has_rank(*remote, remote_leader)) return raise_leader(nullptr, remote_leader);
  if (rank_in(*local, engine().process()) == MPI_UNDEFINED) {
    return raise(nullptr, MPI_ERR_GROUP, "this process is not in the local group");
  }
  return make_of_groups(*local, local_leader, *remote, remote_leader, tag_of_name(stringtag, 1), *handler,
                        newintercomm);
}

// The group that says `high` comes last; when both say the same, the first group comes first.
int Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* newintracomm) {
  int error = MPI_SUCCESS;
  Comm* parent = inter_comm_of(intercomm, error);
  if (parent == nullptr) return error;
  return split_merged(*parent, 0, high != 0 ? 1 : 0, newintracomm);
}

int Comm_test_inter(MPI_Comm comm, int* flag) {
  const Comm* object = comm_of(comm);
  if (object == nullptr) return raise_no_comm();
  *flag = object->is_inter() ? 1 : 0;
  return MPI_SUCCESS;
}

int Comm_remote_size(MPI_Comm comm, int* size) {
  int error = MPI_SUCCESS;
  const Comm* object = inter_comm_of(comm, error);
  if (object == nullptr) return error;
  *size = object->peers;
  return MPI_SUCCESS;
}

int Comm_remote_group(MPI_Comm comm, MPI_Group* group) {
  int error = MPI_SUCCESS;
  const Comm* object = inter_comm_of(comm, error);
  if (object == nullptr) return error;
  *group = make_group(object->remote);
  return MPI_SUCCESS;
}

}  // namespace api

}  // namespace vif::mpi
