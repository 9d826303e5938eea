// Categories: the options, and the counters. They never change. Context: app.
#include <cstring>

#include "api.hpp"
#include "mpi/tool/tool.hpp"

namespace vif::mpi::tool {
namespace {

struct Category {
  const char* name;
  const char* help;
  int (*controls)();
  int (*counters)();
};

constexpr auto none = +[] { return 0; };
const Category categories[] = {
    {"vif_options", "What the VIF_ variables of the environment say.", control_count, none},
    {"vif_counters", "What the communications of this process did.", none, counter_count},
};
constexpr int category_count = 2;

// The category of an index; null, with the code in `error`, when there is none.
const Category* look_up(int index, int& error) {
  error = check_initialized();
  if (error != MPI_SUCCESS) return nullptr;
  if (index >= 0 && index < category_count) return &categories[index];
  error = fail_index("category");
  return nullptr;
}

// All members of a category have the indices from 0 on.
int give_indices(int count, int length, int* indices) {
  if (indices == nullptr && length > 0) return fail_null();
  for (int i = 0; i < count && i < length; ++i) indices[i] = i;
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace vif::mpi::tool

namespace vif::mpi::api {

int T_category_get_num(int* num_cat) {
  if (const int error = tool::check_initialized()) return error;
  if (num_cat == nullptr) return tool::fail_null();
  *num_cat = tool::category_count;
  return MPI_SUCCESS;
}

int T_category_get_info(int cat_index, char* name, int* name_len, char* desc, int* desc_len, int* num_cvars,
                        int* num_pvars, int* num_categories) {
  int error;
  const tool::Category* category = tool::look_up(cat_index, error);
  if (category == nullptr) return error;
  tool::give_text(category->name, name, name_len);
  tool::give_text(category->help, desc, desc_len);
  tool::give(num_cvars, category->controls());
  tool::give(num_pvars, category->counters());
  tool::give(num_categories, 0);
  return MPI_SUCCESS;
}

int T_category_get_num_events(int cat_index, int* num_events) {
  int error;
  if (tool::look_up(cat_index, error) == nullptr) return error;
  tool::give(num_events, 0);
  return MPI_SUCCESS;
}

int T_category_get_index(const char* name, int* cat_index) {
  if (const int error = tool::check_initialized()) return error;
  if (name == nullptr || cat_index == nullptr) return tool::fail_null();
  for (int i = 0; i < tool::category_count; ++i) {
    if (std::strcmp(tool::categories[i].name, name) != 0) continue;
    *cat_index = i;
    return MPI_SUCCESS;
  }
  return tool::fail(MPI_T_ERR_INVALID_NAME, "there is no category of this name.");
}

int T_category_get_cvars(int cat_index, int len, int indices[]) {
  int error;
  const tool::Category* category = tool::look_up(cat_index, error);
  return category == nullptr ? error : tool::give_indices(category->controls(), len, indices);
}

int T_category_get_pvars(int cat_index, int len, int indices[]) {
  int error;
  const tool::Category* category = tool::look_up(cat_index, error);
  return category == nullptr ? error : tool::give_indices(category->counters(), len, indices);
}

int T_category_get_categories(int cat_index, int, int[]) {
  int error;
  return tool::look_up(cat_index, error) == nullptr ? error : MPI_SUCCESS;
}

int T_category_get_events(int cat_index, int, int[]) {
  int error;
  return tool::look_up(cat_index, error) == nullptr ? error : MPI_SUCCESS;
}

int T_category_changed(int* update_number) {
  if (const int error = tool::check_initialized()) return error;
  if (update_number == nullptr) return tool::fail_null();
  *update_number = 0;
  return MPI_SUCCESS;
}

}  // namespace vif::mpi::api
