#include "installation.hpp"

#include <unistd.h>
#include <algorithm>
#include <climits>

namespace vif::tool {

std::string own_prefix() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) return {};
  std::string file(path, static_cast<std::size_t>(length));
  for (int level = 0; level < 2; ++level) file.resize(std::min(file.size(), file.rfind('/')));
  return file;
}

}  // namespace vif::tool
