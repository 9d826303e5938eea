// Events: there are none, and no sources of any. So every index is wrong, and every handle. Context: app.
#include "api.hpp"
#include "mpi/tool/tool.hpp"

namespace vif::mpi::tool {
namespace {

int no_event() {
  const int error = check_initialized();
  return error != MPI_SUCCESS ? error : fail_index("event");
}

int no_source() {
  const int error = check_initialized();
  return error != MPI_SUCCESS ? error : fail_index("source of events");
}

int no_handle() {
  const int error = check_initialized();
  return error != MPI_SUCCESS ? error : fail(MPI_T_ERR_INVALID_HANDLE, "the handle is of no event: there are none.");
}

int give_none(int* count) {
  if (const int error = check_initialized()) return error;
  if (count == nullptr) return fail_null();
  *count = 0;
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace vif::mpi::tool

namespace vif::mpi::api {

int T_event_get_num(int* num_events) { return tool::give_none(num_events); }
int T_source_get_num(int* num_sources) { return tool::give_none(num_sources); }

int T_event_get_index(const char* name, int* event_index) {
  if (const int error = tool::check_initialized()) return error;
  if (name == nullptr || event_index == nullptr) return tool::fail_null();
  return tool::fail(MPI_T_ERR_INVALID_NAME, "there is no event of this name.");
}

int T_event_get_info(int, char*, int*, int*, MPI_Datatype[], MPI_Aint[], int*, MPI_T_enum*, MPI_Info*, char*, int*,
                     int*) {
  return tool::no_event();
}

int T_event_handle_alloc(int, void*, MPI_Info, MPI_T_event_registration*) { return tool::no_event(); }

int T_source_get_info(int, char*, int*, char*, int*, MPI_T_source_order*, MPI_Count*, MPI_Count*, MPI_Info*) {
  return tool::no_source();
}

int T_source_get_timestamp(int, MPI_Count*) { return tool::no_source(); }

int T_event_handle_free(MPI_T_event_registration, void*, MPI_T_event_free_cb_function) { return tool::no_handle(); }
int T_event_handle_get_info(MPI_T_event_registration, MPI_Info*) { return tool::no_handle(); }
int T_event_handle_set_info(MPI_T_event_registration, MPI_Info) { return tool::no_handle(); }

int T_event_register_callback(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info, void*, MPI_T_event_cb_function) {
  return tool::no_handle();
}

int T_event_callback_get_info(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info*) { return tool::no_handle(); }
int T_event_callback_set_info(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info) { return tool::no_handle(); }

int T_event_set_dropped_handler(MPI_T_event_registration, MPI_T_event_dropped_cb_function) { return tool::no_handle(); }

int T_event_read(MPI_T_event_instance, int, void*) { return tool::no_handle(); }
int T_event_copy(MPI_T_event_instance, void*) { return tool::no_handle(); }
int T_event_get_timestamp(MPI_T_event_instance, MPI_Count*) { return tool::no_handle(); }
int T_event_get_source(MPI_T_event_instance, int*) { return tool::no_handle(); }

}  // namespace vif::mpi::api
