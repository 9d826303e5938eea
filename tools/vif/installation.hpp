// Where this installation, or this build, of Vif lies. Context: app.
#pragma once

#include <string>

namespace vif::tool {

// The folder above bin; empty when nobody knows.
std::string own_prefix();

}  // namespace vif::tool
