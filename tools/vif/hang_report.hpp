// What a job waits for, in words, from what its processes wrote down. Pure. Context: app.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "trace/diary.hpp"

namespace vif::tool {

struct ThreadView {
  uint32_t thread = 0;
  uint64_t begun = 0;  // operations so far
  bool inside = false;
  // The last operations that could be read, oldest first, by their number.
  std::vector<std::pair<uint64_t, trace::Note>> last;
};

struct RankView {
  int rank = 0;
  int process = 0;
  bool present = false;  // it has joined the job
  bool alive = false;
  int64_t waited_ns = -1;  // for how long it has waited without an event; -1: it does not wait
  std::vector<ThreadView> threads;
};

// The name of an MPI function by its index in the list.
using NameOf = std::function<std::string(uint16_t)>;

// Who waits for what, like ranks together; what does not fit; with `history`, the last operations of each rank.
std::string hang_report(const std::vector<RankView>& ranks, const NameOf& name_of, bool history);

// "ranks 0-3, 7"
std::string rank_list(std::vector<int> ranks);

}  // namespace vif::tool
