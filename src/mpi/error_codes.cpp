#include "mpi/error_codes.hpp"

#include <algorithm>

#include "api.hpp"
#include "mpi/errors.hpp"

namespace vif::mpi {

int ErrorCodes::add(int error_class) {
  const std::lock_guard guard(lock_);
  // A number that was given back is used again, so that the largest one in use stays small.
  auto place = std::find_if(codes_.begin(), codes_.end(), [](const Code& code) { return !code.exists; });
  if (place == codes_.end()) place = codes_.insert(codes_.end(), Code());
  const int code = first + static_cast<int>(place - codes_.begin());
  place->exists = true;
  place->error_class = error_class == 0 ? code : error_class;
  last_used_ = std::max(last_used_, code);
  return code;
}

int ErrorCodes::add_class() { return add(0); }

int ErrorCodes::add_code(int error_class) { return add(error_class); }

ErrorCodes::Code* ErrorCodes::find(int code) {
  const auto index = static_cast<std::size_t>(code - first);
  return code >= first && index < codes_.size() && codes_[index].exists ? &codes_[index] : nullptr;
}

int ErrorCodes::class_of(int code) {
  const std::lock_guard guard(lock_);
  const Code* found = find(code);
  return found == nullptr ? 0 : found->error_class;
}

bool ErrorCodes::set_text(int code, std::string text) {
  const std::lock_guard guard(lock_);
  Code* found = find(code);
  if (found != nullptr) found->text = std::move(text);
  return found != nullptr;
}

std::string ErrorCodes::text(int code) {
  const std::lock_guard guard(lock_);
  const Code* found = find(code);
  return found == nullptr ? std::string() : found->text;
}

ErrorCodes::Removal ErrorCodes::remove(int code, bool as_class) {
  const std::lock_guard guard(lock_);
  Code* found = find(code);
  if (found == nullptr) return Removal::unknown;
  if ((found->error_class == code) != as_class) return Removal::wrong_kind;
  const auto uses = std::count_if(codes_.begin(), codes_.end(),
                                  [code](const Code& other) { return other.exists && other.error_class == code; });
  if ((as_class && uses > 1) || !found->text.empty()) return Removal::in_use;
  *found = Code();
  while (!codes_.empty() && !codes_.back().exists) codes_.pop_back();
  last_used_ = MPI_ERR_LASTCODE + static_cast<int>(codes_.size());
  return Removal::done;
}

ErrorCodes& error_codes() {
  // Never destroyed: the program may ask after everything else has ended.
  static auto* instance = new ErrorCodes;
  return *instance;
}

int class_of_code(int error_code) {
  if (!class_name(error_code).empty()) return error_code;
  const int error_class = error_codes().class_of(error_code);
  return error_class == 0 ? MPI_ERR_UNKNOWN : error_class;
}

int* last_used_code() { return error_codes().last_used(); }

namespace {

bool known(int error_code) { return !class_name(error_code).empty() || error_codes().class_of(error_code) != 0; }

int refuse_code(int error_code) {
  return raise(nullptr, MPI_ERR_ARG,
               std::to_string(error_code) + " is not an error code; give one that a call returned or that was added.");
}

int refuse_not_added(int error_code) {
  return raise(nullptr, MPI_ERR_ARG,
               std::to_string(error_code) + " was not added by this program; only what it added can be changed.");
}

int remove_one(int error_code, bool as_class) {
  switch (error_codes().remove(error_code, as_class)) {
    case ErrorCodes::Removal::done:
      return MPI_SUCCESS;
    case ErrorCodes::Removal::in_use:
      return raise(nullptr, MPI_ERR_OTHER, "it still has a string, or error codes of its class; remove them first.");
    case ErrorCodes::Removal::wrong_kind:
      return raise(nullptr, MPI_ERR_ARG,
                   std::to_string(error_code) + (as_class ? " is an error code, not a class; use MPI_Remove_error_code."
                                                          : " is an error class; use MPI_Remove_error_class."));
    default:
      return refuse_not_added(error_code);
  }
}

}  // namespace

namespace api {

int Error_class(int errorcode, int* errorclass) {
  if (errorclass == nullptr) return raise_null_argument(nullptr, "errorclass");
  if (!known(errorcode)) return refuse_code(errorcode);
  *errorclass = class_of_code(errorcode);
  return MPI_SUCCESS;
}

int Add_error_class(int* errorclass) {
  if (errorclass == nullptr) return raise_null_argument(nullptr, "errorclass");
  *errorclass = error_codes().add_class();
  return MPI_SUCCESS;
}

int Add_error_code(int errorclass, int* errorcode) {
  if (errorcode == nullptr) return raise_null_argument(nullptr, "errorcode");
  if (!known(errorclass) || class_of_code(errorclass) != errorclass) {
    return raise(nullptr, MPI_ERR_ARG, std::to_string(errorclass) + " is not an error class.");
  }
  *errorcode = error_codes().add_code(errorclass);
  return MPI_SUCCESS;
}

int Add_error_string(int errorcode, const char* string) {
  if (string == nullptr) return raise_null_argument(nullptr, "string");
  std::string text(string);
  if (text.size() >= MPI_MAX_ERROR_STRING) text.resize(MPI_MAX_ERROR_STRING - 1);
  return error_codes().set_text(errorcode, std::move(text)) ? MPI_SUCCESS : refuse_not_added(errorcode);
}

int Remove_error_class(int errorclass) { return remove_one(errorclass, true); }
int Remove_error_code(int errorcode) { return remove_one(errorcode, false); }

int Remove_error_string(int errorcode) {
  return error_codes().set_text(errorcode, std::string()) ? MPI_SUCCESS : refuse_not_added(errorcode);
}

}  // namespace api
}  // namespace vif::mpi
