// Questions about a status, and changes of it. Context: app.
#include "mpi/status.hpp"

#include <climits>

#include "api.hpp"
#include "mpi/datatype.hpp"
#include "mpi/errors.hpp"

namespace vif::mpi {
namespace {

int refuse_type() {
  return raise(nullptr, MPI_ERR_TYPE,
               "the argument is not a datatype (a null handle, or a type that was freed); give a valid one.");
}

int refuse_status() {
  return raise(nullptr, MPI_ERR_ARG,
               "the status is MPI_STATUS_IGNORE, which holds nothing; give the address of a status.");
}

template <class Count>
int count_in(const MPI_Status* status, MPI_Datatype handle, Count* count,
             MPI_Count (*counter)(const Datatype&, MPI_Count) noexcept) {
  if (status == MPI_STATUS_IGNORE) return refuse_status();
  const Datatype* type = datatype_of(handle);
  if (type == nullptr) return refuse_type();
  if (count == nullptr) return raise_null_argument(nullptr, "count");
  const MPI_Count found = counter(*type, static_cast<MPI_Count>(status_bytes(*status)));
  const bool fits = sizeof(Count) > sizeof(int) || found <= INT_MAX;
  *count = fits ? static_cast<Count>(found) : static_cast<Count>(MPI_UNDEFINED);
  return MPI_SUCCESS;
}

int set_elements(MPI_Status* status, MPI_Datatype handle, MPI_Count count) {
  if (status == MPI_STATUS_IGNORE) return refuse_status();
  const Datatype* type = datatype_of(handle);
  if (type == nullptr) return refuse_type();
  if (count < 0) return raise(nullptr, MPI_ERR_COUNT, "the count is negative; give zero or more.");
  set_status_bytes(*status, bytes_of_elements(*type->signature, static_cast<uint64_t>(count)));
  return MPI_SUCCESS;
}

int get_field(const MPI_Status* status, int MPI_Status::*field, int* value) {
  if (status == MPI_STATUS_IGNORE) return refuse_status();
  if (value == nullptr) return raise_null_argument(nullptr, "the result");
  *value = status->*field;
  return MPI_SUCCESS;
}

int set_field(MPI_Status* status, int MPI_Status::*field, int value) {
  if (status == MPI_STATUS_IGNORE) return refuse_status();
  status->*field = value;
  return MPI_SUCCESS;
}

}  // namespace

namespace api {

int Get_count(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  return count_in(status, datatype, count, count_instances);
}
int Get_count_c(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return count_in(status, datatype, count, count_instances);
}

int Get_elements(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  return count_in(status, datatype, count, count_basic_elements);
}
int Get_elements_c(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return count_in(status, datatype, count, count_basic_elements);
}
int Get_elements_x(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return count_in(status, datatype, count, count_basic_elements);
}

int Status_set_elements(MPI_Status* status, MPI_Datatype datatype, int count) {
  return set_elements(status, datatype, count);
}
int Status_set_elements_c(MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  return set_elements(status, datatype, count);
}
int Status_set_elements_x(MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  return set_elements(status, datatype, count);
}

int Status_set_cancelled(MPI_Status* status, int flag) {
  if (status == MPI_STATUS_IGNORE) return refuse_status();
  set_status_cancelled(*status, flag != 0);
  return MPI_SUCCESS;
}

int Status_get_source(const MPI_Status* status, int* source) {
  return get_field(status, &MPI_Status::MPI_SOURCE, source);
}
int Status_get_tag(const MPI_Status* status, int* tag) { return get_field(status, &MPI_Status::MPI_TAG, tag); }
int Status_get_error(const MPI_Status* status, int* error) { return get_field(status, &MPI_Status::MPI_ERROR, error); }
int Status_set_source(MPI_Status* status, int source) { return set_field(status, &MPI_Status::MPI_SOURCE, source); }
int Status_set_tag(MPI_Status* status, int tag) { return set_field(status, &MPI_Status::MPI_TAG, tag); }
int Status_set_error(MPI_Status* status, int error) { return set_field(status, &MPI_Status::MPI_ERROR, error); }

}  // namespace api
}  // namespace vif::mpi
