#include "coll/mixed_operation.hpp"

namespace vif::coll {

MixedOperation::MixedOperation(const AreaCall& call, Order order) : area_(call, order), messages_(*call.group) {
  area_done_.run = messages_done_.run = part_done;
  area_done_.owner = messages_done_.owner = this;
  area_.then(area_done_);
  messages_.then(messages_done_);
}

void MixedOperation::start() noexcept {
  outcome_ = net::Outcome::success;
  parts_ = 2;
  done_.store(0, std::memory_order_relaxed);
  area_.start();
  messages_.start();
}

// The last one may find itself destroyed as soon as `done_` is set.
void MixedOperation::part_done(net::Engine&, net::Task& task) noexcept {
  MixedOperation& self = *static_cast<OwnTask&>(task).owner;
  if (--self.parts_ != 0) return;
  self.outcome_ = self.area_.outcome() != net::Outcome::success ? self.area_.outcome() : self.messages_.outcome();
  self.done_.store(1, std::memory_order_release);
}

}  // namespace vif::coll
