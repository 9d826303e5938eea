// Control variables: the options of the library. One whose values are all words is an enumeration, others are text.
// They are read when the library starts: until MPI_Init they can be written, for this process. Context: app.
#include <cstdlib>
#include <cstring>
#include <deque>

#include "api.hpp"
#include "base/options.hpp"
#include "mpi/entry.hpp"
#include "mpi/handle.hpp"
#include "mpi/tool/tool.hpp"

namespace vif::mpi::tool {
namespace {

constexpr int text_room = 256;  // characters of a text, its end included

struct Control {
  const base::Option* option;
  const Enumeration* enumeration;  // null: text
};

struct ControlHandle {
  static constexpr uint32_t alive = 0x54637672;
  uint32_t magic = alive;
  const Control* control;
};

struct Controls {
  std::deque<Enumeration> enumerations;
  std::vector<Control> all;

  Controls() {
    std::size_t count;
    const base::Option* options = base::options(count);
    for (std::size_t i = 0; i < count; ++i) all.push_back({&options[i], enumeration_of(options[i])});
  }

  const Enumeration* enumeration_of(const base::Option& option) {
    Enumeration made{option.name, {}};
    std::string_view rest = option.values;
    while (!rest.empty()) {
      const std::string_view word = rest.substr(0, rest.find('|'));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      if (word == "text" || word == "number" || word == "bytes") return nullptr;
      made.words.emplace_back(word);
    }
    return &enumerations.emplace_back(std::move(made));
  }
};

const Controls& controls() {
  static auto* instance = new Controls;
  return *instance;
}

const Control* control_at(int index) {
  const auto& all = controls().all;
  return index >= 0 && static_cast<std::size_t>(index) < all.size() ? &all[static_cast<std::size_t>(index)] : nullptr;
}

ControlHandle* control_of(MPI_T_cvar_handle handle) noexcept { return user_object<ControlHandle>(handle); }

int fail_handle() { return fail(MPI_T_ERR_INVALID_HANDLE, "the handle is of no control variable, or it was freed."); }

const Enumeration* enumeration_of(MPI_T_enum handle) noexcept {
  for (const Enumeration& one : controls().enumerations) {
    if (handle_of(&one) == handle) return &one;
  }
  return nullptr;
}

int word_of(const Enumeration& enumeration, const std::string& value) {
  for (std::size_t i = 0; i < enumeration.words.size(); ++i) {
    if (enumeration.words[i] == value) return static_cast<int>(i);
  }
  return 0;
}

// The new value as it would stand in the environment; false when the enumeration has no such item.
bool value_from(const Control& control, const void* buffer, std::string& value) {
  if (control.enumeration == nullptr) {
    value.assign(static_cast<const char*>(buffer), strnlen(static_cast<const char*>(buffer), text_room));
    return true;
  }
  int item;
  std::memcpy(&item, buffer, sizeof item);
  if (item < 0 || static_cast<std::size_t>(item) >= control.enumeration->words.size()) return false;
  value = control.enumeration->words[static_cast<std::size_t>(item)];
  return true;
}

}  // namespace

MPI_T_enum handle_of(const Enumeration* enumeration) noexcept {
  return reinterpret_cast<MPI_T_enum>(const_cast<Enumeration*>(enumeration));
}

int control_count() { return static_cast<int>(controls().all.size()); }

}  // namespace vif::mpi::tool

namespace vif::mpi::api {

using tool::check_initialized;

int T_cvar_get_num(int* num_cvar) {
  if (const int error = check_initialized()) return error;
  if (num_cvar == nullptr) return tool::fail_null();
  *num_cvar = tool::control_count();
  return MPI_SUCCESS;
}

int T_cvar_get_info(int cvar_index, char* name, int* name_len, int* verbosity, MPI_Datatype* datatype,
                    MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* scope) {
  if (const int error = check_initialized()) return error;
  const tool::Control* control = tool::control_at(cvar_index);
  if (control == nullptr) return tool::fail_index("control variable");
  const bool text = control->enumeration == nullptr;
  tool::give_text(control->option->name, name, name_len);
  tool::give_text(control->option->help, desc, desc_len);
  tool::give<int>(verbosity, MPI_T_VERBOSITY_USER_BASIC);
  tool::give(datatype, text ? MPI_CHAR : MPI_INT);
  tool::give(enumtype, text ? MPI_T_ENUM_NULL : tool::handle_of(control->enumeration));
  tool::give<int>(bind, MPI_T_BIND_NO_OBJECT);
  tool::give<int>(scope, phase.load() == Phase::before_init ? MPI_T_SCOPE_ALL_EQ : MPI_T_SCOPE_READONLY);
  return MPI_SUCCESS;
}

int T_cvar_get_index(const char* name, int* cvar_index) {
  if (const int error = check_initialized()) return error;
  if (name == nullptr || cvar_index == nullptr) return tool::fail_null();
  for (int i = 0; i < tool::control_count(); ++i) {
    if (std::strcmp(tool::control_at(i)->option->name, name) != 0) continue;
    *cvar_index = i;
    return MPI_SUCCESS;
  }
  return tool::fail(MPI_T_ERR_INVALID_NAME, "there is no control variable of this name.");
}

int T_cvar_handle_alloc(int cvar_index, void*, MPI_T_cvar_handle* handle, int* count) {
  if (const int error = check_initialized()) return error;
  const tool::Control* control = tool::control_at(cvar_index);
  if (control == nullptr) return tool::fail_index("control variable");
  if (handle == nullptr || count == nullptr) return tool::fail_null();
  *handle = reinterpret_cast<MPI_T_cvar_handle>(new tool::ControlHandle{.control = control});
  *count = control->enumeration == nullptr ? tool::text_room : 1;
  return MPI_SUCCESS;
}

int T_cvar_handle_free(MPI_T_cvar_handle* handle) {
  if (const int error = check_initialized()) return error;
  tool::ControlHandle* object = handle == nullptr ? nullptr : tool::control_of(*handle);
  if (object == nullptr) return tool::fail_handle();
  object->magic = 0;
  delete object;
  *handle = MPI_T_CVAR_HANDLE_NULL;
  return MPI_SUCCESS;
}

int T_cvar_read(MPI_T_cvar_handle handle, void* buf) {
  if (const int error = check_initialized()) return error;
  const tool::ControlHandle* object = tool::control_of(handle);
  if (object == nullptr) return tool::fail_handle();
  if (buf == nullptr) return tool::fail_null();
  const std::string value = base::option(object->control->option->name);
  if (object->control->enumeration == nullptr) {
    int room = tool::text_room;
    tool::give_text(value, static_cast<char*>(buf), &room);
    return MPI_SUCCESS;
  }
  const int item = tool::word_of(*object->control->enumeration, value);
  std::memcpy(buf, &item, sizeof item);
  return MPI_SUCCESS;
}

int T_cvar_write(MPI_T_cvar_handle handle, const void* buf) {
  if (const int error = check_initialized()) return error;
  const tool::ControlHandle* object = tool::control_of(handle);
  if (object == nullptr) return tool::fail_handle();
  if (buf == nullptr) return tool::fail_null();
  if (phase.load() != Phase::before_init) {
    return tool::fail(MPI_T_ERR_CVAR_SET_NOT_NOW, "the options are read at MPI_Init; write them before.");
  }
  std::string value;
  if (!tool::value_from(*object->control, buf, value)) {
    return tool::fail(MPI_T_ERR_INVALID_ITEM, "the enumeration of this variable has no such item.");
  }
  const char* name = object->control->option->name;
  const std::string entry = std::string(name) + "=" + value;
  const char* const environment[] = {entry.c_str(), nullptr};
  if (const std::string refusal = base::check_options_in(environment); !refusal.empty()) {
    return tool::fail(MPI_T_ERR_INVALID, refusal);
  }
  setenv(name, value.c_str(), 1);
  return MPI_SUCCESS;
}

int T_enum_get_info(MPI_T_enum enumtype, int* num, char* name, int* name_len) {
  if (const int error = check_initialized()) return error;
  const tool::Enumeration* enumeration = tool::enumeration_of(enumtype);
  if (enumeration == nullptr) return tool::fail(MPI_T_ERR_INVALID_HANDLE, "the handle is of no enumeration.");
  tool::give(num, static_cast<int>(enumeration->words.size()));
  tool::give_text(enumeration->name, name, name_len);
  return MPI_SUCCESS;
}

int T_enum_get_item(MPI_T_enum enumtype, int indx, int* value, char* name, int* name_len) {
  if (const int error = check_initialized()) return error;
  const tool::Enumeration* enumeration = tool::enumeration_of(enumtype);
  if (enumeration == nullptr) return tool::fail(MPI_T_ERR_INVALID_HANDLE, "the handle is of no enumeration.");
  if (indx < 0 || static_cast<std::size_t>(indx) >= enumeration->words.size()) {
    return tool::fail(MPI_T_ERR_INVALID_ITEM, "the enumeration has no such item.");
  }
  tool::give(value, indx);
  tool::give_text(enumeration->words[static_cast<std::size_t>(indx)], name, name_len);
  return MPI_SUCCESS;
}

}  // namespace vif::mpi::api
