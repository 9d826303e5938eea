// The overlap report of one job, when VIF_OVERLAP_REPORT asks for it. Context: app.
#pragma once

#include <string>

#include "trace_folder.hpp"

namespace vif::tool {

class OverlapOnDemand {
 public:
  // Before the job. False with a full sentence in `error`.
  bool prepare(std::string& error);
  // After it.
  void report();

 private:
  TraceFolder folder_;
  std::string where_;  // "1": standard error; else a file
  bool wanted_ = false;
};

}  // namespace vif::tool
