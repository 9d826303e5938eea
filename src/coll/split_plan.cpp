// Context: app.
#include "coll/split_plan.hpp"

#include <algorithm>
#include <new>

#include "coll/area_limit.hpp"

namespace vif::coll {

namespace {

enum class Rule : uint8_t { adapt, model, fixed };
Rule rule = Rule::adapt;
int fixed_split = 0;

// Shorter messages cost less than waking a thread for them.
constexpr uint64_t shortest = 64 * 1024;
constexpr int64_t longest_patience_ns = 1'000'000;

bool combines(Collective collective) noexcept {
  return collective == Collective::reduce || collective == Collective::allreduce;
}

Weights weights_of(Collective collective) noexcept {
  return collective == Collective::gather || collective == Collective::scatter ? Weights::doubling : Weights::constant;
}

// Of one message at the leaves, moved and perhaps combined, in microseconds. The table of choice.cpp.
double message_price(Collective collective, uint64_t bytes, const Situation& situation) noexcept {
  const double moved = static_cast<double>(bytes) * (combines(collective) ? 2 : 1);
  return price(Algorithm::binomial, {1, moved, 1, moved}, situation);
}

// Partners that come late are not waited for; but who looks twice as long as their steps take meets those on time.
int64_t patience_of(int split, Collective collective, double message_ns) noexcept {
  if (split == 0) return 0;
  const double messages = collective == Collective::gather ? (1 << std::min(split, 30)) - 1 : split;
  return std::min(longest_patience_ns, static_cast<int64_t>(2 * messages * message_ns));
}

}  // namespace

std::shared_ptr<SplitSite> SplitSites::at(Collective collective, uint64_t bytes, int size, int cores) {
  for (const Site& it : sites_) {
    if (it.site != nullptr && it.collective == collective && it.bytes == bytes) return it.site;
  }
  Site& place = sites_[oldest_];
  oldest_ = (oldest_ + 1) % sites_.size();
  place = {collective, bytes, std::make_shared<SplitSite>(size, cores, weights_of(collective))};
  return place.site;
}

void set_split_rule(std::string_view text) noexcept {
  rule = text == "adapt" ? Rule::adapt : text == "model" ? Rule::model : Rule::fixed;
  if (rule != Rule::fixed) return;
  fixed_split = 0;
  for (const char digit : text) fixed_split = std::min(30, fixed_split * 10 + (digit - '0'));
}

bool split_pays(Collective collective, uint64_t bytes, const Situation& situation, int free_cores) noexcept {
  if (free_cores < 1 || free_cores >= situation.size || !is_tree(collective)) return false;
  const int cores = situation.size + free_cores;
  const Weights weights = weights_of(collective);
  const double unit = message_price(collective, bytes, situation);
  const double computation = split_computation(situation.size, cores, weights);
  const int split = choose_split(situation.size, cores, weights);
  if (split == 0) return false;
  double ours = split_overlapped(split, situation.size, cores, weights, computation);
  // A reduction, then a broadcast.
  if (collective == Collective::allreduce) ours += split_alone(split, situation.size, cores, weights);
  const Candidates others = candidates(collective, bytes, situation);
  for (int i = 0; i < others.count; ++i) {
    const double folded = folded_price(others.list[static_cast<std::size_t>(i)].cost, free_cores) / unit;
    if (std::max(computation, folded) <= ours) return false;
  }
  return true;
}

SplitPlan plan_split(Group& group, Collective collective, uint64_t bytes, const Reduction& reduction,
                     Lifetime lifetime) noexcept {
  SplitPlan plan;
  if (group.size < 2 || group.first_group != 0) return plan;
  const bool forced = is_forced(collective, Algorithm::split);
  if (!forced && group.progress != net::Progress::thread) return plan;
  if (combines(collective) && (!reduction.commutative || reduction.ordered)) return plan;
  const Situation situation{group.size, group.oversubscribed, true, false};
  if (!forced && (bytes < shortest || bytes <= area_limit(collective, group.size) ||
                  !split_pays(collective, bytes, situation, group.free_cores))) {
    return plan;
  }
  try {
    const int cores = group.size + group.free_cores;
    const double message_ns = message_price(collective, bytes, situation) * 1000;
    SplitOptions& options = plan.options;
    options.split = rule == Rule::fixed ? fixed_split : choose_split(group.size, cores, weights_of(collective));
    if (rule == Rule::adapt) {
      if (group.split_sites == nullptr) group.split_sites = std::make_shared<SplitSites>();
      options.site = group.split_sites->at(collective, bytes, group.size, cores);
      options.split = options.site->split();
    }
    options.message_ns = message_ns;
    options.patience_ns = group.engine->oversubscribed() ? 0 : patience_of(options.split, collective, message_ns);
    options.order = lifetime == Lifetime::once ? Order::non_blocking : Order::persistent;
    plan.wanted = true;
  } catch (const std::bad_alloc&) {
    // There is a collective that needs less memory.
  }
  return plan;
}

}  // namespace vif::coll
