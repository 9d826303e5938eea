// Small helpers for what the tools print: option lists, manual pages, nearest names.
// Context: app.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vif::tool {

struct OptionHelp {
  std::string usage;  // "-n N, -np N"
  std::string text;   // full sentences
};

// One entry of an option list, wrapped at 100 columns.
std::string format_option(const OptionHelp& option);

std::string man_heading(const std::string& name, const std::string& purpose);
std::string man_option(const OptionHelp& option);

// The known name nearest to what was written, or an empty string when none is near.
std::string nearest(std::string_view written, const std::vector<std::string>& known);

// "SIGSEGV, Segmentation fault"
std::string signal_words(int number);

}  // namespace vif::tool
