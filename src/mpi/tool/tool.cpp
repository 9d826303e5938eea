#include "mpi/tool/tool.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "api.hpp"
#include "mpi/errors.hpp"

namespace vif::mpi::tool {
namespace {

std::atomic<int> initialized{0};

}  // namespace

int fail(int code, std::string_view sentence) {
  keep_sentence(code, sentence);
  return code;
}

int check_initialized() {
  // relaxed: who may call has itself seen MPI_T_init_thread return.
  if (initialized.load(std::memory_order_relaxed) > 0) return MPI_SUCCESS;
  return fail(MPI_T_ERR_NOT_INITIALIZED, "the tool interface is not initialised; call MPI_T_init_thread first.");
}

int fail_index(const char* what) {
  return fail(MPI_T_ERR_INVALID_INDEX, std::string("there is no ") + what + " of this index.");
}

int fail_null() { return fail(MPI_T_ERR_INVALID, "an argument that must have an address is a null pointer."); }

void give_text(std::string_view text, char* place, int* length) {
  if (length == nullptr) return;
  if (place != nullptr && *length > 0) {
    const std::size_t count = std::min(text.size(), static_cast<std::size_t>(*length) - 1);
    std::memcpy(place, text.data(), count);
    place[count] = '\0';
  }
  *length = static_cast<int>(text.size()) + 1;
}

}  // namespace vif::mpi::tool

namespace vif::mpi::api {

int T_init_thread(int, int* provided) {
  if (provided == nullptr) return tool::fail_null();
  tool::initialized.fetch_add(1, std::memory_order_relaxed);
  // Whatever is asked for, several threads may call.
  *provided = MPI_THREAD_MULTIPLE;
  return MPI_SUCCESS;
}

int T_finalize() {
  if (const int error = tool::check_initialized()) return error;
  tool::initialized.fetch_sub(1, std::memory_order_relaxed);
  return MPI_SUCCESS;
}

}  // namespace vif::mpi::api
