// Whether a non-blocking collective is to be a split-tree (split.hpp), and with which S.
//
// It is one where VIF_COLL says so, and where progress threads move the group's operations on fewer cores than there
// are processes, if the model finds that it pays. That must be the same in all processes, and follows from what they
// know alike. S need not be: it says who does the steps of a tree that is the same in any case. VIF_COLL_SPLIT:
//   adapt    the model, with the computation that was measured between start and wait at the calls before
//   model    the model, with a computation that as many processes as cores would just hide
//   a number
// Context: app.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "coll/choice.hpp"
#include "coll/split.hpp"

namespace vif::coll {

// What was learnt in one group, by collective and length.
class SplitSites {
 public:
  std::shared_ptr<SplitSite> at(Collective collective, uint64_t bytes, int size, int cores);

 private:
  struct Site {
    Collective collective = Collective::barrier;
    uint64_t bytes = 0;
    std::shared_ptr<SplitSite> site;
  };
  std::array<Site, 16> sites_;
  std::size_t oldest_ = 0;
};

struct SplitPlan {
  bool wanted = false;
  SplitOptions options;
};

// `bytes` as for choose(). For operations without a reduction, the default one stands.
SplitPlan plan_split(Group& group, Collective collective, uint64_t bytes, const Reduction& reduction,
                     Lifetime lifetime) noexcept;

// Takes VIF_COLL_SPLIT, a value that the table of options accepts. Before any collective.
void set_split_rule(std::string_view text) noexcept;

// Whether the model finds that folding everything onto the free cores costs more, for the fastest other algorithm too.
bool split_pays(Collective collective, uint64_t bytes, const Situation& situation, int free_cores) noexcept;

}  // namespace vif::coll
