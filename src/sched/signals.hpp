// Signals as events. A process has one table: for each signal, the watches that want it, of all runtimes.
//
// The signal's handler counts the arrival in each subscription and tells the subscriber's core by a flag and its bell,
// which is safe in a handler; the core then fires the watch. Several arrivals before the core looks are one run, as
// they are for the kernel's own pending signals. Subscriptions are places in a fixed array, since a handler may be
// walking over them. Who takes one away clears it and waits until no handler is inside (an unlocked count, by the
// handler itself); handlers are short and wait for nobody. Context: app and core, except arrived(): handler.
#pragma once

#include <csignal>

#include "sched/watch.hpp"

namespace vif::sched {

class Core;

// Takes the signal for the watch; its disposition of before comes back with the last watch of it. False: there is no
// place (16 subscriptions in a process), or the system gives the signal to nobody (errno says why).
bool subscribe(Watch& watch, Core& core) noexcept;
void unsubscribe(Watch& watch) noexcept;

// Core: calls fire(watch) for each of its watches whose signal has arrived since the last call.
void collect_signals(Core& core, void (*fire)(Core& core, Watch& watch));

}  // namespace vif::sched
