#include "mpi/group.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "api.hpp"
#include "mpi/errors.hpp"
#include "mpi/process.hpp"

namespace vif::mpi {
namespace {

Group empty_group;

int refuse_group() {
  return raise(nullptr, MPI_ERR_GROUP,
               "the argument is not a group (a null handle, or a group that was freed); give a valid one.");
}

int refuse_rank(int rank, const Group& group) {
  return raise(nullptr, MPI_ERR_RANK,
               "rank " + std::to_string(rank) + " is not in the group, which has " + std::to_string(group.size()) +
                   " processes; ranks go from 0 to its size minus 1.");
}

// The rank of each process of a group, for the operations that look up many.
std::unordered_map<int, int> ranks_by_process(const Group& group) {
  std::unordered_map<int, int> ranks;
  ranks.reserve(group.processes.size());
  for (int rank = 0; rank < group.size(); ++rank) ranks.emplace(group.processes[static_cast<std::size_t>(rank)], rank);
  return ranks;
}

// The processes of one group that are, or are not, in another, in the order of the first.
std::vector<int> filtered(const Group& group, const Group& other, bool in_other) {
  const auto ranks = ranks_by_process(other);
  std::vector<int> processes;
  for (int process : group.processes) {
    if (ranks.contains(process) == in_other) processes.push_back(process);
  }
  return processes;
}

// Marks the ranks that a list names. False, with the error raised, when one is wrong or named twice.
bool mark(const Group& group, const std::vector<int>& ranks, std::vector<bool>& marked, int& error) {
  marked.assign(group.processes.size(), false);
  for (int rank : ranks) {
    if (rank < 0 || rank >= group.size()) {
      error = refuse_rank(rank, group);
      return false;
    }
    if (marked[static_cast<std::size_t>(rank)]) {
      error = raise(nullptr, MPI_ERR_RANK, "rank " + std::to_string(rank) + " is named twice; name each rank once.");
      return false;
    }
    marked[static_cast<std::size_t>(rank)] = true;
  }
  return true;
}

int include(const Group& group, const std::vector<int>& ranks, MPI_Group* newgroup) {
  std::vector<bool> marked;
  int error;
  if (!mark(group, ranks, marked, error)) return error;
  std::vector<int> processes;
  for (int rank : ranks) processes.push_back(group.processes[static_cast<std::size_t>(rank)]);
  *newgroup = make_group(std::move(processes));
  return MPI_SUCCESS;
}

int exclude(const Group& group, const std::vector<int>& ranks, MPI_Group* newgroup) {
  std::vector<bool> marked;
  int error;
  if (!mark(group, ranks, marked, error)) return error;
  std::vector<int> processes;
  for (std::size_t rank = 0; rank < marked.size(); ++rank) {
    if (!marked[rank]) processes.push_back(group.processes[rank]);
  }
  *newgroup = make_group(std::move(processes));
  return MPI_SUCCESS;
}

// The ranks that the triplets (first, last, stride) name.
bool expand(int n, int ranges[][3], const Group& group, std::vector<int>& ranks, int& error) {
  for (int i = 0; i < n; ++i) {
    const int64_t first = ranges[i][0];
    const int64_t last = ranges[i][1];
    const int64_t stride = ranges[i][2];
    if (stride == 0) {
      error = raise(nullptr, MPI_ERR_ARG, "the stride of a range is zero; give 1, -1 or more.");
      return false;
    }
    if (first < 0 || first >= group.size() || last < 0 || last >= group.size()) {
      error = refuse_rank(static_cast<int>(first < 0 || first >= group.size() ? first : last), group);
      return false;
    }
    for (int64_t rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
      ranks.push_back(static_cast<int>(rank));
    }
  }
  return true;
}

// Checks common to the functions that pick ranks.
int check_selection(const Group* group, int n, const void* list, const MPI_Group* newgroup) {
  if (group == nullptr) return refuse_group();
  if (n < 0) return raise(nullptr, MPI_ERR_ARG, "the number of ranks is negative; give zero or more.");
  if (n > 0 && list == nullptr) return raise_null_argument(nullptr, "ranks");
  if (newgroup == nullptr) return raise_null_argument(nullptr, "newgroup");
  return MPI_SUCCESS;
}

int check_pair(const Group* group1, const Group* group2, const void* result) {
  if (group1 == nullptr || group2 == nullptr) return refuse_group();
  if (result == nullptr) return raise_null_argument(nullptr, "the result");
  return MPI_SUCCESS;
}

}  // namespace

Group* group_of(MPI_Group handle) noexcept {
  return handle == MPI_GROUP_EMPTY ? &empty_group : user_object<Group>(handle);
}

MPI_Group make_group(std::vector<int> processes) {
  if (processes.empty()) return MPI_GROUP_EMPTY;
  auto* group = new Group;
  group->processes = std::move(processes);
  return reinterpret_cast<MPI_Group>(group);
}

void release(Group& group) noexcept {
  // acq_rel: whoever destroys the group must come after every use of it by others.
  if (&group == &empty_group || group.references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  forget_integer(&group);
  group.magic = 0;
  delete &group;
}

int rank_in(const Group& group, int process) noexcept {
  const auto place = std::find(group.processes.begin(), group.processes.end(), process);
  if (place == group.processes.end()) return MPI_UNDEFINED;
  return static_cast<int>(place - group.processes.begin());
}

namespace api {

int Group_size(MPI_Group group, int* size) {
  const Group* object = group_of(group);
  if (object == nullptr) return refuse_group();
  if (size == nullptr) return raise_null_argument(nullptr, "size");
  *size = object->size();
  return MPI_SUCCESS;
}

int Group_rank(MPI_Group group, int* rank) {
  const Group* object = group_of(group);
  if (object == nullptr) return refuse_group();
  if (rank == nullptr) return raise_null_argument(nullptr, "rank");
  *rank = rank_in(*object, engine().process());
  return MPI_SUCCESS;
}

int Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]) {
  const Group* from = group_of(group1);
  const Group* to = group_of(group2);
  if (from == nullptr || to == nullptr) return refuse_group();
  if (n < 0) return raise(nullptr, MPI_ERR_ARG, "the number of ranks is negative; give zero or more.");
  if (n > 0 && (ranks1 == nullptr || ranks2 == nullptr)) return raise_null_argument(nullptr, "ranks1 or ranks2");
  const auto ranks = ranks_by_process(*to);
  for (int i = 0; i < n; ++i) {
    if (ranks1[i] == MPI_PROC_NULL) {
      ranks2[i] = MPI_PROC_NULL;
      continue;
    }
    if (ranks1[i] < 0 || ranks1[i] >= from->size()) return refuse_rank(ranks1[i], *from);
    const auto place = ranks.find(from->processes[static_cast<std::size_t>(ranks1[i])]);
    if (place == ranks.end()) {
      ranks2[i] = MPI_UNDEFINED;
    } else {
      ranks2[i] = place->second;
    }
  }
  return MPI_SUCCESS;
}

int Group_compare(MPI_Group group1, MPI_Group group2, int* result) {
  const Group* one = group_of(group1);
  const Group* other = group_of(group2);
  if (int error = check_pair(one, other, result)) return error;
  if (one->processes == other->processes) {
    *result = MPI_IDENT;
  } else {
    const bool similar = one->size() == other->size() && filtered(*one, *other, false).empty();
    *result = similar ? MPI_SIMILAR : MPI_UNEQUAL;
  }
  return MPI_SUCCESS;
}

int Group_union(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  const Group* one = group_of(group1);
  const Group* other = group_of(group2);
  if (int error = check_pair(one, other, newgroup)) return error;
  std::vector<int> processes = one->processes;
  const std::vector<int> added = filtered(*other, *one, false);
  processes.insert(processes.end(), added.begin(), added.end());
  *newgroup = make_group(std::move(processes));
  return MPI_SUCCESS;
}

int Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  const Group* one = group_of(group1);
  const Group* other = group_of(group2);
  if (int error = check_pair(one, other, newgroup)) return error;
  *newgroup = make_group(filtered(*one, *other, true));
  return MPI_SUCCESS;
}

int Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  const Group* one = group_of(group1);
  const Group* other = group_of(group2);
  if (int error = check_pair(one, other, newgroup)) return error;
  *newgroup = make_group(filtered(*one, *other, false));
  return MPI_SUCCESS;
}

int Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  const Group* object = group_of(group);
  if (int error = check_selection(object, n, ranks, newgroup)) return error;
  return include(*object, std::vector<int>(ranks, ranks + n), newgroup);
}

int Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  const Group* object = group_of(group);
  if (int error = check_selection(object, n, ranks, newgroup)) return error;
  return exclude(*object, std::vector<int>(ranks, ranks + n), newgroup);
}

int Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
  const Group* object = group_of(group);
  if (int error = check_selection(object, n, ranges, newgroup)) return error;
  std::vector<int> ranks;
  int error;
  return expand(n, ranges, *object, ranks, error) ? include(*object, ranks, newgroup) : error;
}

int Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
  const Group* object = group_of(group);
  if (int error = check_selection(object, n, ranges, newgroup)) return error;
  std::vector<int> ranks;
  int error;
  return expand(n, ranges, *object, ranks, error) ? exclude(*object, ranks, newgroup) : error;
}

int Group_free(MPI_Group* group) {
  Group* object = group == nullptr ? nullptr : group_of(*group);
  if (object == nullptr) return refuse_group();
  release(*object);
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}

}  // namespace api
}  // namespace vif::mpi
