// Classes, codes and strings that the program adds to the predefined ones. Context: app; several threads may call.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include <mpi.h>

namespace vif::mpi {

class ErrorCodes {
 public:
  int add_class();
  int add_code(int error_class);
  // The class of a code of the program's; 0 when there is none.
  int class_of(int code);
  bool set_text(int code, std::string text);
  std::string text(int code);
  enum class Removal { done, unknown, in_use, wrong_kind };
  Removal remove(int code, bool as_class);
  int* last_used() { return &last_used_; }

 private:
  struct Code {
    bool exists = false;
    int error_class = 0;
    std::string text;
  };
  static constexpr int first = MPI_ERR_LASTCODE + 1;

  int add(int error_class);
  Code* find(int code);

  std::mutex lock_;
  std::vector<Code> codes_;  // by code minus the first one
  int last_used_ = MPI_ERR_LASTCODE;
};

ErrorCodes& error_codes();

}  // namespace vif::mpi
