// Groups, and how their operations are run. Context: app.
#include "coll/collectives.hpp"

namespace vif::coll {

const char in_place_mark = 0;

Group::Group() noexcept = default;
Group::~Group() = default;

bool Group::attach_area(uint64_t offset) noexcept {
  if (offset == 0) return false;
  slots = reinterpret_cast<AreaSlot*>(engine->shared_base() + offset);
  return true;
}

int32_t next_tag(Group& group, Order order) noexcept {
  const uint32_t number = group.operations[static_cast<size_t>(order)]++;
  return static_cast<int32_t>(static_cast<uint32_t>(order) << 29 | (number & 0x1ffffu) << 12);
}

namespace {

net::Outcome wait_for(Operation& operation, net::Engine& engine) noexcept {
  if (!operation.complete()) {
    engine.wait_until([](void* argument) { return static_cast<Operation*>(argument)->complete(); }, &operation);
  }
  return operation.outcome();
}

}  // namespace

// One thread looks at the shared memory itself. Of several threads one waits for the engine on behalf of all, and it
// cannot know what the others look at; but it runs pollers.
net::Outcome run_on_area(AreaCall& call) noexcept {
  net::Engine& engine = *call.group->engine;
  if (call.group->several_threads) {
    AreaOperation operation(call, Order::blocking);
    operation.start();
    return wait_for(operation, engine);
  }
  if (call.group->broken) return net::Outcome::peer_dead;
  call.take_use(Order::blocking);
  if (!(call.enter() && call.ready())) {
    engine.wait_until(
        [](void* argument) {
          AreaCall& it = *static_cast<AreaCall*>(argument);
          return (it.enter() && it.ready()) || it.hopeless();
        },
        &call);
    if (!(call.enter() && call.ready())) return net::Outcome::peer_dead;
  }
  call.leave();
  return net::Outcome::success;
}

net::Outcome run_schedule(ScheduleOperation& operation) noexcept {
  operation.start();
  return wait_for(operation, *operation.schedule().group().engine);
}

net::Outcome run_mixed(AreaCall& call, ScheduleOperation& messages) noexcept {
  struct Both {
    AreaCall& call;
    ScheduleOperation& messages;
    bool ready() const noexcept { return call.enter() && call.ready(); }
    bool over() const noexcept { return (ready() || call.hopeless()) && messages.complete(); }
  };
  net::Engine& engine = *call.group->engine;
  if (call.group->several_threads) {
    AreaOperation area(call, Order::blocking);
    area.start();
    messages.start();
    const net::Outcome through_area = wait_for(area, engine);
    const net::Outcome through_messages = wait_for(messages, engine);
    return through_area != net::Outcome::success ? through_area : through_messages;
  }
  if (call.group->broken) return net::Outcome::peer_dead;
  call.take_use(Order::blocking);
  Both both{call, messages};
  call.enter();
  messages.start();
  if (!both.over()) engine.wait_until([](void* it) { return static_cast<Both*>(it)->over(); }, &both);
  if (!both.ready()) return net::Outcome::peer_dead;
  call.leave();
  return messages.outcome();
}

}  // namespace vif::coll
