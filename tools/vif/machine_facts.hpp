// What this machine offers to communications: CPUs, and what the kernel has and allows. Context: app.
#pragma once

#include <string>
#include <vector>

namespace vif::tool {

struct Fact {
  std::string name;
  std::string value;
  std::string meaning;  // a full sentence: what it is good for
};

// Tries things out (it starts two short-lived processes): what is reported works here and now.
std::vector<Fact> machine_facts();

}  // namespace vif::tool
