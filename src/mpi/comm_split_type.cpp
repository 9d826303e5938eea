// MPI_Comm_split_type: by what processes share. Parts of the hardware are those of src/machine/places.hpp. Context:
// app.
#include <algorithm>

#include <strings.h>
#include <string>

#include "api.hpp"
#include "machine/places.hpp"
#include "mpi/collective.hpp"
#include "mpi/comm_create.hpp"
#include "mpi/errors.hpp"
#include "mpi/hosts.hpp"
#include "mpi/info.hpp"

namespace vif::mpi {

namespace {

constexpr std::string_view resource_key = "mpi_hw_resource_type";
constexpr std::string_view set_key = "mpi_pset_name";
const std::string hwloc_prefix = "hwloc://";
const std::string shared_memory = "mpi_shared_memory";

bool same_name(const std::string& one, const std::string& other) noexcept {
  return strcasecmp(one.c_str(), other.c_str()) == 0;
}

// The colour of those with whom this process shares memory: the first of them in the job.
int color_of_host(const Comm& comm) {
  int first = engine().process();
  for (const std::vector<int>* group : {&comm.members, &comm.remote}) {
    for (const int process : *group) {
      if (is_here(process)) first = std::min(first, process);
    }
  }
  return first;
}

// A part of the hardware of this host, told apart from those of the others; -1: none.
int color_of_part(const Comm& comm, int part) {
  constexpr int most_parts = 1 << 14;  // of a kind, on a host; a job has at most as many processes
  return part < 0 ? -1 : color_of_host(comm) * most_parts + part % most_parts;
}

// The colour of this process among those with a resource of that name; MPI_UNDEFINED when there is none of it.
int color_of_resource(const Comm& comm, const std::string& name) {
  if (same_name(name, shared_memory)) return color_of_host(comm);
  for (const machine::PartName& it : machine::part_names()) {
    if (!same_name(name, it.name) && !same_name(name, hwloc_prefix + it.name)) continue;
    const int part = color_of_part(comm, machine::part_of(machine::own_affinity(), it.part));
    return part < 0 ? MPI_UNDEFINED : part;
  }
  return MPI_UNDEFINED;
}

int color_of_set(const Comm& comm, const std::string& name) {
  if (same_name(name, "mpi://WORLD")) return 0;
  return same_name(name, "mpi://SELF") ? comm.rank : MPI_UNDEFINED;
}

// The resource that everybody names; the standard's answer where they do not agree is no communicator.
int split_guided(Comm& parent, int key, Info* info, bool sets_too, MPI_Comm* out) {
  const std::string resource = info == nullptr ? "" : value_of(*info, resource_key);
  const std::string set = info == nullptr || !sets_too ? "" : value_of(*info, set_key);
  if (!resource.empty()) return split(parent, color_of_resource(parent, resource), key, out);
  return split(parent, set.empty() ? MPI_UNDEFINED : color_of_set(parent, set), key, out);
}

// The largest parts of the machine that are not the whole of the communicator (of an inter-communicator: of both
// groups): the first kind of part, from the largest, that every process is in and that not all share.
int split_unguided(Comm& parent, int key, Info* info, MPI_Comm* out) {
  *out = MPI_COMM_NULL;
  const machine::CpuMask mask = machine::own_affinity();
  std::vector<int> mine;
  for (const machine::PartName& it : machine::part_names())
    mine.push_back(color_of_part(parent, machine::part_of(mask, it.part)));
  const size_t kinds = mine.size();
  std::vector<int> all(kinds * static_cast<size_t>(parent.collectives.size));
  {
    net::ApiScope scope(engine());
    const net::Outcome outcome = coll::allgather(parent.collectives, mine.data(), kinds * sizeof(int), all.data());
    if (outcome != net::Outcome::success) return raise_outcome(parent, outcome);
  }
  for (size_t kind = 0; kind < kinds; ++kind) {
    bool known = true;
    bool differ = false;
    for (size_t at = kind; at < all.size(); at += kinds) {
      known = known && all[at] >= 0;
      differ = differ || all[at] != all[kind];
    }
    if (!known || !differ) continue;
    if (info != nullptr) set_value(*info, resource_key, hwloc_prefix + machine::part_names()[kind].name);
    return split(parent, mine[kind], key, out);
  }
  return MPI_SUCCESS;
}

}  // namespace

namespace api {

int Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm) {
  Comm* parent = comm_of(comm);
  if (parent == nullptr) return raise_no_comm();
  Info* hints = info_of(info);
  if (hints == nullptr && info != MPI_INFO_NULL) {
    return raise(parent, MPI_ERR_INFO, "the info object has been freed, or never was one");
  }
  switch (split_type) {
    case MPI_COMM_TYPE_SHARED:
      return split(*parent, color_of_host(*parent), key, newcomm);
    case MPI_UNDEFINED:
      return split(*parent, MPI_UNDEFINED, key, newcomm);
    case MPI_COMM_TYPE_HW_GUIDED:
      return split_guided(*parent, key, hints, false, newcomm);
    case MPI_COMM_TYPE_RESOURCE_GUIDED:
      return split_guided(*parent, key, hints, true, newcomm);
    case MPI_COMM_TYPE_HW_UNGUIDED:
      return split_unguided(*parent, key, hints, newcomm);
    default:
      return raise(parent, MPI_ERR_ARG,
                   "the split type " + std::to_string(split_type) + " is none of MPI_COMM_TYPE_...");
  }
}

}  // namespace api

}  // namespace vif::mpi
