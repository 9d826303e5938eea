// The predefined error classes in words. Context: app.
#include "mpi/errors.hpp"

namespace vif::mpi {
namespace {

struct Row {
  int value;
  std::string_view name;
  std::string_view text;
};

#define VIF_CLASS(name, text) \
  { name, #name, text }

const Row rows[] = {
    VIF_CLASS(MPI_SUCCESS, "No error."),
    VIF_CLASS(MPI_ERR_BUFFER, "The buffer is not valid."),
    VIF_CLASS(MPI_ERR_COUNT, "The count is not valid."),
    VIF_CLASS(MPI_ERR_TYPE, "The datatype is not valid."),
    VIF_CLASS(MPI_ERR_TAG, "The tag is not valid."),
    VIF_CLASS(MPI_ERR_COMM, "The communicator is not valid."),
    VIF_CLASS(MPI_ERR_RANK, "The rank is not valid."),
    VIF_CLASS(MPI_ERR_REQUEST, "The request is not valid."),
    VIF_CLASS(MPI_ERR_ROOT, "The root is not valid."),
    VIF_CLASS(MPI_ERR_GROUP, "The group is not valid."),
    VIF_CLASS(MPI_ERR_OP, "The operator is not valid."),
    VIF_CLASS(MPI_ERR_TOPOLOGY, "The topology is not valid."),
    VIF_CLASS(MPI_ERR_DIMS, "The dimensions are not valid."),
    VIF_CLASS(MPI_ERR_ARG, "An argument is not valid."),
    VIF_CLASS(MPI_ERR_UNKNOWN, "An error of unknown kind."),
    VIF_CLASS(MPI_ERR_TRUNCATE, "A message is longer than the place for it."),
    VIF_CLASS(MPI_ERR_OTHER, "An error that fits no other class."),
    VIF_CLASS(MPI_ERR_INTERN, "An error inside the library."),
    VIF_CLASS(MPI_ERR_PENDING, "The request is still under way."),
    VIF_CLASS(MPI_ERR_IN_STATUS, "The error codes are in the statuses."),
    VIF_CLASS(MPI_ERR_ACCESS, "Permission is denied."),
    VIF_CLASS(MPI_ERR_AMODE, "The access mode is not valid."),
    VIF_CLASS(MPI_ERR_ASSERT, "The assertion argument is not valid."),
    VIF_CLASS(MPI_ERR_BAD_FILE, "The name of the file is not valid."),
    VIF_CLASS(MPI_ERR_BASE, "The base address is not valid."),
    VIF_CLASS(MPI_ERR_CONVERSION, "A function that converts data failed."),
    VIF_CLASS(MPI_ERR_DISP, "The displacement is not valid."),
    VIF_CLASS(MPI_ERR_DUP_DATAREP, "The data representation is defined already."),
    VIF_CLASS(MPI_ERR_FILE_EXISTS, "The file exists."),
    VIF_CLASS(MPI_ERR_FILE_IN_USE, "The file is in use."),
    VIF_CLASS(MPI_ERR_FILE, "The file handle is not valid."),
    VIF_CLASS(MPI_ERR_INFO_KEY, "The info key is empty or longer than MPI_MAX_INFO_KEY."),
    VIF_CLASS(MPI_ERR_INFO_NOKEY, "The info object does not have the key."),
    VIF_CLASS(MPI_ERR_INFO_VALUE, "The info value is empty or longer than MPI_MAX_INFO_VAL."),
    VIF_CLASS(MPI_ERR_INFO, "The info object is not valid."),
    VIF_CLASS(MPI_ERR_IO, "An input or output operation failed."),
    VIF_CLASS(MPI_ERR_KEYVAL, "The attribute key is not valid."),
    VIF_CLASS(MPI_ERR_LOCKTYPE, "The lock type is not valid."),
    VIF_CLASS(MPI_ERR_NAME, "The service name is not published."),
    VIF_CLASS(MPI_ERR_NO_MEM, "There is not enough memory."),
    VIF_CLASS(MPI_ERR_NOT_SAME, "The processes do not give the same argument."),
    VIF_CLASS(MPI_ERR_NO_SPACE, "There is not enough room on the device."),
    VIF_CLASS(MPI_ERR_NO_SUCH_FILE, "The file does not exist."),
    VIF_CLASS(MPI_ERR_PORT, "The port name is not valid."),
    VIF_CLASS(MPI_ERR_QUOTA, "The quota is exceeded."),
    VIF_CLASS(MPI_ERR_READ_ONLY, "The file or its file system is read-only."),
    VIF_CLASS(MPI_ERR_RMA_ATTACH, "The memory cannot be attached to the window."),
    VIF_CLASS(MPI_ERR_RMA_CONFLICT, "Accesses to the window conflict."),
    VIF_CLASS(MPI_ERR_RMA_RANGE, "The target memory is not part of the window."),
    VIF_CLASS(MPI_ERR_RMA_SHARED, "The memory cannot be shared."),
    VIF_CLASS(MPI_ERR_RMA_SYNC, "The synchronisation of the window is not right for the call."),
    VIF_CLASS(MPI_ERR_SERVICE, "The service name cannot be withdrawn: it is not published."),
    VIF_CLASS(MPI_ERR_SIZE, "The size is not valid."),
    VIF_CLASS(MPI_ERR_SPAWN, "The processes could not be started."),
    VIF_CLASS(MPI_ERR_UNSUPPORTED_DATAREP, "The data representation is not supported."),
    VIF_CLASS(MPI_ERR_UNSUPPORTED_OPERATION, "The operation is not supported."),
    VIF_CLASS(MPI_ERR_WIN, "The window is not valid."),
    VIF_CLASS(MPI_ERR_RMA_FLAVOR, "The window was not made for this call."),
    VIF_CLASS(MPI_ERR_PROC_ABORTED, "A process that takes part has ended."),
    VIF_CLASS(MPI_ERR_VALUE_TOO_LARGE, "A value does not fit in the place for it."),
    VIF_CLASS(MPI_ERR_SESSION, "The session is not valid."),
    VIF_CLASS(MPI_ERR_ERRHANDLER, "The error handler is not valid."),
    VIF_CLASS(MPI_ERR_ABI, "The binary interface does not allow it."),
    VIF_CLASS(MPI_T_ERR_CANNOT_INIT, "The tool interface cannot be initialised."),
    VIF_CLASS(MPI_T_ERR_NOT_ACCESSIBLE, "The tool interface has no access to it now."),
    VIF_CLASS(MPI_T_ERR_NOT_INITIALIZED, "The tool interface is not initialised."),
    VIF_CLASS(MPI_T_ERR_NOT_SUPPORTED, "The tool interface does not support it."),
    VIF_CLASS(MPI_T_ERR_MEMORY, "There is not enough memory for the tool interface."),
    VIF_CLASS(MPI_T_ERR_INVALID, "A use of the tool interface is not valid."),
    VIF_CLASS(MPI_T_ERR_INVALID_INDEX, "The index is not valid."),
    VIF_CLASS(MPI_T_ERR_INVALID_ITEM, "The item is not valid."),
    VIF_CLASS(MPI_T_ERR_INVALID_SESSION, "The tool session is not valid."),
    VIF_CLASS(MPI_T_ERR_INVALID_HANDLE, "The tool handle is not valid."),
    VIF_CLASS(MPI_T_ERR_INVALID_NAME, "The name is not known to the tool interface."),
    VIF_CLASS(MPI_T_ERR_OUT_OF_HANDLES, "No more tool handles can be had."),
    VIF_CLASS(MPI_T_ERR_OUT_OF_SESSIONS, "No more tool sessions can be had."),
    VIF_CLASS(MPI_T_ERR_CVAR_SET_NOT_NOW, "The control variable cannot be set now."),
    VIF_CLASS(MPI_T_ERR_CVAR_SET_NEVER, "The control variable can never be set."),
    VIF_CLASS(MPI_T_ERR_PVAR_NO_WRITE, "The performance variable cannot be written."),
    VIF_CLASS(MPI_T_ERR_PVAR_NO_STARTSTOP, "The performance variable cannot be started or stopped."),
    VIF_CLASS(MPI_T_ERR_PVAR_NO_ATOMIC, "The performance variable cannot be read and reset at once."),
};

#undef VIF_CLASS

const Row* find(int error_class) {
  for (const Row& row : rows) {
    if (row.value == error_class) return &row;
  }
  return nullptr;
}

}  // namespace

std::string_view class_name(int error_class) {
  const Row* row = find(error_class);
  return row == nullptr ? std::string_view() : row->name;
}

std::string_view class_text(int error_class) {
  const Row* row = find(error_class);
  return row == nullptr ? std::string_view() : row->text;
}

}  // namespace vif::mpi
