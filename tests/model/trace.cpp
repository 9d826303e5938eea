// Prints the trace of an execution.
#include "model/trace.hpp"

#include <cstdio>

namespace vif::model {

void Trace::clear() {
  lines_.clear();
  names_.clear();
}

std::string Trace::describe(const void* address) const {
  auto where = reinterpret_cast<uintptr_t>(address);
  for (const Name& name : names_) {
    auto begin = reinterpret_cast<uintptr_t>(name.object);
    if (where < begin || where >= begin + name.size) continue;
    return where == begin ? name.name : name.name + "+" + std::to_string(where - begin);
  }
  return {};
}

std::string Trace::print(const std::vector<std::string>& threads) const {
  std::string text;
  int number = 0;
  for (const Line& line : lines_) {
    char buffer[160];
    std::string who = threads[line.thread] + (line.in_handler ? " (handler)" : "");
    std::snprintf(buffer, sizeof buffer, "%5d  %-24s %-20s", ++number, who.c_str(), line.operation);
    text += buffer;
    if (line.address != nullptr) {
      std::string variable = describe(line.address);
      if (variable.empty()) {
        std::snprintf(buffer, sizeof buffer, "%p", line.address);
        variable = buffer;
      }
      std::string value = describe(reinterpret_cast<const void*>(line.value));
      if (value.empty()) {
        std::snprintf(buffer, sizeof buffer, line.value < 1'000'000 ? "%llu" : "%#llx",
                      static_cast<unsigned long long>(line.value));
        value = buffer;
      } else {
        value = "&" + value;
      }
      text += variable + " = " + value;
    }
    if (line.stale != 0) text += "   (" + std::to_string(line.stale) + " newer not seen)";
    text += '\n';
  }
  return text;
}

}  // namespace vif::model
