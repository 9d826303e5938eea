// Standard input of rank 0.
//
// A file or a pipe is given to rank 0 as it is: the launcher takes nothing of it. A terminal cannot be given (rank 0 is
// in a background process group and would be stopped when it reads): the launcher reads it and feeds a pipe, only while
// it is itself in the foreground and while rank 0 takes what is there.
// Context: app (the launcher's loop).
#pragma once

#include <string>

namespace vif::tool {

class Input {
 public:
  ~Input() { close(); }

  // The descriptor that rank 0 gets, or -1: none (use /dev/null). Call given() when it has it.
  int prepare();
  void given();

  bool terminal() const { return feed_ >= 0; }
  // What to watch now.
  bool wants_reading() const { return feed_ >= 0 && pending_.empty() && foreground(); }
  bool wants_writing() const { return feed_ >= 0 && !pending_.empty(); }
  int feed() const { return feed_; }
  void read_some();
  void write_some();
  void close();

 private:
  static bool foreground();

  int taken_ = -1;  // our copy of what rank 0 gets
  int feed_ = -1;   // where what the terminal says is written
  std::string pending_;
};

}  // namespace vif::tool
