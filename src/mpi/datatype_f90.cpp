// MPI_Type_create_f90_real, _complex and _integer: the predefined type that has the precision and range that a Fortran
// program asks for. One handle for each pair of arguments, made when first asked for and kept for ever. Context: app.
#include <map>
#include <string>

#include "api.hpp"
#include "mpi/datatype.hpp"
#include "mpi/errors.hpp"

namespace vif::mpi {
namespace {

struct Model {
  int precision;  // decimal digits
  int range;      // decimal exponents
  MPI_Datatype type;
};

// What the IEEE formats and the integers of two's complement have, by the intrinsics PRECISION and RANGE of Fortran.
const Model reals[] = {{6, 37, MPI_REAL4}, {15, 307, MPI_REAL8}, {33, 4931, MPI_REAL16}};
const Model complexes[] = {{6, 37, MPI_COMPLEX8}, {15, 307, MPI_COMPLEX16}, {33, 4931, MPI_COMPLEX32}};
const Model integers[] = {
    {0, 2, MPI_INTEGER1}, {0, 4, MPI_INTEGER2}, {0, 9, MPI_INTEGER4}, {0, 18, MPI_INTEGER8}, {0, 38, MPI_INTEGER16}};

// The type of these arguments: as the predefined one, but for its envelope.
Datatype* make(const Model& model, int combiner, std::vector<int> arguments) {
  const Datatype& old = *datatype_of(model.type);
  auto* type = new Datatype;
  type->predefined = true;
  type->committed = true;
  type->contiguous = old.contiguous;
  type->basic = old.basic;
  type->family = old.family;
  type->size = old.size;
  type->extent = old.extent;
  type->true_extent = old.true_extent;
  type->alignment = old.alignment;
  type->layout = old.layout;
  type->signature = old.signature;
  type->element = &old;
  type->handle = reinterpret_cast<MPI_Datatype>(type);
  type->contents.combiner = combiner;
  type->contents.integers = std::move(arguments);
  return type;
}

struct Made {
  std::mutex lock;
  std::map<std::pair<int, std::vector<int>>, Datatype*> types;
};

Datatype* find_or_make(const Model& model, int combiner, const std::vector<int>& arguments) {
  // Never destroyed: the handles are the program's until its end.
  static auto* made = new Made;
  const std::lock_guard guard(made->lock);
  Datatype*& type = made->types[{combiner, arguments}];
  if (type == nullptr) type = make(model, combiner, arguments);
  return type;
}

template <std::size_t n>
int choose(const Model (&models)[n], int combiner, int precision, int range, std::vector<int> arguments,
           MPI_Datatype* newtype) {
  if (newtype == nullptr) return raise_null_argument(nullptr, "newtype");
  if (precision == MPI_UNDEFINED && range == MPI_UNDEFINED) {
    return raise(nullptr, MPI_ERR_ARG, "neither precision nor range is given; give at least one of them.");
  }
  for (const Model& model : models) {
    if (precision != MPI_UNDEFINED && precision > model.precision) continue;
    if (range != MPI_UNDEFINED && range > model.range) continue;
    *newtype = find_or_make(model, combiner, arguments)->handle;
    return MPI_SUCCESS;
  }
  return raise(nullptr, MPI_ERR_ARG,
               "no type of this machine has as much precision or range; the most are " +
                   std::to_string(models[n - 1].precision) + " digits and a range of " +
                   std::to_string(models[n - 1].range) + ".");
}

}  // namespace

namespace api {

int Type_create_f90_real(int precision, int range, MPI_Datatype* newtype) {
  return choose(reals, MPI_COMBINER_F90_REAL, precision, range, {precision, range}, newtype);
}
int Type_create_f90_complex(int precision, int range, MPI_Datatype* newtype) {
  return choose(complexes, MPI_COMBINER_F90_COMPLEX, precision, range, {precision, range}, newtype);
}
int Type_create_f90_integer(int range, MPI_Datatype* newtype) {
  return choose(integers, MPI_COMBINER_F90_INTEGER, MPI_UNDEFINED, range, {range}, newtype);
}

}  // namespace api
}  // namespace vif::mpi
