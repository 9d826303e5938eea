// What the doors of the layer have in common: a collective goes to the area or becomes a schedule, and is then either
// started as an operation of its own or waited for at once.
// Context: app.
#pragma once

#include <new>
#include <type_traits>

#include "coll/area_call.hpp"
#include "coll/area_operation.hpp"
#include "coll/chosen.hpp"
#include "coll/mixed_operation.hpp"
#include "coll/schedule_operation.hpp"
#include "coll/split_plan.hpp"

namespace vif::coll {

// Messages of an operation carry: bits 29-30 its order, bits 12-28 its number there, bits 0-11 the lane.
int32_t next_tag(Group& group, Order order) noexcept;

net::Outcome run_on_area(AreaCall& call) noexcept;
net::Outcome run_schedule(ScheduleOperation& operation) noexcept;
net::Outcome run_mixed(AreaCall& call, ScheduleOperation& messages) noexcept;

// A schedule for all blocks, or, where short ones go through the area, for those above that size.
template <class Write>
void fill(Schedule& schedule, const AreaCall& call, int32_t tag, const Write& write, uint64_t above = 0) {
  schedule.clear(tag);
  schedule.set_reduction(call.reduction);
  if constexpr (std::is_invocable_v<const Write&, Schedule&, uint64_t>) {
    write(schedule, above);
  } else {
    write(schedule);
  }
  schedule.seal();
}

// Persistent operations may be started in different orders, so they cannot share the area.
// With blocks of different sizes every process takes a number for its messages, whether it has any or not.
template <class Write>
OperationPointer make(const AreaCall& call, Lifetime lifetime, const Write& write) noexcept {
  const auto moved = [&call](auto operation) {
    operation->move_by(call.group->progress);
    return operation;
  };
  try {
    const Order order = lifetime == Lifetime::once ? Order::non_blocking : Order::persistent;
    const bool on_area = lifetime == Lifetime::once && call.fits();
    if (on_area && !call.is_vector()) return moved(std::make_unique<AreaOperation>(call, order));
    const int32_t tag = next_tag(*call.group, order);
    if (on_area && !call.has_long_blocks()) return moved(std::make_unique<AreaOperation>(call, order));
    if (on_area) {
      auto operation = moved(std::make_unique<MixedOperation>(call, order));
      fill(operation->schedule(), call, tag, write, call.short_limit());
      return operation;
    }
    auto operation = moved(std::make_unique<ScheduleOperation>(*call.group));
    fill(operation->schedule(), call, tag, write);
    return operation;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

template <class Write>
net::Outcome run(AreaCall call, const Write& write) noexcept {
  const bool on_area = call.fits();
  if (on_area && !call.is_vector()) return run_on_area(call);
  try {
    Group& group = *call.group;
    const int32_t tag = next_tag(group, Order::blocking);
    if (on_area && !call.has_long_blocks()) return run_on_area(call);
    if (!group.blocking_) group.blocking_ = std::make_unique<ScheduleOperation>(group);
    ScheduleOperation& operation = *group.blocking_;
    fill(operation.schedule(), call, tag, write, on_area ? call.short_limit() : 0);
    return on_area ? run_mixed(call, operation) : run_schedule(operation);
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
