// Whom a core steals from first: cores that share a cache with it, the closest cache first; then the others, the next
// ones first, so that thieves spread. Context: app.
#pragma once

#include <vector>

#include "machine/cpus.hpp"

namespace vif::sched {

// cpus: of each core, or -1 where it is not bound. The other cores in the order in which core `mine` tries them.
std::vector<int> victims(const std::vector<int>& cpus, int mine, const machine::FileReader& read = machine::read_file);

}  // namespace vif::sched
