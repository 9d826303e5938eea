#include "net/counters.hpp"

#include <cinttypes>

#include "net/core.hpp"

namespace vif::net {

void Core::print_counters(FILE* to) const {
  const LinkCounters link = link_ == nullptr ? LinkCounters() : link_->counters();
  const struct {
    const char* name;
    uint64_t value;
  } rows[] = {
      {"messages sent eagerly", counters_.eager_sent},
      {"messages offered", counters_.offers_sent},
      {"messages before their receive", counters_.unexpected},
      {"bound to an announced receive", counters_.announced_used},
      {"interrupts taken", counters_.interrupts_taken},
      {"interrupts raised", counters_.interrupts_raised},
      {"of those taken, user interrupts", counters_.user_interrupts_taken},
      {"of those raised, user interrupts", counters_.user_interrupts_raised},
      {"sleepers woken", counters_.wakes},
      {"runs of the helper thread", counters_.helper_runs},
      {"waits that slept", counters_.sleeps},
      {"decided: nobody wants the CPUs", counters_.decided_alone},
      {"decided: others want the CPUs", counters_.decided_crowded},
      {"found woken and not running", counters_.stuck},
      {"moves to a CPU of its own", counters_.moves},
      {"bytes copied while waiting", counters_.copied_waiting},
      {"bytes copied in other calls", counters_.copied_app},
      {"bytes copied in interrupts", counters_.copied_handler},
      {"fragments through the ring", counters_.fragments},
      {"network connections", link.connections},
      {"strangers sent away", link.strangers},
      {"bytes handed to the network", link.written},
      {"network watched by a thread", link.by_thread},
      {"network watched by interrupts", link.by_interrupt},
      {"network watched by nobody", link.by_nobody},
  };
  for (const auto& row : rows) {
    std::fprintf(to, "vif: rank %d: %-34s %" PRIu64 "\n", process_, row.name, row.value);
  }
}

}  // namespace vif::net
