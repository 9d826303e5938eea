#include "trace_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "installation.hpp"

namespace vif::tool {

TraceFolder::~TraceFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

bool TraceFolder::make(std::string& error) {
  const char* place = std::getenv("TMPDIR");
  std::string path = std::string(place == nullptr || *place == '\0' ? "/tmp" : place) + "/vif-trace-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    error = "the trace needs a folder like " + path + ", which cannot be made: " + std::strerror(errno) +
            "; TMPDIR may name a place where it can.";
    return false;
  }
  path_ = path;
  setenv("VIF_JOB_TRACE", path.c_str(), 1);
  return true;
}

void add_trace_environment(std::vector<std::string>& environment) {
  const char* folder = std::getenv("VIF_JOB_TRACE");
  if (folder == nullptr) return;
  environment.push_back(std::string("VIF_JOB_TRACE=") + folder);
  if (const char* events = std::getenv("VIF_JOB_TRACE_EVENTS")) {
    environment.push_back(std::string("VIF_JOB_TRACE_EVENTS=") + events);
  }
  const std::string recorder = own_prefix() + "/lib/libvif_trace.so";
  const std::string name = "LD_PRELOAD=";
  for (std::string& entry : environment) {
    if (entry.compare(0, name.size(), name) != 0) continue;
    entry = name + recorder + ":" + entry.substr(name.size());
    return;
  }
  environment.push_back(name + recorder);
}

}  // namespace vif::tool
