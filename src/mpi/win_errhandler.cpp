// Error handlers of windows, and the raising of errors through them. Context: app.
#include <utility>

#include "api.hpp"
#include "mpi/errhandler.hpp"
#include "mpi/errors.hpp"
#include "mpi/win.hpp"

namespace vif::mpi {

int raise_on(Win& win, int error_class, std::string_view sentence) {
  keep_sentence(error_class, sentence);
  return raise_code_on(win, error_class);
}

int raise_code_on(Win& win, int error_code) {
  Errhandler* errhandler;
  {
    const std::lock_guard guard(win.lock);
    errhandler = win.errhandler != nullptr ? win.errhandler : errhandler_of(MPI_ERRORS_ARE_FATAL);
    retain(*errhandler);
  }
  raise_code_through(*errhandler, win.handle, error_code);
  release(*errhandler);
  return error_code;
}

namespace api {

int Win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* errhandler) {
  if (function == nullptr) return raise_null_argument(nullptr, "win_errhandler_fn");
  if (errhandler == nullptr) return raise_null_argument(nullptr, "errhandler");
  *errhandler = make_errhandler(Errhandler::Of::win, {.win = function});
  return MPI_SUCCESS;
}

int Win_set_errhandler(MPI_Win handle, MPI_Errhandler errhandler) {
  Win* win = win_of(handle);
  if (win == nullptr) return raise_no_win();
  Errhandler* chosen = errhandler_for(errhandler, Errhandler::Of::win);
  if (chosen == nullptr) {
    return raise_on(
        *win, MPI_ERR_ERRHANDLER,
        "the argument is not an error handler of windows (a null handle, one that was freed, or one made for "
        "other objects); give a valid one.");
  }
  retain(*chosen);
  {
    const std::lock_guard guard(win->lock);
    std::swap(chosen, win->errhandler);
  }
  if (chosen != nullptr) release(*chosen);
  return MPI_SUCCESS;
}

int Win_get_errhandler(MPI_Win handle, MPI_Errhandler* errhandler) {
  Win* win = win_of(handle);
  if (win == nullptr) return raise_no_win();
  if (errhandler == nullptr) return raise_on(*win, MPI_ERR_ARG, "the argument errhandler is a null pointer.");
  const std::lock_guard guard(win->lock);
  Errhandler* current = win->errhandler != nullptr ? win->errhandler : errhandler_of(MPI_ERRORS_ARE_FATAL);
  retain(*current);
  *errhandler = current->handle;
  return MPI_SUCCESS;
}

int Win_call_errhandler(MPI_Win handle, int errorcode) {
  Win* win = win_of(handle);
  if (win == nullptr) return raise_no_win();
  // The program asked for the handler to be called; its own error is not an error of this call.
  raise_code_on(*win, errorcode);
  return MPI_SUCCESS;
}

}  // namespace api
}  // namespace vif::mpi
