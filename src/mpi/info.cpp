#include "mpi/info.hpp"

#include <algorithm>
#include <cstring>

#include "api.hpp"
#include "mpi/errors.hpp"
#include "mpi/info_environment.hpp"

namespace vif::mpi {
namespace {

int refuse_info() {
  return raise(nullptr, MPI_ERR_INFO,
               "the argument is not an info object (a null handle, or one that was freed); give a valid one.");
}

// A key or a value without the blanks around it, which the standard takes away.
std::string_view trimmed(std::string_view text) {
  const std::string_view blanks = " \t\n\r\f\v";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

auto find(Info& info, std::string_view key) {
  return std::find_if(info.entries.begin(), info.entries.end(),
                      [key](const auto& entry) { return entry.first == key; });
}

int check_key(const char* key, std::string_view& checked) {
  if (key == nullptr) return raise_null_argument(nullptr, "key");
  checked = trimmed(key);
  if (checked.empty() || checked.size() >= MPI_MAX_INFO_KEY) {
    return raise(nullptr, MPI_ERR_INFO_KEY,
                 "the key is empty or has MPI_MAX_INFO_KEY characters or more; give a shorter one that is not empty.");
  }
  return MPI_SUCCESS;
}

// Copies what fits into `room` characters, the terminating zero included.
void copy_text(const std::string& text, char* place, std::size_t room) {
  if (room == 0) return;
  const std::size_t length = std::min(text.size(), room - 1);
  std::memcpy(place, text.data(), length);
  place[length] = '\0';
}

}  // namespace

Info* info_of(MPI_Info handle) { return handle == MPI_INFO_ENV ? &environment_info() : user_object<Info>(handle); }

Info* copy_of(Info* info) {
  auto* copy = new Info;
  if (info != nullptr) {
    const std::lock_guard guard(info->lock);
    copy->entries = info->entries;
  }
  return copy;
}

void destroy(Info* info) {
  forget_integer(info);
  info->magic = 0;
  delete info;
}

std::string value_of(Info& info, std::string_view key) {
  const std::lock_guard guard(info.lock);
  const auto place = find(info, key);
  return place == info.entries.end() ? std::string() : place->second;
}

void set_value(Info& info, std::string_view key, std::string_view value) {
  const std::lock_guard guard(info.lock);
  const auto place = find(info, key);
  if (place == info.entries.end()) {
    info.entries.emplace_back(key, value);
  } else {
    place->second = value;
  }
}

namespace api {

int Info_create(MPI_Info* info) {
  if (info == nullptr) return raise_null_argument(nullptr, "info");
  *info = handle_of(new Info);
  return MPI_SUCCESS;
}

int Info_create_env(int, char**, MPI_Info* info) {
  if (info == nullptr) return raise_null_argument(nullptr, "info");
  *info = handle_of(copy_of(&environment_info()));
  return MPI_SUCCESS;
}

int Info_dup(MPI_Info info, MPI_Info* newinfo) {
  Info* object = info_of(info);
  if (object == nullptr) return refuse_info();
  if (newinfo == nullptr) return raise_null_argument(nullptr, "newinfo");
  *newinfo = handle_of(copy_of(object));
  return MPI_SUCCESS;
}

int Info_free(MPI_Info* info) {
  Info* object = info == nullptr ? nullptr : user_object<Info>(*info);
  if (object == nullptr) return refuse_info();
  destroy(object);
  *info = MPI_INFO_NULL;
  return MPI_SUCCESS;
}

int Info_set(MPI_Info info, const char* key, const char* value) {
  if (info == MPI_INFO_ENV) return raise(nullptr, MPI_ERR_INFO, "MPI_INFO_ENV cannot be changed; duplicate it first.");
  Info* object = info_of(info);
  if (object == nullptr) return refuse_info();
  std::string_view checked;
  if (int error = check_key(key, checked)) return error;
  if (value == nullptr) return raise_null_argument(nullptr, "value");
  const std::string_view text = trimmed(value);
  if (text.size() >= MPI_MAX_INFO_VAL) {
    return raise(nullptr, MPI_ERR_INFO_VALUE, "the value has MPI_MAX_INFO_VAL characters or more; give a shorter one.");
  }
  set_value(*object, checked, text);
  return MPI_SUCCESS;
}

int Info_delete(MPI_Info info, const char* key) {
  if (info == MPI_INFO_ENV) return raise(nullptr, MPI_ERR_INFO, "MPI_INFO_ENV cannot be changed; duplicate it first.");
  Info* object = info_of(info);
  if (object == nullptr) return refuse_info();
  std::string_view checked;
  if (int error = check_key(key, checked)) return error;
  bool found;
  {
    const std::lock_guard guard(object->lock);
    found = std::erase_if(object->entries, [checked](const auto& entry) { return entry.first == checked; }) != 0;
  }
  if (found) return MPI_SUCCESS;
  return raise(nullptr, MPI_ERR_INFO_NOKEY,
               "the key \"" + std::string(checked) + "\" is not in the info object; ask MPI_Info_get_nthkey what is.");
}

int Info_get(MPI_Info info, const char* key, int valuelen, char* value, int* flag) {
  if (valuelen < 0) return raise(nullptr, MPI_ERR_ARG, "the length of the value is negative; give zero or more.");
  // The old call counts the characters without the terminating zero.
  int room = std::min(valuelen, MPI_MAX_INFO_VAL) + 1;
  return Info_get_string(info, key, &room, value, flag);
}

int Info_get_string(MPI_Info info, const char* key, int* buflen, char* value, int* flag) {
  Info* object = info_of(info);
  if (object == nullptr) return refuse_info();
  std::string_view checked;
  if (int error = check_key(key, checked)) return error;
  if (buflen == nullptr || flag == nullptr) return raise_null_argument(nullptr, "buflen or flag");
  if (*buflen > 0 && value == nullptr) return raise_null_argument(nullptr, "value");
  const std::lock_guard guard(object->lock);
  const auto place = find(*object, checked);
  *flag = place != object->entries.end();
  if (*flag == 0) return MPI_SUCCESS;
  if (*buflen > 0 && value != nullptr) copy_text(place->second, value, static_cast<std::size_t>(*buflen));
  *buflen = static_cast<int>(place->second.size()) + 1;
  return MPI_SUCCESS;
}

int Info_get_valuelen(MPI_Info info, const char* key, int* valuelen, int* flag) {
  Info* object = info_of(info);
  if (object == nullptr) return refuse_info();
  std::string_view checked;
  if (int error = check_key(key, checked)) return error;
  if (valuelen == nullptr || flag == nullptr) return raise_null_argument(nullptr, "valuelen or flag");
  const std::lock_guard guard(object->lock);
  const auto place = find(*object, checked);
  *flag = place != object->entries.end();
  if (*flag != 0) *valuelen = static_cast<int>(place->second.size());
  return MPI_SUCCESS;
}

int Info_get_nkeys(MPI_Info info, int* nkeys) {
  Info* object = info_of(info);
  if (object == nullptr) return refuse_info();
  if (nkeys == nullptr) return raise_null_argument(nullptr, "nkeys");
  const std::lock_guard guard(object->lock);
  *nkeys = static_cast<int>(object->entries.size());
  return MPI_SUCCESS;
}

int Info_get_nthkey(MPI_Info info, int n, char* key) {
  Info* object = info_of(info);
  if (object == nullptr) return refuse_info();
  if (key == nullptr) return raise_null_argument(nullptr, "key");
  {
    const std::lock_guard guard(object->lock);
    if (n >= 0 && static_cast<std::size_t>(n) < object->entries.size()) {
      copy_text(object->entries[static_cast<std::size_t>(n)].first, key, MPI_MAX_INFO_KEY);
      return MPI_SUCCESS;
    }
  }
  return raise(nullptr, MPI_ERR_ARG,
               "the info object has no key number " + std::to_string(n) + "; ask MPI_Info_get_nkeys how many it has.");
}

}  // namespace api
}  // namespace vif::mpi
