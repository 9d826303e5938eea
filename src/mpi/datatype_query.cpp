// MPI_Type_size, MPI_Type_get_extent and the other questions about a datatype; commit, free, name. Context: app.
#include <climits>
#include <cstring>

#include "api.hpp"
#include "mpi/attribute.hpp"
#include "mpi/datatype.hpp"
#include "mpi/errors.hpp"

namespace vif::mpi {
namespace {

int refuse_type() {
  return raise(nullptr, MPI_ERR_TYPE,
               "the argument is not a datatype (a null handle, or a type that was freed); give a valid one.");
}

// The standard has int arguments say MPI_UNDEFINED when the value does not fit.
template <class Count>
void store(Count* place, MPI_Count value) {
  const bool fits = sizeof(Count) > sizeof(int) || (value >= INT_MIN && value <= INT_MAX);
  *place = fits ? static_cast<Count>(value) : static_cast<Count>(MPI_UNDEFINED);
}

template <class Count>
int size_of(MPI_Datatype handle, Count* size) {
  const Datatype* type = datatype_of(handle);
  if (type == nullptr) return refuse_type();
  if (size == nullptr) return raise_null_argument(nullptr, "size");
  store(size, type->size);
  return MPI_SUCCESS;
}

int extent_of(MPI_Datatype handle, MPI_Count* lb, MPI_Count* extent) {
  const Datatype* type = datatype_of(handle);
  if (type == nullptr) return refuse_type();
  if (lb == nullptr || extent == nullptr) return raise_null_argument(nullptr, "lb or extent");
  *lb = type->lb;
  *extent = type->extent;
  return MPI_SUCCESS;
}

int true_extent_of(MPI_Datatype handle, MPI_Count* lb, MPI_Count* extent) {
  const Datatype* type = datatype_of(handle);
  if (type == nullptr) return refuse_type();
  if (lb == nullptr || extent == nullptr) return raise_null_argument(nullptr, "true_lb or true_extent");
  *lb = type->true_lb;
  *extent = type->true_extent;
  return MPI_SUCCESS;
}

// Gives out the component types: each is one more handle that the user frees.
void give_out(const Contents& contents, MPI_Datatype* types) {
  if (types == nullptr) return;  // allowed where there is nothing to give
  for (std::size_t i = 0; i < contents.types.size(); ++i) {
    Datatype& part = *contents.types[i];
    if (!part.predefined) part.handles.fetch_add(1, std::memory_order_relaxed);
    retain(part);
    types[i] = part.handle;
  }
}

template <class Value, class Place>
void copy_out(const std::vector<Value>& values, Place* places) {
  if (places == nullptr) return;  // allowed where there is nothing to give
  for (std::size_t i = 0; i < values.size(); ++i) places[i] = values[i];
}

int refuse_small(const char* what) {
  return raise(nullptr, MPI_ERR_ARG,
               std::string("there is less room for the ") + what +
                   " than the type has; ask MPI_Type_get_envelope how many there are.");
}

int refuse_predefined(const char* remedy) {
  return raise(nullptr, MPI_ERR_TYPE, std::string("the type is predefined; ") + remedy);
}

struct Match {
  int type_class;
  int size;
  MPI_Datatype type;
};
constexpr int integer_class = MPI_TYPECLASS_INTEGER;
constexpr int real_class = MPI_TYPECLASS_REAL;
constexpr int complex_class = MPI_TYPECLASS_COMPLEX;
const Match matches[] = {
    {integer_class, 1, MPI_INTEGER1},   {integer_class, 2, MPI_INTEGER2},   {integer_class, 4, MPI_INTEGER4},
    {integer_class, 8, MPI_INTEGER8},   {integer_class, 16, MPI_INTEGER16}, {real_class, 2, MPI_REAL2},
    {real_class, 4, MPI_REAL4},         {real_class, 8, MPI_REAL8},         {real_class, 16, MPI_REAL16},
    {complex_class, 4, MPI_COMPLEX4},   {complex_class, 8, MPI_COMPLEX8},   {complex_class, 16, MPI_COMPLEX16},
    {complex_class, 32, MPI_COMPLEX32},
};

struct PairType {
  MPI_Datatype value;
  MPI_Datatype index;
  MPI_Datatype pair;
};
const PairType pair_types[] = {
    {MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},      {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
    {MPI_LONG, MPI_INT, MPI_LONG_INT},        {MPI_INT, MPI_INT, MPI_2INT},
    {MPI_SHORT, MPI_INT, MPI_SHORT_INT},      {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
    {MPI_REAL, MPI_REAL, MPI_2REAL},          {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
    {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER},
};

}  // namespace

namespace api {

int Type_size(MPI_Datatype datatype, int* size) { return size_of(datatype, size); }
int Type_size_c(MPI_Datatype datatype, MPI_Count* size) { return size_of(datatype, size); }
int Type_size_x(MPI_Datatype datatype, MPI_Count* size) { return size_of(datatype, size); }

int Type_get_extent(MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent) { return extent_of(datatype, lb, extent); }
int Type_get_extent_c(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
  return extent_of(datatype, lb, extent);
}
int Type_get_extent_x(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
  return extent_of(datatype, lb, extent);
}

int Type_get_true_extent(MPI_Datatype datatype, MPI_Aint* true_lb, MPI_Aint* true_extent) {
  return true_extent_of(datatype, true_lb, true_extent);
}
int Type_get_true_extent_c(MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent) {
  return true_extent_of(datatype, true_lb, true_extent);
}
int Type_get_true_extent_x(MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent) {
  return true_extent_of(datatype, true_lb, true_extent);
}

int Type_commit(MPI_Datatype* datatype) {
  Datatype* type = datatype == nullptr ? nullptr : datatype_of(*datatype);
  if (type == nullptr) return refuse_type();
  type->committed = true;
  return MPI_SUCCESS;
}

int Type_free(MPI_Datatype* datatype) {
  Datatype* type = datatype == nullptr ? nullptr : datatype_of(*datatype);
  if (type == nullptr) return refuse_type();
  if (type->predefined) return refuse_predefined("only types that the program made can be freed.");
  if (type->handles.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    // The attributes belong to the handles: their callbacks may still use the type.
    if (int code = delete_attributes(*type)) {
      type->handles.fetch_add(1, std::memory_order_relaxed);
      return raise_code(nullptr, code);
    }
  }
  release(*type);
  *datatype = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

int Type_get_envelope(MPI_Datatype datatype, int* num_integers, int* num_addresses, int* num_datatypes, int* combiner) {
  const Datatype* type = datatype_of(datatype);
  if (type == nullptr) return refuse_type();
  if (num_integers == nullptr || num_addresses == nullptr || num_datatypes == nullptr || combiner == nullptr) {
    return raise_null_argument(nullptr, "a result");
  }
  const Contents& contents = type->contents;
  if (!contents.counts.empty()) {
    return raise(nullptr, MPI_ERR_TYPE,
                 "the type was made by a large-count function; use MPI_Type_get_envelope_c, which can describe it.");
  }
  *num_integers = static_cast<int>(contents.integers.size());
  *num_addresses = static_cast<int>(contents.addresses.size());
  *num_datatypes = static_cast<int>(contents.types.size());
  *combiner = contents.combiner;
  return MPI_SUCCESS;
}

int Type_get_envelope_c(MPI_Datatype datatype, MPI_Count* num_integers, MPI_Count* num_addresses,
                        MPI_Count* num_large_counts, MPI_Count* num_datatypes, int* combiner) {
  const Datatype* type = datatype_of(datatype);
  if (type == nullptr) return refuse_type();
  if (num_integers == nullptr || num_addresses == nullptr || num_large_counts == nullptr || num_datatypes == nullptr ||
      combiner == nullptr) {
    return raise_null_argument(nullptr, "a result");
  }
  const Contents& contents = type->contents;
  *num_integers = static_cast<MPI_Count>(contents.integers.size());
  *num_addresses = static_cast<MPI_Count>(contents.addresses.size());
  *num_large_counts = static_cast<MPI_Count>(contents.counts.size());
  *num_datatypes = static_cast<MPI_Count>(contents.types.size());
  *combiner = contents.combiner;
  return MPI_SUCCESS;
}

int Type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes, int integers[],
                      MPI_Aint addresses[], MPI_Datatype types[]) {
  const Datatype* type = datatype_of(datatype);
  if (type == nullptr) return refuse_type();
  if (!type->contents.counts.empty()) {
    return raise(nullptr, MPI_ERR_TYPE,
                 "the type was made by a large-count function; use MPI_Type_get_contents_c, which can describe it.");
  }
  return Type_get_contents_c(datatype, max_integers, max_addresses, 0, max_datatypes, integers, addresses, nullptr,
                             types);
}

int Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                        MPI_Count max_large_counts, MPI_Count max_datatypes, int integers[], MPI_Aint addresses[],
                        MPI_Count large_counts[], MPI_Datatype types[]) {
  const Datatype* type = datatype_of(datatype);
  if (type == nullptr) return refuse_type();
  const Contents& contents = type->contents;
  if (contents.combiner == MPI_COMBINER_NAMED) {
    return refuse_predefined("it was not made of anything: MPI_Type_get_envelope says so.");
  }
  if (max_integers < static_cast<MPI_Count>(contents.integers.size())) return refuse_small("integers");
  if (max_addresses < static_cast<MPI_Count>(contents.addresses.size())) return refuse_small("addresses");
  if (max_large_counts < static_cast<MPI_Count>(contents.counts.size())) return refuse_small("large counts");
  if (max_datatypes < static_cast<MPI_Count>(contents.types.size())) return refuse_small("types");
  if ((integers == nullptr && !contents.integers.empty()) || (addresses == nullptr && !contents.addresses.empty()) ||
      (large_counts == nullptr && !contents.counts.empty()) || (types == nullptr && !contents.types.empty())) {
    return raise_null_argument(nullptr, "that is to hold integers, addresses, counts or datatypes");
  }
  copy_out(contents.integers, integers);
  copy_out(contents.addresses, addresses);
  copy_out(contents.counts, large_counts);
  give_out(contents, types);
  return MPI_SUCCESS;
}

int Type_set_name(MPI_Datatype datatype, const char* type_name) {
  Datatype* type = datatype_of(datatype);
  if (type == nullptr) return refuse_type();
  if (type_name == nullptr) return raise_null_argument(nullptr, "type_name");
  const std::lock_guard guard(type->lock);
  type->name.assign(type_name, strnlen(type_name, MPI_MAX_OBJECT_NAME - 1));
  return MPI_SUCCESS;
}

int Type_get_name(MPI_Datatype datatype, char* type_name, int* resultlen) {
  if (type_name == nullptr || resultlen == nullptr) return raise_null_argument(nullptr, "type_name or resultlen");
  Datatype* type = datatype_of(datatype);
  std::string name = "MPI_DATATYPE_NULL";
  if (type != nullptr) {
    const std::lock_guard guard(type->lock);
    name = type->name;
  } else if (datatype != MPI_DATATYPE_NULL) {
    return refuse_type();
  }
  std::memcpy(type_name, name.c_str(), name.size() + 1);
  *resultlen = static_cast<int>(name.size());
  return MPI_SUCCESS;
}

int Type_match_size(int typeclass, int size, MPI_Datatype* datatype) {
  if (datatype == nullptr) return raise_null_argument(nullptr, "datatype");
  for (const Match& match : matches) {
    if (match.type_class != typeclass || match.size != size) continue;
    *datatype = match.type;
    return MPI_SUCCESS;
  }
  return raise(nullptr, MPI_ERR_ARG,
               "no predefined type of that class has " + std::to_string(size) +
                   " bytes; the class is MPI_TYPECLASS_INTEGER, _REAL or _COMPLEX, the size a power of two.");
}

int Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype* pair_type) {
  if (datatype_of(value_type) == nullptr || datatype_of(index_type) == nullptr) return refuse_type();
  if (pair_type == nullptr) return raise_null_argument(nullptr, "pair_type");
  *pair_type = MPI_DATATYPE_NULL;
  for (const PairType& candidate : pair_types) {
    if (candidate.value == value_type && candidate.index == index_type) *pair_type = candidate.pair;
  }
  return MPI_SUCCESS;
}

}  // namespace api
}  // namespace vif::mpi
