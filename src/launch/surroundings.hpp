// What the environment says about who started this process.
//
// A pure function over the environment, so that every launcher's variables can be tested without the launcher.
// Context: app.
#pragma once

#include <functional>
#include <string>

namespace vif::launch {

// The value of a variable, or nullptr.
using Environment = std::function<const char*(const char* name)>;

struct Surroundings {
  enum class Kind {
    pmi,      // a launcher that speaks PMI-1 on `descriptor`
    alone,    // nobody, or a launcher that started this process alone
    foreign,  // a launcher that we cannot talk to: `sentence` says which, and what to do
  };
  Kind kind = Kind::alone;
  int descriptor = -1;
  int rank = 0;
  int size = 1;
  int segment = -1;  // descriptor of the job's shared memory, when the launcher is `vif run`
  int first = 0;     // index in the job of the first process of this world; 0 unless it was spawned
  int launcher = 0;  // process of the launcher, when it is `vif run`
  std::string sentence;
};

Surroundings look_around(const Environment& environment);

}  // namespace vif::launch
