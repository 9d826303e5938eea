// MPI_Comm_split, create, create_group, create_from_group, MPI_Intercomm_merge: communicators of some of the processes.
// Context: app.
#include <algorithm>
#include <functional>
#include <memory>

#include "api.hpp"
#include "mpi/collective.hpp"
#include "mpi/comm_create.hpp"
#include "mpi/comm_hints.hpp"
#include "mpi/diary.hpp"
#include "mpi/errhandler.hpp"
#include "mpi/errors.hpp"
#include "mpi/group.hpp"
#include "mpi/info.hpp"

namespace vif::mpi {

namespace {

// What each process says to all: where it wants to be, and the context id to be used if it will lead.
struct Wish {
  int color;
  int key;
  uint32_t context;
};

// The processes of the parent, of both groups, by their rank in the collectives. The wishes are by the same rank.
struct Making {
  Comm& parent;
  bool merged;  // an intra-communicator, whatever the parent is
  std::vector<Wish> wishes;

  int me() const noexcept { return parent.collectives.rank; }
  bool is_mine(int rank) const noexcept {
    return merged || !parent.is_inter() || (rank < parent.collectives.first_group) == parent.first;
  }
};

// False when the exchange failed.
bool exchange_wishes(Making& making, int color, int key, net::Outcome& outcome) {
  const Wish mine{color, key, color == MPI_UNDEFINED ? ContextIds::none : take_context()};
  making.wishes.resize(static_cast<size_t>(making.parent.collectives.size));
  outcome = coll::allgather(making.parent.collectives, &mine, sizeof mine, making.wishes.data());
  if (outcome != net::Outcome::success) context_ids().give_back(mine.context);
  return outcome == net::Outcome::success;
}

// Ends the making of a communicator of these ranks, the first of which leads. Every one of them calls it.
int make_of(const Making& making, const std::vector<int>& ranks, MPI_Comm* out) {
  const uint32_t own = making.wishes[static_cast<size_t>(making.me())].context;
  const uint32_t chosen = making.wishes[static_cast<size_t>(ranks.front())].context;
  if (own != chosen) context_ids().give_back(own);
  std::vector<int> members;
  std::vector<int> remote;
  for (int rank : ranks) {
    (making.is_mine(rank) ? members : remote).push_back(making.parent.collectives.processes[rank]);
  }
  const bool inter = making.parent.is_inter() && !making.merged;
  if (inter && remote.empty()) {  // nobody of the other group said the same
    context_ids().give_back(own == chosen ? chosen : ContextIds::none);
    return MPI_SUCCESS;
  }
  if (chosen == ContextIds::none) return raise_no_contexts(&making.parent);
  Comm* comm = inter ? new_inter_comm(std::move(members), std::move(remote), making.is_mine(ranks.front()))
                     : new_comm(std::move(members));
  comm->context = chosen;
  inherit(*comm, making.parent);
  enliven(*comm, agree_on_birth(*comm));
  *out = comm->handle;
  return MPI_SUCCESS;
}

int split_in_some_way(Making making, int color, int key, MPI_Comm* out) {
  *out = MPI_COMM_NULL;
  note_collective(making.parent, -1);
  net::ApiScope scope(engine());
  net::Outcome outcome;
  if (!exchange_wishes(making, color, key, outcome)) return raise_outcome(making.parent, outcome);
  if (color == MPI_UNDEFINED) return MPI_SUCCESS;
  const std::vector<Wish>& wishes = making.wishes;
  std::vector<int> ranks;
  for (int rank = 0; rank < making.parent.collectives.size; ++rank) {
    if (wishes[static_cast<size_t>(rank)].color == color) ranks.push_back(rank);
  }
  // The first group stays the first one; a merged communicator knows keys only.
  const int boundary = making.merged ? 0 : making.parent.collectives.first_group;
  std::stable_sort(ranks.begin(), ranks.end(), [&](int one, int other) {
    if ((one < boundary) != (other < boundary)) return one < boundary;
    return wishes[static_cast<size_t>(one)].key < wishes[static_cast<size_t>(other)].key;
  });
  return make_of(making, ranks, out);
}

int raise_not_in_parent(Comm& parent) {
  return raise(&parent, MPI_ERR_GROUP, "the group has a process that is not in " + describe(parent));
}

// Whether all processes of the group are members of the parent.
bool within(const Group& group, const Comm& parent) {
  return std::all_of(group.processes.begin(), group.processes.end(), [&](int process) {
    return std::find(parent.members.begin(), parent.members.end(), process) != parent.members.end();
  });
}

// Disjoint groups may be given at the same time: the first process of each is its colour. The two sides of an
// inter-communicator give one group each.
int create(Comm& parent, const Group& group, MPI_Comm* out) {
  if (!within(group, parent)) return raise_not_in_parent(parent);
  const int key = rank_in(group, engine().process());
  if (key == MPI_UNDEFINED) return split(parent, MPI_UNDEFINED, 0, out);
  return split(parent, parent.is_inter() ? 0 : group.processes.front(), key, out);
}

// A communicator of a group whose first process tells the others its numbers, in a context and with a tag that nobody
// else uses at the time.
int create_of(const Group& group, uint32_t context, int tag, Comm* parent, MPI_Comm* out) {
  net::ApiScope scope(engine());
  Comm* comm = new_comm(group.processes);
  if (parent != nullptr) inherit(*comm, *parent);
  Birth birth;
  if (comm->rank == 0) birth = new_birth(*comm);
  const net::Outcome outcome = tell(context, group.processes, group.processes.front(), tag, &birth, sizeof birth);
  if (outcome != net::Outcome::success || birth.context == ContextIds::none) {
    release(*comm);
    return outcome != net::Outcome::success ? raise(parent, ending_of(outcome).error, ending_of(outcome).sentence)
                                            : raise_no_contexts(parent);
  }
  enliven(*comm, birth);
  *out = comm->handle;
  return MPI_SUCCESS;
}

int create_among(Comm& parent, const Group& group, int tag, MPI_Comm* out) {
  *out = MPI_COMM_NULL;
  if (!within(group, parent)) return raise_not_in_parent(parent);
  if (tag < 0) return raise(&parent, MPI_ERR_TAG, "the tag must be 0 or more");
  if (rank_in(group, engine().process()) == MPI_UNDEFINED) return MPI_SUCCESS;
  return create_of(group, parent.context + creation_use, tag, &parent, out);
}

// Finds both; false, with the error raised, when one is wrong.
bool look_up(Comm* parent, MPI_Group group, Group*& object, int& error) {
  object = group_of(group);
  if (object == nullptr)
    error = raise(parent, MPI_ERR_GROUP, "the group is MPI_GROUP_NULL, has been freed, or never was one");
  return object != nullptr;
}

}  // namespace

int split(Comm& parent, int color, int key, MPI_Comm* out) {
  return split_in_some_way({parent, false, {}}, color, key, out);
}

int split_merged(Comm& parent, int color, int key, MPI_Comm* out) {
  return split_in_some_way({parent, true, {}}, color, key, out);
}

net::Outcome tell(uint32_t context, const std::vector<int>& processes, int leader, int tag, void* words,
                  uint64_t bytes) {
  const bool leads = engine().process() == leader;
  std::vector<int> peers{leader};
  if (leads) {
    peers.clear();
    std::copy_if(processes.begin(), processes.end(), std::back_inserter(peers), [&](int p) { return p != leader; });
  }
  auto requests = std::make_unique<net::Request[]>(peers.size());
  for (size_t i = 0; i < peers.size(); ++i) {
    net::Request& request = requests[i];
    request.context = context;
    request.process = peers[i];
    request.source = leader;
    request.tag = tag;
    request.buffer = words;
    request.length = bytes;
    if (leads) {
      engine().send(request);
    } else {
      engine().receive(request);
    }
  }
  net::Outcome outcome = net::Outcome::success;
  for (size_t i = 0; i < peers.size(); ++i) {
    engine().wait(requests[i]);
    if (requests[i].status.outcome != net::Outcome::success) outcome = requests[i].status.outcome;
  }
  return outcome;
}

int tag_of_name(std::string_view name, int kind) noexcept {
  const size_t hash = std::hash<std::string_view>{}(name);
  return static_cast<int>(((hash ^ hash >> 32) * 2 + static_cast<size_t>(kind)) & 0x7fffffff);
}

namespace api {

int Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  Comm* parent = comm_of(comm);
  if (parent == nullptr) return raise_no_comm();
  if (color < 0 && color != MPI_UNDEFINED) {
    return raise(parent, MPI_ERR_ARG,
                 "the colour is " + std::to_string(color) + "; it must be 0 or more, or MPI_UNDEFINED");
  }
  return split(*parent, color, key, newcomm);
}

int Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  Comm* parent = comm_of(comm);
  if (parent == nullptr) return raise_no_comm();
  Group* object;
  int error = MPI_SUCCESS;
  return look_up(parent, group, object, error) ? create(*parent, *object, newcomm) : error;
}

int Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
  int error = MPI_SUCCESS;
  Comm* parent = intra_comm_of(comm, error);
  if (parent == nullptr) return error;
  Group* object;
  return look_up(parent, group, object, error) ? create_among(*parent, *object, tag, newcomm) : error;
}

int Comm_create_from_group(MPI_Group group, const char* stringtag, MPI_Info info, MPI_Errhandler errhandler,
                           MPI_Comm* newcomm) {
  *newcomm = MPI_COMM_NULL;
  Group* object;
  int error = MPI_SUCCESS;
  if (!look_up(nullptr, group, object, error)) return error;
  Info* hints = info_of(info);
  if (error = check_hints(nullptr, hints); error != MPI_SUCCESS) return error;
  if (stringtag == nullptr) return raise_null_argument(nullptr, "stringtag");
  Errhandler* handler = errhandler_of(errhandler);
  if (handler == nullptr) return raise(nullptr, MPI_ERR_ARG, "the error handler has been freed, or never was one");
  if (object->size() == 0) return MPI_SUCCESS;
  if (rank_in(*object, engine().process()) == MPI_UNDEFINED) {
    return raise(nullptr, MPI_ERR_GROUP, "this process is not in the group that it makes a communicator of");
  }
  const int leader = object->processes.front();
  error = create_of(*object, ContextIds::announcements(leader), tag_of_name(stringtag, 0), nullptr, newcomm);
  if (error == MPI_SUCCESS) {
    retain(*handler);
    Comm& comm = *comm_of(*newcomm);
    comm.errhandler = handler;
    if (hints != nullptr) comm.info = copy_of(hints);
    apply_hints(comm);
  }
  return error;
}

}  // namespace api

}  // namespace vif::mpi
