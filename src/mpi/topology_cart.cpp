// Cartesian topologies. Context: app.
#include <algorithm>
#include <cstdint>
#include <string>

#include "api.hpp"
#include "mpi/comm_create.hpp"
#include "mpi/errors.hpp"
#include "mpi/topology.hpp"

namespace vif::mpi {

namespace {

std::string in_words(int number) { return std::to_string(number); }

// Takes the shape; `nodes` becomes the number of its places. Raises what is wrong with it.
int look_up_grid(Comm& comm, int ndims, const int* dims, const int* periods, Topology& grid, int& nodes) {
  if (ndims < 0) return raise(&comm, MPI_ERR_DIMS, "the number of dimensions is negative");
  if (ndims > 0 && (dims == nullptr || periods == nullptr)) return raise_null_argument(&comm, "dims or periods");
  int64_t places = 1;
  for (int i = 0; i < ndims; ++i) {
    if (dims[i] <= 0) {
      return raise(
          &comm, MPI_ERR_DIMS,
          "dimension " + in_words(i) + " has the length " + in_words(dims[i]) + "; MPI_Dims_create chooses lengths");
    }
    places *= dims[i];
    if (places > comm.size) {
      return raise(&comm, MPI_ERR_DIMS,
                   "the grid has more places than the " + in_words(comm.size) + " processes of " + describe(comm));
    }
    grid.periods.push_back(periods[i] != 0 ? 1 : 0);
  }
  grid.kind = MPI_CART;
  grid.lengths.assign(dims, dims + ndims);
  nodes = static_cast<int>(places);
  return MPI_SUCCESS;
}

// Lengths whose product is `nodes`, none longer than `longest`, as near to each other as can be: the longest one is as
// short as possible, then the next. False when there are none.
bool balanced(int nodes, int* lengths, int count, int longest) {
  if (count == 1) {
    lengths[0] = nodes;
    return nodes <= longest;
  }
  for (int length = 1; length <= std::min(nodes, longest); ++length) {
    if (nodes % length != 0) continue;
    int64_t reach = 1;  // the most places that dimensions no longer than this one can give
    for (int i = 0; i < count && reach < nodes; ++i) reach *= length;
    if (reach < nodes) continue;
    if (balanced(nodes / length, lengths + 1, count - 1, length)) {
      lengths[0] = length;
      return true;
    }
  }
  return false;
}

int complete_dims(int nnodes, int ndims, int* dims) {
  if (nnodes <= 0)
    return raise(nullptr, MPI_ERR_ARG, "the number of nodes is " + in_words(nnodes) + "; give 1 or more");
  if (ndims < 0) return raise(nullptr, MPI_ERR_DIMS, "the number of dimensions is negative");
  if (ndims > 0 && dims == nullptr) return raise_null_argument(nullptr, "dims");
  int64_t fixed = 1;
  std::vector<int> open;
  for (int i = 0; i < ndims; ++i) {
    if (dims[i] < 0) return raise(nullptr, MPI_ERR_DIMS, "the length of dimension " + in_words(i) + " is negative");
    if (dims[i] == 0) {
      open.push_back(i);
    } else {
      fixed = std::min<int64_t>(fixed * dims[i], INT32_MAX);
    }
  }
  if (nnodes % fixed != 0 || (open.empty() && fixed != nnodes && ndims > 0)) {
    return raise(nullptr, MPI_ERR_DIMS,
                 in_words(nnodes) + " nodes cannot be laid out in dimensions whose given lengths multiply to " +
                     std::to_string(fixed));
  }
  if (open.empty()) return MPI_SUCCESS;
  std::vector<int> lengths(open.size());
  balanced(nnodes / static_cast<int>(fixed), lengths.data(), static_cast<int>(open.size()), nnodes);
  for (size_t i = 0; i < open.size(); ++i) dims[open[i]] = lengths[i];
  return MPI_SUCCESS;
}

int raise_rank(Comm& comm, int rank) {
  return raise(&comm, MPI_ERR_RANK, "the rank " + in_words(rank) + " is not one of " + describe(comm));
}

}  // namespace

int rank_of(const Topology& grid, const int* coordinates) noexcept {
  int rank = 0;
  for (int i = 0; i < grid.dimensions(); ++i) rank = rank * grid.lengths[static_cast<size_t>(i)] + coordinates[i];
  return rank;
}

void coordinates_of(const Topology& grid, int rank, int* coordinates) noexcept {
  for (int i = grid.dimensions() - 1; i >= 0; --i) {
    coordinates[i] = rank % grid.lengths[static_cast<size_t>(i)];
    rank /= grid.lengths[static_cast<size_t>(i)];
  }
}

int shifted(const Topology& grid, int rank, int dimension, int displacement) noexcept {
  int stride = 1;
  for (int i = dimension + 1; i < grid.dimensions(); ++i) stride *= grid.lengths[static_cast<size_t>(i)];
  const int64_t length = grid.lengths[static_cast<size_t>(dimension)];
  const int64_t from = rank / stride % length;
  int64_t to = from + displacement;
  if (to < 0 || to >= length) {
    if (grid.periods[static_cast<size_t>(dimension)] == 0) return MPI_PROC_NULL;
    to = (to % length + length) % length;
  }
  return rank + static_cast<int>(to - from) * stride;
}

namespace api {

int Dims_create(int nnodes, int ndims, int dims[]) { return complete_dims(nnodes, ndims, dims); }

int Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int, MPI_Comm* comm_cart) {
  int error = MPI_SUCCESS;
  Comm* parent = intra_comm_of(comm_old, error);
  if (parent == nullptr) return error;
  Topology grid;
  int nodes = 0;
  error = look_up_grid(*parent, ndims, dims, periods, grid, nodes);
  return error == MPI_SUCCESS ? make_with_topology(*parent, nodes, std::move(grid), comm_cart) : error;
}

// All processes are on one machine and equally near: the order that there is.
int Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int* newrank) {
  int error = MPI_SUCCESS;
  Comm* object = intra_comm_of(comm, error);
  if (object == nullptr) return error;
  Topology grid;
  int nodes = 0;
  error = look_up_grid(*object, ndims, dims, periods, grid, nodes);
  if (error == MPI_SUCCESS) *newrank = object->rank < nodes ? object->rank : MPI_UNDEFINED;
  return error;
}

int Cartdim_get(MPI_Comm comm, int* ndims) {
  int error = MPI_SUCCESS;
  const Comm* object = comm_with(comm, MPI_CART, error);
  if (object == nullptr) return error;
  *ndims = object->topology->dimensions();
  return MPI_SUCCESS;
}

int Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]) {
  int error = MPI_SUCCESS;
  Comm* object = comm_with(comm, MPI_CART, error);
  if (object == nullptr) return error;
  const Topology& grid = *object->topology;
  if (maxdims < grid.dimensions()) {
    return raise(
        object, MPI_ERR_ARG,
        "there are " + in_words(grid.dimensions()) + " dimensions, and room for " + in_words(maxdims) + " only");
  }
  std::copy(grid.lengths.begin(), grid.lengths.end(), dims);
  std::copy(grid.periods.begin(), grid.periods.end(), periods);
  coordinates_of(grid, object->rank, coords);
  return MPI_SUCCESS;
}

int Cart_rank(MPI_Comm comm, const int coords[], int* rank) {
  int error = MPI_SUCCESS;
  Comm* object = comm_with(comm, MPI_CART, error);
  if (object == nullptr) return error;
  const Topology& grid = *object->topology;
  if (coords == nullptr && grid.dimensions() > 0) return raise_null_argument(object, "coords");
  std::vector<int> inside(coords, coords + grid.dimensions());
  for (size_t i = 0; i < inside.size(); ++i) {
    const int length = grid.lengths[i];
    if (inside[i] >= 0 && inside[i] < length) continue;
    if (grid.periods[i] == 0) {
      return raise(object, MPI_ERR_ARG,
                   "the coordinate " + in_words(inside[i]) + " lies outside dimension " + std::to_string(i) +
                       ", which is not periodic");
    }
    inside[i] = (inside[i] % length + length) % length;
  }
  *rank = rank_of(grid, inside.data());
  return MPI_SUCCESS;
}

int Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]) {
  int error = MPI_SUCCESS;
  Comm* object = comm_with(comm, MPI_CART, error);
  if (object == nullptr) return error;
  const Topology& grid = *object->topology;
  if (rank < 0 || rank >= object->size) return raise_rank(*object, rank);
  if (maxdims < grid.dimensions()) {
    return raise(
        object, MPI_ERR_ARG,
        "there are " + in_words(grid.dimensions()) + " coordinates, and room for " + in_words(maxdims) + " only");
  }
  coordinates_of(grid, rank, coords);
  return MPI_SUCCESS;
}

int Cart_shift(MPI_Comm comm, int direction, int disp, int* rank_source, int* rank_dest) {
  int error = MPI_SUCCESS;
  Comm* object = comm_with(comm, MPI_CART, error);
  if (object == nullptr) return error;
  const Topology& grid = *object->topology;
  if (direction < 0 || direction >= grid.dimensions()) {
    return raise(object, MPI_ERR_DIMS, "there is no dimension " + in_words(direction));
  }
  if (disp == INT32_MIN) return raise(object, MPI_ERR_ARG, "the displacement cannot be reversed");
  *rank_source = shifted(grid, object->rank, direction, -disp);
  *rank_dest = shifted(grid, object->rank, direction, disp);
  return MPI_SUCCESS;
}

int Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm) {
  int error = MPI_SUCCESS;
  Comm* object = comm_with(comm, MPI_CART, error);
  if (object == nullptr) return error;
  const Topology& grid = *object->topology;
  if (remain_dims == nullptr && grid.dimensions() > 0) return raise_null_argument(object, "remain_dims");
  Topology slice;
  slice.kind = MPI_CART;
  Topology across;  // the dimensions that are dropped: a slice for each of their places
  std::vector<int> coordinates(grid.lengths.size());
  std::vector<int> dropped;
  coordinates_of(grid, object->rank, coordinates.data());
  const size_t dimensions = remain_dims == nullptr ? 0 : coordinates.size();
  for (size_t i = 0; i < dimensions; ++i) {
    Topology& side = remain_dims[i] != 0 ? slice : across;
    side.lengths.push_back(grid.lengths[i]);
    side.periods.push_back(grid.periods[i]);
    if (remain_dims[i] == 0) dropped.push_back(coordinates[i]);
  }
  error = split(*object, rank_of(across, dropped.data()), object->rank, newcomm);
  if (error == MPI_SUCCESS) comm_of(*newcomm)->topology = std::make_shared<const Topology>(std::move(slice));
  return error;
}

}  // namespace api

}  // namespace vif::mpi
