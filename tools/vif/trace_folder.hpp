// The folder that the ranks of a job record into: made before the job, read and removed after it. Context: app.
#pragma once

#include <string>
#include <vector>

namespace vif::tool {

class TraceFolder {
 public:
  TraceFolder() = default;
  ~TraceFolder();  // removes it
  TraceFolder(const TraceFolder&) = delete;
  TraceFolder& operator=(const TraceFolder&) = delete;

  // False with a full sentence in `error`. From then on jobs that are started below this process record.
  bool make(std::string& error);
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// What the ranks of a job need to record, when that is wanted: added to their environment.
void add_trace_environment(std::vector<std::string>& environment);

}  // namespace vif::tool
