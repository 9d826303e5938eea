// The guardian: a small process that outlives a launcher killed by SIGKILL, and then ends what the launcher started.
//
// It sleeps in a read of a pipe whose other end only the launcher has. One byte: the launcher ended well, nothing is to
// be done. End of file: the launcher was killed. Ranks die by themselves then (PR_SET_PDEATHSIG); what they started
// does not, and is found by the mark in its environment. Context: app.
#pragma once

#include <string>

#include <sys/types.h>

namespace vif::tool {

class Guardian {
 public:
  // `mark` is a whole environment entry, "VIF_JOB_ID=...". A guardian that cannot be started is done without.
  explicit Guardian(const std::string& mark);
  ~Guardian() { dismiss(); }
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

  pid_t process() const { return process_; }  // -1: none
  void dismiss();

 private:
  pid_t process_ = -1;
  int pipe_ = -1;
};

}  // namespace vif::tool
