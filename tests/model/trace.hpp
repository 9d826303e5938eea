// Trace: the shared accesses of one execution in the order in which they happened, printed when the execution fails.
//
// Variables are named by the object they lie in (Run::name) and their offset there.
// Context: model tests only, one kernel thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vif::model {

class Trace {
 public:
  struct Line {
    uint16_t thread;
    bool in_handler;
    const char* operation;  // a literal: "load acquire", "handler begins"
    const void* address;    // of the variable, or nullptr
    uint64_t value;
    uint32_t stale;  // how many newer stores the load did not see
  };

  void clear();
  void add(const Line& line) { lines_.push_back(line); }
  void name(const void* object, std::size_t size, std::string name) {
    names_.push_back({object, size, std::move(name)});
  }
  std::string print(const std::vector<std::string>& threads) const;

 private:
  struct Name {
    const void* object;
    std::size_t size;
    std::string name;
  };

  std::string describe(const void* address) const;

  std::vector<Line> lines_;
  std::vector<Name> names_;
};

}  // namespace vif::model
