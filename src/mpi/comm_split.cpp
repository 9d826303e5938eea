// MPI_Comm_split, split_type, create, create_group: communicators of some of the processes. Context: app.
#include <algorithm>
#include <cstring>
#include <memory>
#include <tuple>

#include "api.hpp"
#include "mpi/collective.hpp"
#include "mpi/comm_create.hpp"
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

// Everybody's wishes, by rank of the parent. False when the exchange failed.
bool exchange_wishes(Comm& parent, int color, int key, std::vector<Wish>& wishes, net::Outcome& outcome) {
  const Wish mine{color, key, color == MPI_UNDEFINED ? ContextIds::none : context_ids().take()};
  wishes.resize(static_cast<size_t>(parent.size));
  outcome = coll::allgather(parent.collectives, &mine, sizeof mine, wishes.data());
  if (outcome != net::Outcome::success) context_ids().give_back(mine.context);
  return outcome == net::Outcome::success;
}

// Ends the making of a communicator of these members of the parent, the first of which leads. Every member calls it.
int make_of(Comm& parent, const std::vector<int>& ranks, const std::vector<Wish>& wishes, MPI_Comm* out) {
  const uint32_t own = wishes[static_cast<size_t>(parent.rank)].context;
  const uint32_t chosen = wishes[static_cast<size_t>(ranks.front())].context;
  if (own != chosen) context_ids().give_back(own);
  if (chosen == ContextIds::none) return raise_no_contexts(parent);
  std::vector<int> members;
  for (int rank : ranks) members.push_back(parent.members[static_cast<size_t>(rank)]);
  Comm* comm = new_comm(std::move(members));
  comm->context = chosen;
  inherit(*comm, parent);
  enliven(*comm, {chosen, 0, agree_on_area(*comm)});
  *out = comm->handle;
  return MPI_SUCCESS;
}

int split(Comm& parent, int color, int key, MPI_Comm* out) {
  *out = MPI_COMM_NULL;
  net::ApiScope scope(engine());
  std::vector<Wish> wishes;
  net::Outcome outcome;
  if (!exchange_wishes(parent, color, key, wishes, outcome)) return raise_outcome(parent, outcome);
  if (color == MPI_UNDEFINED) return MPI_SUCCESS;
  std::vector<int> ranks;
  for (int rank = 0; rank < parent.size; ++rank) {
    if (wishes[static_cast<size_t>(rank)].color == color) ranks.push_back(rank);
  }
  std::stable_sort(ranks.begin(), ranks.end(), [&](int one, int other) {
    return wishes[static_cast<size_t>(one)].key < wishes[static_cast<size_t>(other)].key;
  });
  return make_of(parent, ranks, wishes, out);
}

// The ranks in the parent of a group's processes; false when one is not there.
bool ranks_of(const Comm& parent, const Group& group, std::vector<int>& ranks) {
  for (int process : group.processes) {
    const auto at = std::find(parent.members.begin(), parent.members.end(), process);
    if (at == parent.members.end()) return false;
    ranks.push_back(static_cast<int>(at - parent.members.begin()));
  }
  return true;
}

int raise_not_in_parent(Comm& parent) {
  return raise(&parent, MPI_ERR_GROUP, "the group has a process that is not in " + describe(parent));
}

int create(Comm& parent, const Group& group, MPI_Comm* out) {
  *out = MPI_COMM_NULL;
  std::vector<int> ranks;
  if (!ranks_of(parent, group, ranks)) return raise_not_in_parent(parent);
  const bool member = std::find(ranks.begin(), ranks.end(), parent.rank) != ranks.end();
  net::ApiScope scope(engine());
  std::vector<Wish> wishes;
  net::Outcome outcome;
  if (!exchange_wishes(parent, member ? 0 : MPI_UNDEFINED, 0, wishes, outcome)) return raise_outcome(parent, outcome);
  return member ? make_of(parent, ranks, wishes, out) : MPI_SUCCESS;
}

// The leader's context id, sent to each member along the parent: nobody else takes part.
net::Outcome tell_context(Comm& parent, const std::vector<int>& ranks, int tag, uint32_t& context) {
  const bool leader = ranks.front() == parent.rank;
  const size_t count = leader ? ranks.size() - 1 : 1;
  auto requests = std::make_unique<net::Request[]>(count);
  for (size_t i = 0; i < count; ++i) {
    net::Request& request = requests[i];
    request.context = parent.context + creation_use;
    request.process = parent.processes[leader ? ranks[i + 1] : ranks.front()];
    request.source = leader ? parent.rank : ranks.front();
    request.tag = tag;
    request.buffer = &context;
    request.length = sizeof context;
    if (leader) {
      engine().send(request);
    } else {
      engine().receive(request);
    }
  }
  net::Outcome outcome = net::Outcome::success;
  for (size_t i = 0; i < count; ++i) {
    engine().wait(requests[i]);
    if (requests[i].status.outcome != net::Outcome::success) outcome = requests[i].status.outcome;
  }
  return outcome;
}

int create_among(Comm& parent, const Group& group, int tag, MPI_Comm* out) {
  *out = MPI_COMM_NULL;
  std::vector<int> ranks;
  if (!ranks_of(parent, group, ranks)) return raise_not_in_parent(parent);
  if (tag < 0) return raise(&parent, MPI_ERR_TAG, "the tag must be 0 or more");
  if (std::find(ranks.begin(), ranks.end(), parent.rank) == ranks.end()) return MPI_SUCCESS;
  net::ApiScope scope(engine());
  uint32_t context = ranks.front() == parent.rank ? context_ids().take() : ContextIds::none;
  if (const net::Outcome outcome = tell_context(parent, ranks, tag, context); outcome != net::Outcome::success) {
    return raise_outcome(parent, outcome);
  }
  if (context == ContextIds::none) return raise_no_contexts(parent);
  Comm* comm = new_comm(group.processes);
  comm->context = context;
  inherit(*comm, parent);
  enliven(*comm, {context, 0, agree_on_area(*comm)});
  *out = comm->handle;
  return MPI_SUCCESS;
}

// Finds both; false, with the error raised, when one is wrong.
bool look_up(MPI_Comm comm, MPI_Group group, Comm*& parent, Group*& object, int& error) {
  parent = comm_of(comm);
  if (parent == nullptr) {
    error = raise_no_comm();
    return false;
  }
  object = group_of(group);
  if (object == nullptr)
    error = raise(parent, MPI_ERR_GROUP, "the group is MPI_GROUP_NULL, has been freed, or never was one");
  return object != nullptr;
}

}  // namespace

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

// All processes of a job share memory as long as jobs have one host.
int Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info, MPI_Comm* newcomm) {
  Comm* parent = comm_of(comm);
  if (parent == nullptr) return raise_no_comm();
  switch (split_type) {
    case MPI_COMM_TYPE_SHARED:
      return split(*parent, 0, key, newcomm);
    case MPI_UNDEFINED:
      return split(*parent, MPI_UNDEFINED, key, newcomm);
    case MPI_COMM_TYPE_HW_GUIDED:
    case MPI_COMM_TYPE_HW_UNGUIDED:
    case MPI_COMM_TYPE_RESOURCE_GUIDED:
      // The standard's answer where no such part of the hardware is known.
      return split(*parent, MPI_UNDEFINED, key, newcomm);
    default:
      return raise(parent, MPI_ERR_ARG,
                   "the split type " + std::to_string(split_type) + " is none of MPI_COMM_TYPE_...");
  }
}

int Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  Comm* parent;
  Group* object;
  int error = MPI_SUCCESS;
  return look_up(comm, group, parent, object, error) ? create(*parent, *object, newcomm) : error;
}

int Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
  Comm* parent;
  Group* object;
  int error = MPI_SUCCESS;
  return look_up(comm, group, parent, object, error) ? create_among(*parent, *object, tag, newcomm) : error;
}

}  // namespace api

}  // namespace vif::mpi
