// MPI_Type_create_darray: the share of one process of an array that is dealt out over a grid of processes, by blocks or
// cyclically. Context: app.
#include <string>

#include "api.hpp"
#include "mpi/datatype_make.hpp"
#include "mpi/datatype_reach.hpp"
#include "mpi/datatype_record.hpp"
#include "mpi/errors.hpp"

namespace vif::mpi {
namespace {

// The arguments that describe one dimension, and the place of the process in the grid along it.
struct Dimension {
  MPI_Count size;
  int distribution;
  int argument;
  int processes;
  int place;
};

int refuse(int dimension, const char* sentence) {
  return raise(nullptr, MPI_ERR_ARG, "dimension " + std::to_string(dimension) + ": " + sentence);
}

MPI_Count block_length(const Dimension& dimension) {
  if (dimension.argument != MPI_DISTRIBUTE_DFLT_DARG) return dimension.argument;
  if (dimension.distribution == MPI_DISTRIBUTE_CYCLIC) return 1;
  return (dimension.size + dimension.processes - 1) / dimension.processes;
}

int check_dimension(int at, const Dimension& dimension) {
  if (dimension.size < 1) return refuse(at, "its size in the array is less than 1.");
  if (dimension.processes < 1) return refuse(at, "its size in the grid of processes is less than 1.");
  switch (dimension.distribution) {
    case MPI_DISTRIBUTE_NONE:
      if (dimension.processes == 1) return MPI_SUCCESS;
      return refuse(at, "it is not distributed, so its size in the grid of processes must be 1.");
    case MPI_DISTRIBUTE_BLOCK:
    case MPI_DISTRIBUTE_CYCLIC:
      break;
    default:
      return refuse(at, "its distribution is none of MPI_DISTRIBUTE_NONE, _BLOCK and _CYCLIC.");
  }
  const MPI_Count length = block_length(dimension);
  if (length < 1) return refuse(at, "its distribution argument is not positive, nor MPI_DISTRIBUTE_DFLT_DARG.");
  // One block per process must be enough.
  if (dimension.distribution == MPI_DISTRIBUTE_BLOCK && length < dimension.size &&
      (dimension.size + length - 1) / length > dimension.processes) {
    return refuse(at, "its blocks are too short: all processes together do not cover the array.");
  }
  return MPI_SUCCESS;
}

Share share_of(const Dimension& dimension) {
  if (dimension.distribution == MPI_DISTRIBUTE_NONE) return {dimension.size, 0, dimension.size, 0, 1, 0};
  const MPI_Count length = block_length(dimension);
  Share share{dimension.size, dimension.place * length, length, dimension.processes * length, 0, 0};
  if (share.start >= share.size) return share;
  if (dimension.distribution == MPI_DISTRIBUTE_BLOCK) {
    share.blocks = share.start + length <= share.size ? 1 : 0;
    share.rest = share.blocks == 1 ? 0 : share.size - share.start;
    return share;
  }
  share.blocks = (share.size - share.start) / share.step;
  const MPI_Count left = share.size - share.start - share.blocks * share.step;
  if (left >= length) {
    ++share.blocks;
  } else {
    share.rest = left;
  }
  return share;
}

// The places of a process along all dimensions: processes are numbered with the last dimension varying fastest,
// whatever the order of the array.
std::vector<int> places_of(int rank, int ndims, const int* processes) {
  std::vector<int> places(static_cast<std::size_t>(ndims));
  for (int i = ndims - 1; i >= 0; --i) {
    places[static_cast<std::size_t>(i)] = rank % processes[i];
    rank /= processes[i];
  }
  return places;
}

int check_grid(int size, int rank, int ndims, const int* processes) {
  if (size < 1) return raise(nullptr, MPI_ERR_ARG, "the size of the group of processes is less than 1.");
  if (rank < 0 || rank >= size) {
    return raise(nullptr, MPI_ERR_RANK,
                 "the rank " + std::to_string(rank) + " is none of the " + std::to_string(size) + " processes.");
  }
  int64_t product = 1;
  for (int i = 0; i < ndims && product <= size; ++i) {
    if (processes[i] < 1) return refuse(i, "its size in the grid of processes is less than 1.");
    product *= processes[i];
  }
  if (product == size) return MPI_SUCCESS;
  return raise(nullptr, MPI_ERR_ARG,
               "the grid does not have as many places as there are processes (" + std::to_string(size) + ").");
}

struct Distribution {
  const int* distributions;
  const int* arguments;
  const int* processes;
};

template <class Count>
int check_arguments(int size, int rank, int ndims, const Count* sizes, const Distribution& how, int order,
                    MPI_Datatype oldtype, const MPI_Datatype* newtype) {
  if (ndims < 1) return raise(nullptr, MPI_ERR_ARG, "ndims is less than 1; an array has at least one dimension.");
  if (sizes == nullptr || how.distributions == nullptr || how.arguments == nullptr || how.processes == nullptr) {
    return raise_null_argument(nullptr, "an array");
  }
  if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN) {
    return raise(nullptr, MPI_ERR_ARG, "the order is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN; give one of them.");
  }
  if (datatype_of(oldtype) == nullptr) return refuse_old_type();
  if (newtype == nullptr) return raise_null_argument(nullptr, "newtype");
  return check_grid(size, rank, ndims, how.processes);
}

template <class Count>
int darray(int size, int rank, int ndims, const Count* sizes, const Distribution& how, int order, MPI_Datatype oldtype,
           MPI_Datatype* newtype) {
  if (int error = check_arguments(size, rank, ndims, sizes, how, order, oldtype, newtype)) return error;
  long double elements = 1;
  for (int i = 0; i < ndims; ++i) elements *= std::max<long double>(1, static_cast<long double>(sizes[i]));
  Reach reach;
  reach.add(1, elements, 0, 0, *datatype_of(oldtype));
  if (!reach.fits()) return refuse_reach();
  const std::vector<int> places = places_of(rank, ndims, how.processes);
  std::vector<Share> shares;
  for (int i = 0; i < ndims; ++i) {
    const int at = order == MPI_ORDER_FORTRAN ? i : ndims - 1 - i;
    const Dimension dimension{sizes[at], how.distributions[at], how.arguments[at], how.processes[at],
                              places[static_cast<std::size_t>(at)]};
    if (int error = check_dimension(at, dimension)) return error;
    shares.push_back(share_of(dimension));
  }
  Datatype* old = datatype_of(oldtype);
  Record<Count> record(MPI_COMBINER_DARRAY);
  record.integer(size).integer(rank).integer(ndims).counts(sizes, static_cast<Count>(ndims));
  for (const int* list : {how.distributions, how.arguments, how.processes}) {
    for (int i = 0; i < ndims; ++i) record.integer(list[i]);
  }
  *newtype = make_share_type(shares, *old, record.integer(order).type(old).take())->handle;
  return MPI_SUCCESS;
}

}  // namespace

namespace api {

int Type_create_darray(int size, int rank, int ndims, const int sizes[], const int distributions[],
                       const int arguments[], const int processes[], int order, MPI_Datatype oldtype,
                       MPI_Datatype* newtype) {
  return darray(size, rank, ndims, sizes, {distributions, arguments, processes}, order, oldtype, newtype);
}
int Type_create_darray_c(int size, int rank, int ndims, const MPI_Count sizes[], const int distributions[],
                         const int arguments[], const int processes[], int order, MPI_Datatype oldtype,
                         MPI_Datatype* newtype) {
  return darray(size, rank, ndims, sizes, {distributions, arguments, processes}, order, oldtype, newtype);
}

}  // namespace api
}  // namespace vif::mpi
