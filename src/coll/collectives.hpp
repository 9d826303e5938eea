// What the doors of the layer have in common: a collective goes to the area or becomes a schedule, and is then either
// started as an operation of its own or waited for at once.
// Context: app.
#pragma once

#include <new>

#include "coll/area_call.hpp"
#include "coll/area_operation.hpp"
#include "coll/chosen.hpp"
#include "coll/schedule_operation.hpp"

namespace vif::coll {

// Messages of an operation carry: bits 29-30 its order, bits 12-28 its number there, bits 0-11 the lane.
int32_t next_tag(Group& group, Order order) noexcept;

net::Outcome run_on_area(AreaCall& call) noexcept;
net::Outcome run_schedule(ScheduleOperation& operation) noexcept;

// Persistent operations may be started in different orders, so they cannot share the area.
template <class Write>
OperationPointer make(const AreaCall& call, Lifetime lifetime, const Write& write) noexcept {
  try {
    if (lifetime == Lifetime::once && call.fits()) return std::make_unique<AreaOperation>(call, Order::non_blocking);
    const Order order = lifetime == Lifetime::once ? Order::non_blocking : Order::persistent;
    auto operation = std::make_unique<ScheduleOperation>(*call.group);
    operation->schedule().clear(next_tag(*call.group, order));
    operation->schedule().set_reduction(call.reduction);
    write(operation->schedule());
    operation->schedule().seal();
    return operation;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

template <class Write>
net::Outcome run(AreaCall call, const Write& write) noexcept {
  if (call.fits()) return run_on_area(call);
  try {
    Group& group = *call.group;
    if (!group.blocking_) group.blocking_ = std::make_unique<ScheduleOperation>(group);
    ScheduleOperation& operation = *group.blocking_;
    operation.schedule().clear(next_tag(group, Order::blocking));
    operation.schedule().set_reduction(call.reduction);
    write(operation.schedule());
    operation.schedule().seal();
    return run_schedule(operation);
  } catch (const std::bad_alloc&) {
    return net::Outcome::link_error;
  }
}

// The two ends of a door.
struct Making {
  Lifetime lifetime;
  template <class Write>
  OperationPointer operator()(const AreaCall& call, const Write& write) const noexcept {
    return make(call, lifetime, write);
  }
};

struct Running {
  template <class Write>
  net::Outcome operator()(const AreaCall& call, const Write& write) const noexcept {
    return run(call, write);
  }
};

}  // namespace vif::coll
