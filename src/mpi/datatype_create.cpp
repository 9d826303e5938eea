// MPI_Type_contiguous, MPI_Type_vector and the other constructors: checks of their arguments, and the record of them
// for MPI_Type_get_contents. Each is written once for both types of count. Context: app.
#include <string>

#include "api.hpp"
#include "mpi/attribute.hpp"
#include "mpi/datatype_make.hpp"
#include "mpi/datatype_reach.hpp"
#include "mpi/datatype_record.hpp"
#include "mpi/errors.hpp"

namespace vif::mpi {
namespace {

int refuse_negative(const char* what) {
  return raise(nullptr, MPI_ERR_ARG, std::string(what) + " is negative; give zero or more.");
}

// What all constructors check first: a count, the old type, and where to put the new one.
template <class Count>
int check(Count count, MPI_Datatype oldtype, const MPI_Datatype* newtype) {
  if (count < 0) return refuse_negative("the count");
  if (datatype_of(oldtype) == nullptr) return refuse_old_type();
  if (newtype == nullptr) return raise_null_argument(nullptr, "newtype");
  return MPI_SUCCESS;
}

template <class Count>
int check_lengths(const Count* lengths, Count count) {
  if (lengths == nullptr && count > 0) return raise_null_argument(nullptr, "array_of_blocklengths");
  for (Count i = 0; i < count; ++i) {
    if (lengths[i] < 0) return refuse_negative("a block length");
  }
  return MPI_SUCCESS;
}

int store(MPI_Datatype* newtype, Datatype* type) {
  *newtype = type->handle;
  return MPI_SUCCESS;
}

// Blocks of `length(i)` instances, `displacement(i)` units of so many bytes from the beginning.
template <class Length, class Displacement>
bool fit_list(MPI_Count count, Length length, Displacement displacement, MPI_Count unit, const Datatype& old) {
  Reach reach;
  for (MPI_Count i = 0; i < count; ++i) {
    const auto places = static_cast<long double>(displacement(i)) * static_cast<long double>(unit);
    reach.add(1, static_cast<long double>(length(i)), 0, places, old);
  }
  return reach.fits();
}

bool fit(MPI_Count count, MPI_Count length, MPI_Count stride, MPI_Count unit, const Datatype& old) {
  Reach reach;
  const auto bytes = static_cast<long double>(stride) * static_cast<long double>(unit);
  reach.add(static_cast<long double>(count), static_cast<long double>(length), bytes, 0, old);
  return reach.fits();
}

template <class Count>
int contiguous(Count count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  if (int error = check(count, oldtype, newtype)) return error;
  Datatype* old = datatype_of(oldtype);
  if (!fit(1, count, 0, 0, *old)) return refuse_reach();
  Record<Count> record(MPI_COMBINER_CONTIGUOUS);
  return store(newtype, make_strided_type(1, count, 0, *old, record.count(count).type(old).take()));
}

template <class Count>
int vector(Count count, Count length, Count stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  if (int error = check(count, oldtype, newtype)) return error;
  if (length < 0) return refuse_negative("the block length");
  Datatype* old = datatype_of(oldtype);
  if (!fit(count, length, stride, old->extent, *old)) return refuse_reach();
  Record<Count> record(MPI_COMBINER_VECTOR);
  record.count(count).count(length).count(stride).type(old);
  return store(newtype, make_strided_type(count, length, stride * old->extent, *old, record.take()));
}

template <class Count>
int hvector(Count count, Count length, MPI_Count stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  if (int error = check(count, oldtype, newtype)) return error;
  if (length < 0) return refuse_negative("the block length");
  Datatype* old = datatype_of(oldtype);
  if (!fit(count, length, stride, 1, *old)) return refuse_reach();
  Record<Count> record(MPI_COMBINER_HVECTOR);
  record.count(count).count(length).address(stride).type(old);
  return store(newtype, make_strided_type(count, length, stride, *old, record.take()));
}

template <class Count>
int indexed(Count count, const Count* lengths, const Count* displacements, MPI_Datatype oldtype,
            MPI_Datatype* newtype) {
  if (int error = check(count, oldtype, newtype)) return error;
  if (int error = check_lengths(lengths, count)) return error;
  if (displacements == nullptr && count > 0) return raise_null_argument(nullptr, "array_of_displacements");
  Datatype* old = datatype_of(oldtype);
  const auto length = [lengths](MPI_Count i) { return lengths[i]; };
  const auto place = [displacements](MPI_Count i) { return displacements[i]; };
  if (!fit_list(count, length, place, old->extent, *old)) return refuse_reach();
  std::vector<Component> components;
  for (Count i = 0; i < count; ++i) components.push_back({lengths[i], displacements[i] * old->extent, old});
  Record<Count> record(MPI_COMBINER_INDEXED);
  record.count(count).counts(lengths, count).counts(displacements, count).type(old);
  return store(newtype, make_type(components, record.take()));
}

template <class Count>
int hindexed(Count count, const Count* lengths, const MPI_Count* displacements, MPI_Datatype oldtype,
             MPI_Datatype* newtype) {
  if (int error = check(count, oldtype, newtype)) return error;
  if (int error = check_lengths(lengths, count)) return error;
  if (displacements == nullptr && count > 0) return raise_null_argument(nullptr, "array_of_displacements");
  Datatype* old = datatype_of(oldtype);
  const auto length = [lengths](MPI_Count i) { return lengths[i]; };
  const auto place = [displacements](MPI_Count i) { return displacements[i]; };
  if (!fit_list(count, length, place, 1, *old)) return refuse_reach();
  std::vector<Component> components;
  for (Count i = 0; i < count; ++i) components.push_back({lengths[i], displacements[i], old});
  Record<Count> record(MPI_COMBINER_HINDEXED);
  record.count(count).counts(lengths, count).addresses(displacements, count).type(old);
  return store(newtype, make_type(components, record.take()));
}

template <class Count>
int indexed_block(Count count, Count length, const Count* displacements, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  if (int error = check(count, oldtype, newtype)) return error;
  if (length < 0) return refuse_negative("the block length");
  if (displacements == nullptr && count > 0) return raise_null_argument(nullptr, "array_of_displacements");
  Datatype* old = datatype_of(oldtype);
  const auto same = [length](MPI_Count) { return length; };
  const auto place = [displacements](MPI_Count i) { return displacements[i]; };
  if (!fit_list(count, same, place, old->extent, *old)) return refuse_reach();
  std::vector<Component> components;
  for (Count i = 0; i < count; ++i) components.push_back({length, displacements[i] * old->extent, old});
  Record<Count> record(MPI_COMBINER_INDEXED_BLOCK);
  record.count(count).count(length).counts(displacements, count).type(old);
  return store(newtype, make_type(components, record.take()));
}

template <class Count>
int hindexed_block(Count count, Count length, const MPI_Count* displacements, MPI_Datatype oldtype,
                   MPI_Datatype* newtype) {
  if (int error = check(count, oldtype, newtype)) return error;
  if (length < 0) return refuse_negative("the block length");
  if (displacements == nullptr && count > 0) return raise_null_argument(nullptr, "array_of_displacements");
  Datatype* old = datatype_of(oldtype);
  const auto same = [length](MPI_Count) { return length; };
  const auto place = [displacements](MPI_Count i) { return displacements[i]; };
  if (!fit_list(count, same, place, 1, *old)) return refuse_reach();
  std::vector<Component> components;
  for (Count i = 0; i < count; ++i) components.push_back({length, displacements[i], old});
  Record<Count> record(MPI_COMBINER_HINDEXED_BLOCK);
  record.count(count).count(length).addresses(displacements, count).type(old);
  return store(newtype, make_type(components, record.take()));
}

template <class Count>
int structure(Count count, const Count* lengths, const MPI_Count* displacements, const MPI_Datatype* types,
              MPI_Datatype* newtype) {
  if (count < 0) return refuse_negative("the count");
  if (newtype == nullptr) return raise_null_argument(nullptr, "newtype");
  if (int error = check_lengths(lengths, count)) return error;
  if (displacements == nullptr && count > 0) return raise_null_argument(nullptr, "array_of_displacements");
  if (types == nullptr && count > 0) return raise_null_argument(nullptr, "array_of_types");
  Record<Count> record(MPI_COMBINER_STRUCT);
  record.count(count).counts(lengths, count).addresses(displacements, count);
  std::vector<Component> components;
  Reach reach;
  for (Count i = 0; i < count; ++i) {
    Datatype* old = datatype_of(types[i]);
    if (old == nullptr) return refuse_old_type();
    reach.add(1, static_cast<long double>(lengths[i]), 0, static_cast<long double>(displacements[i]), *old);
    if (!reach.fits()) return refuse_reach();
    components.push_back({lengths[i], displacements[i], old});
    record.type(old);
  }
  return store(newtype, make_type(components, record.take()));
}

template <class Count>
int resized(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype* newtype) {
  if (int error = check(0, oldtype, newtype)) return error;
  Datatype* old = datatype_of(oldtype);
  if (!fit(1, 1, lb, 1, *old) || !fit(1, 1, extent, 1, *old)) return refuse_reach();
  Record<Count> record(MPI_COMBINER_RESIZED);
  record.address(lb).address(extent).type(old);
  return store(newtype, make_resized_type(*old, lb, extent, record.take()));
}

template <class Count>
int subarray(int ndims, const Count* sizes, const Count* parts, const Count* starts, int order, MPI_Datatype oldtype,
             MPI_Datatype* newtype) {
  if (int error = check(ndims, oldtype, newtype)) return error;
  if (ndims == 0) return raise(nullptr, MPI_ERR_ARG, "ndims is zero; an array has at least one dimension.");
  if (sizes == nullptr || parts == nullptr || starts == nullptr) return raise_null_argument(nullptr, "an array");
  if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN) {
    return raise(nullptr, MPI_ERR_ARG, "the order is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN; give one of them.");
  }
  std::vector<Slice> dimensions;
  long double elements = 1;
  for (int i = 0; i < ndims; ++i) {
    const int at = order == MPI_ORDER_FORTRAN ? i : ndims - 1 - i;
    if (sizes[at] < 1 || parts[at] < 1 || starts[at] < 0 || starts[at] > sizes[at] - parts[at]) {
      return raise(nullptr, MPI_ERR_ARG,
                   "dimension " + std::to_string(at) +
                       " of the part does not lie within the array; sizes are at least 1, and start + part at most the "
                       "size of the array.");
    }
    dimensions.push_back({sizes[at], parts[at], starts[at]});
    elements *= static_cast<long double>(sizes[at]);
  }
  Datatype* old = datatype_of(oldtype);
  Reach reach;
  reach.add(1, elements, 0, 0, *old);
  if (!reach.fits()) return refuse_reach();
  const Count n = ndims;
  Record<Count> record(MPI_COMBINER_SUBARRAY);
  record.integer(ndims).counts(sizes, n).counts(parts, n).counts(starts, n).integer(order).type(old);
  return store(newtype, make_subarray_type(dimensions, *old, record.take()));
}

}  // namespace

int refuse_reach() {
  return raise(nullptr, MPI_ERR_VALUE_TOO_LARGE,
               "the type would span more bytes than 62 bits can count; give smaller counts, strides or displacements.");
}

int refuse_old_type() {
  return raise(nullptr, MPI_ERR_TYPE,
               "the old type is not a datatype (a null handle, or a type that was freed); give a valid one.");
}

namespace api {

int Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return contiguous(count, oldtype, newtype);
}
int Type_contiguous_c(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return contiguous(count, oldtype, newtype);
}

int Type_vector(int count, int length, int stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return vector(count, length, stride, oldtype, newtype);
}
int Type_vector_c(MPI_Count count, MPI_Count length, MPI_Count stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return vector(count, length, stride, oldtype, newtype);
}

int Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return hvector(count, length, stride, oldtype, newtype);
}
int Type_create_hvector_c(MPI_Count count, MPI_Count length, MPI_Count stride, MPI_Datatype oldtype,
                          MPI_Datatype* newtype) {
  return hvector(count, length, stride, oldtype, newtype);
}

int Type_indexed(int count, const int lengths[], const int displacements[], MPI_Datatype oldtype,
                 MPI_Datatype* newtype) {
  return indexed(count, lengths, displacements, oldtype, newtype);
}
int Type_indexed_c(MPI_Count count, const MPI_Count lengths[], const MPI_Count displacements[], MPI_Datatype oldtype,
                   MPI_Datatype* newtype) {
  return indexed(count, lengths, displacements, oldtype, newtype);
}

int Type_create_hindexed(int count, const int lengths[], const MPI_Aint displacements[], MPI_Datatype oldtype,
                         MPI_Datatype* newtype) {
  return hindexed(count, lengths, displacements, oldtype, newtype);
}
int Type_create_hindexed_c(MPI_Count count, const MPI_Count lengths[], const MPI_Count displacements[],
                           MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return hindexed(count, lengths, displacements, oldtype, newtype);
}

int Type_create_indexed_block(int count, int length, const int displacements[], MPI_Datatype oldtype,
                              MPI_Datatype* newtype) {
  return indexed_block(count, length, displacements, oldtype, newtype);
}
int Type_create_indexed_block_c(MPI_Count count, MPI_Count length, const MPI_Count displacements[],
                                MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return indexed_block(count, length, displacements, oldtype, newtype);
}

int Type_create_hindexed_block(int count, int length, const MPI_Aint displacements[], MPI_Datatype oldtype,
                               MPI_Datatype* newtype) {
  return hindexed_block(count, length, displacements, oldtype, newtype);
}
int Type_create_hindexed_block_c(MPI_Count count, MPI_Count length, const MPI_Count displacements[],
                                 MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return hindexed_block(count, length, displacements, oldtype, newtype);
}

int Type_create_struct(int count, const int lengths[], const MPI_Aint displacements[], const MPI_Datatype types[],
                       MPI_Datatype* newtype) {
  return structure(count, lengths, displacements, types, newtype);
}
int Type_create_struct_c(MPI_Count count, const MPI_Count lengths[], const MPI_Count displacements[],
                         const MPI_Datatype types[], MPI_Datatype* newtype) {
  return structure(count, lengths, displacements, types, newtype);
}

int Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype* newtype) {
  return resized<int>(oldtype, lb, extent, newtype);
}
int Type_create_resized_c(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype* newtype) {
  return resized<MPI_Count>(oldtype, lb, extent, newtype);
}

int Type_create_subarray(int ndims, const int sizes[], const int parts[], const int starts[], int order,
                         MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return subarray(ndims, sizes, parts, starts, order, oldtype, newtype);
}
int Type_create_subarray_c(int ndims, const MPI_Count sizes[], const MPI_Count parts[], const MPI_Count starts[],
                           int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return subarray(ndims, sizes, parts, starts, order, oldtype, newtype);
}

int Type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype) {
  if (int error = check(0, oldtype, newtype)) return error;
  Datatype* old = datatype_of(oldtype);
  Datatype* type = make_duplicate(*old);
  if (int code = copy_attributes(*old, *type)) {
    delete_attributes(*type);
    release(*type);
    return raise_code(nullptr, code);
  }
  return store(newtype, type);
}

}  // namespace api
}  // namespace vif::mpi
