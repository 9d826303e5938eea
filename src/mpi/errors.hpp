// Errors at the MPI surface: classes, codes, sentences, and the raising of them.
//
// A sentence says the cause and the remedy. It is kept, for MPI_Error_string, by the thread that raised it.
// Context: app.
#pragma once

#include <string>
#include <string_view>

#include <mpi.h>

namespace vif::mpi {

struct Comm;
struct Errhandler;

// Invokes the error handler of the communicator, with the sentence. Without a communicator: the one of MPI_COMM_SELF,
// or, outside MPI_Init..MPI_Finalize, the end of the process. Returns the error code, which the API function must
// return, when the handler lets the program go on. The name of the MPI function in front of the sentence is the current
// thread's.
[[gnu::cold, gnu::noinline]] int raise(Comm* comm, int error_class, std::string_view sentence);

// The same for a code that is already known and whose sentence, if any, is already kept (MPI_Comm_call_errhandler,
// codes returned by the user's callbacks).
[[gnu::cold, gnu::noinline]] int raise_code(Comm* comm, int error_code);

// The same for what is no communicator (a window, a file, a session): its error handler, and its handle, which the
// program's function gets. The handler is kept alive for the length of the call by the caller.
[[gnu::cold, gnu::noinline]] int raise_through(Errhandler& errhandler, void* handle, int error_class,
                                               std::string_view sentence);
[[gnu::cold, gnu::noinline]] int raise_code_through(Errhandler& errhandler, void* handle, int error_code);

// Keeps a sentence for MPI_Error_string without raising anything (MPI_ERR_IN_STATUS, the tool interface).
[[gnu::cold]] void keep_sentence(int error_code, std::string_view sentence);

// The name of a predefined class ("MPI_ERR_RANK"), and one full sentence about it; empty for other numbers.
std::string_view class_name(int error_class);
std::string_view class_text(int error_class);

// The class of a code, or MPI_ERR_UNKNOWN.
int class_of_code(int error_code);

// The largest code in use, whose address is the value of the attribute MPI_LASTUSEDCODE.
int* last_used_code();

// Checks of one line, used all over: raise MPI_ERR_ARG when the pointer is null.
int raise_null_argument(Comm* comm, std::string_view parameter);

}  // namespace vif::mpi
