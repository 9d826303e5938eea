// Performance variables: what the engine counts. All are counters of the process that run all the time; nobody can
// start, stop or write them. Context: app.
#include <cstring>

#include "api.hpp"
#include "mpi/handle.hpp"
#include "mpi/process.hpp"
#include "mpi/tool/tool.hpp"

namespace vif::mpi::tool {
namespace {

struct CounterVariable {
  const char* name;
  const char* help;
  net::Count net::Counters::*value;
};

using net::Counters;
constexpr CounterVariable variables[] = {
    {"vif_eager_sent", "Messages sent at once.", &Counters::eager_sent},
    {"vif_offers_sent", "Messages that began with a request to send.", &Counters::offers_sent},
    {"vif_unexpected", "Messages that came before their receive.", &Counters::unexpected},
    {"vif_interrupts_taken", "Runs of the interrupt handler.", &Counters::interrupts_taken},
    {"vif_interrupts_raised", "Interrupts raised in other processes.", &Counters::interrupts_raised},
    {"vif_wakes", "Sleeping processes woken.", &Counters::wakes},
    {"vif_helper_runs", "Times that the helper thread made progress.", &Counters::helper_runs},
    {"vif_sleeps", "Waits that slept.", &Counters::sleeps},
    {"vif_decided_alone", "Times that a wait found that nobody else wanted the CPUs.", &Counters::decided_alone},
    {"vif_decided_crowded", "Times that a wait found that others wanted the CPUs, and rested at once.",
     &Counters::decided_crowded},
    {"vif_stuck", "Times that the process was found woken and not running.", &Counters::stuck},
    {"vif_moves", "Moves to a CPU that no other process of the job was on.", &Counters::moves},
    {"vif_copied_waiting", "Bytes copied while waiting in the library.", &Counters::copied_waiting},
    {"vif_copied_app", "Bytes copied in other calls of the library.", &Counters::copied_app},
    {"vif_copied_handler", "Bytes copied in interrupts.", &Counters::copied_handler},
    {"vif_fragments", "Pieces of long messages that went through a ring.", &Counters::fragments},
};

struct PvarSession {
  static constexpr uint32_t alive = 0x54707673;
  uint32_t magic = alive;
};

struct PvarHandle {
  static constexpr uint32_t alive = 0x54707668;
  uint32_t magic = alive;
  const PvarSession* session;
  const CounterVariable* variable;
};

const CounterVariable* variable_at(int index) {
  return index >= 0 && index < counter_count() ? &variables[index] : nullptr;
}

int check_session(MPI_T_pvar_session session) {
  if (const int error = check_initialized()) return error;
  if (user_object<PvarSession>(session) != nullptr) return MPI_SUCCESS;
  return fail(MPI_T_ERR_INVALID_SESSION, "the handle is of no session of performance variables, or it was freed.");
}

// The variable of a handle that belongs to the session; null, with the code in `error`, when it is none.
PvarHandle* look_up(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int& error) {
  error = check_session(session);
  if (error != MPI_SUCCESS) return nullptr;
  auto* object = user_object<PvarHandle>(handle);
  if (object != nullptr && object->session == user_object<PvarSession>(session)) return object;
  error = fail(MPI_T_ERR_INVALID_HANDLE, "the handle is of no performance variable of this session.");
  return nullptr;
}

uint64_t value_of(const CounterVariable& variable) {
  return process() == nullptr ? 0 : engine().counters().*variable.value;
}

// What starting and writing share: they may name all handles, and then touch those that let them, which are none.
int refuse(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int code, const char* sentence) {
  if (handle == MPI_T_PVAR_ALL_HANDLES) return check_session(session);
  int error;
  return look_up(session, handle, error) == nullptr ? error : fail(code, sentence);
}

constexpr const char* always_runs = "the counter runs all the time.";
constexpr const char* read_only = "the counter can only be read.";

}  // namespace

int counter_count() { return static_cast<int>(std::size(variables)); }

}  // namespace vif::mpi::tool

namespace vif::mpi::api {

using tool::check_initialized;

int T_pvar_get_num(int* num_pvar) {
  if (const int error = check_initialized()) return error;
  if (num_pvar == nullptr) return tool::fail_null();
  *num_pvar = tool::counter_count();
  return MPI_SUCCESS;
}

int T_pvar_get_info(int pvar_index, char* name, int* name_len, int* verbosity, int* var_class, MPI_Datatype* datatype,
                    MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* readonly, int* continuous,
                    int* atomic) {
  if (const int error = check_initialized()) return error;
  const tool::CounterVariable* variable = tool::variable_at(pvar_index);
  if (variable == nullptr) return tool::fail_index("performance variable");
  tool::give_text(variable->name, name, name_len);
  tool::give_text(variable->help, desc, desc_len);
  tool::give<int>(verbosity, MPI_T_VERBOSITY_USER_DETAIL);
  tool::give<int>(var_class, MPI_T_PVAR_CLASS_COUNTER);
  tool::give(datatype, MPI_UNSIGNED_LONG_LONG);
  tool::give(enumtype, MPI_T_ENUM_NULL);
  tool::give<int>(bind, MPI_T_BIND_NO_OBJECT);
  tool::give(readonly, 1);
  tool::give(continuous, 1);
  tool::give(atomic, 0);
  return MPI_SUCCESS;
}

int T_pvar_get_index(const char* name, int var_class, int* pvar_index) {
  if (const int error = check_initialized()) return error;
  if (name == nullptr || pvar_index == nullptr) return tool::fail_null();
  for (int i = 0; i < tool::counter_count(); ++i) {
    if (var_class != MPI_T_PVAR_CLASS_COUNTER || std::strcmp(tool::variable_at(i)->name, name) != 0) continue;
    *pvar_index = i;
    return MPI_SUCCESS;
  }
  return tool::fail(MPI_T_ERR_INVALID_NAME, "there is no performance variable of this name and class.");
}

int T_pvar_session_create(MPI_T_pvar_session* session) {
  if (const int error = check_initialized()) return error;
  if (session == nullptr) return tool::fail_null();
  *session = reinterpret_cast<MPI_T_pvar_session>(new tool::PvarSession);
  return MPI_SUCCESS;
}

int T_pvar_session_free(MPI_T_pvar_session* session) {
  if (session == nullptr) return tool::fail_null();
  if (const int error = tool::check_session(*session)) return error;
  auto* object = user_object<tool::PvarSession>(*session);
  object->magic = 0;
  delete object;
  *session = MPI_T_PVAR_SESSION_NULL;
  return MPI_SUCCESS;
}

int T_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void*, MPI_T_pvar_handle* handle, int* count) {
  if (const int error = tool::check_session(session)) return error;
  const tool::CounterVariable* variable = tool::variable_at(pvar_index);
  if (variable == nullptr) return tool::fail_index("performance variable");
  if (handle == nullptr || count == nullptr) return tool::fail_null();
  const auto* owner = user_object<tool::PvarSession>(session);
  *handle = reinterpret_cast<MPI_T_pvar_handle>(new tool::PvarHandle{.session = owner, .variable = variable});
  *count = 1;
  return MPI_SUCCESS;
}

int T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle* handle) {
  if (handle == nullptr) return tool::fail_null();
  int error;
  tool::PvarHandle* object = tool::look_up(session, *handle, error);
  if (object == nullptr) return error;
  object->magic = 0;
  delete object;
  *handle = MPI_T_PVAR_HANDLE_NULL;
  return MPI_SUCCESS;
}

int T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  int error;
  const tool::PvarHandle* object = tool::look_up(session, handle, error);
  if (object == nullptr) return error;
  if (buf == nullptr) return tool::fail_null();
  const unsigned long long value = tool::value_of(*object->variable);
  std::memcpy(buf, &value, sizeof value);
  return MPI_SUCCESS;
}

int T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return tool::refuse(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, tool::always_runs);
}

int T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return tool::refuse(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, tool::always_runs);
}

int T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void*) {
  return tool::refuse(session, handle, MPI_T_ERR_PVAR_NO_WRITE, tool::read_only);
}

int T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return tool::refuse(session, handle, MPI_T_ERR_PVAR_NO_WRITE, tool::read_only);
}

int T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void*) {
  int error;
  if (tool::look_up(session, handle, error) == nullptr) return error;
  return tool::fail(MPI_T_ERR_PVAR_NO_ATOMIC, tool::read_only);
}

}  // namespace vif::mpi::api
