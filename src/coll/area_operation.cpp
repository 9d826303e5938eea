#include "coll/area_operation.hpp"

namespace vif::coll {

AreaOperation::AreaOperation(const AreaCall& call, Order order) : call_(call), order_(order) {
  const auto keep = [&call](auto& mine, auto& list) {
    if (list == nullptr) return;
    mine.assign(list, list + call.group->size);
    list = mine.data();
  };
  keep(sizes_, call_.sizes);
  keep(displacements_, call_.displacements);
  keep(in_sizes_, call_.in_sizes);
  keep(in_displacements_, call_.in_displacements);
  begin_task_.run = begin;
  leave_task_.run = leave;
  poller_.poll = poll;
  begin_task_.owner = leave_task_.owner = poller_.owner = this;
}

void AreaOperation::start() noexcept {
  entrusted_ = progress_ == net::Progress::thread && call_.group->engine->entrust();
  call_.take_use(order_);
  outcome_ = net::Outcome::success;
  done_.store(0, std::memory_order_relaxed);
  call_.group->engine->submit(begin_task_);
}

void AreaOperation::begin(net::Engine& engine, net::Task& task) noexcept {
  AreaOperation& self = *static_cast<OwnTask&>(task).owner;
  if (self.try_to_end(engine)) return;
  if (self.progress_ == net::Progress::poll) engine.leave_out(+1);
  engine.add_poller(self.poller_);
}

bool AreaOperation::poll(net::Engine& engine, net::Poller& poller) noexcept {
  AreaOperation& self = *static_cast<OwnPoller&>(poller).owner;
  if (!self.try_to_end(engine)) return false;
  if (self.progress_ == net::Progress::poll) engine.leave_out(-1);
  return true;
}

// True: nothing more to poll for. The end itself is a task of its own, because the engine still looks at the poller
// after this, and because user operators run in application threads only.
bool AreaOperation::try_to_end(net::Engine& engine) noexcept {
  const bool ready = call_.enter() && call_.ready();
  if (!ready) {
    if (!call_.hopeless()) return false;
    outcome_ = net::Outcome::peer_dead;
  }
  if (ready && call_.combines_user_code()) {
    engine.run_in_app(leave_task_);
  } else {
    engine.submit(leave_task_);
  }
  return true;
}

void AreaOperation::leave(net::Engine& engine, net::Task& task) noexcept {
  AreaOperation& self = *static_cast<OwnTask&>(task).owner;
  if (self.entrusted_) engine.relieve();
  if (self.outcome_ == net::Outcome::success) self.call_.leave();
  if (self.then_ == nullptr) return self.done_.store(1, std::memory_order_release);
  net::Task& then = *self.then_;
  self.done_.store(1, std::memory_order_relaxed);
  then.run(engine, then);
}

}  // namespace vif::coll
