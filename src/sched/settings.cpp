// Context: app.
#include "sched/settings.hpp"

#include <cstdlib>

#include "base/options.hpp"
#include "machine/cpus.hpp"

namespace vif::sched {
namespace {

// Cores have numbers of 16 bits.
constexpr int most_cores = UINT16_MAX - 1;

// Whether the user has set the option; if so, `text` is what he wrote.
bool given(const char* name, std::string& text) {
  text = base::option(name);
  return text != "auto";
}

void read_switches(Settings& settings) {
  std::string text;
  if (given("VIF_SCHED_BIND", text)) settings.bind = text == "1";
  if (given("VIF_SCHED_PADDING", text)) settings.padding = text == "1";
  if (given("VIF_SCHED_STEAL", text)) settings.steal = text == "1";
  if (given("VIF_SCHED_QUEUE", text)) settings.queue = text == "lock" ? QueueRule::lock : QueueRule::inbox;
  if (given("VIF_SCHED_WAKE", text)) settings.wake = text == "pipe" ? WakeRule::pipe : WakeRule::futex;
  if (given("VIF_SCHED_MEMORY", text)) settings.memory = text == "library" ? MemoryRule::library : MemoryRule::ema;
  if (given("VIF_SCHED_POLL", text)) settings.poll = text == "epoll" ? PollRule::epoll : PollRule::io_uring;
  if (given("VIF_SCHED_WAIT", text)) {
    settings.wait = text == "sleep"   ? WaitRule::sleep
                    : text == "spin"  ? WaitRule::spin
                    : text == "fixed" ? WaitRule::fixed
                                      : WaitRule::learnt;
  }
}

}  // namespace

std::string complete(Settings& settings) {
  if (std::string complaint = base::check_options(); !complaint.empty()) return complaint;
  read_switches(settings);
  std::string text;
  if (given("VIF_CORES", text)) settings.cores = std::atoi(text.c_str());
  if (given("VIF_SCHED_BATCH", text)) settings.batch = static_cast<uint32_t>(std::atoi(text.c_str()));
  if (given("VIF_STALL_MS", text)) settings.stall_ns = std::atoll(text.c_str()) * 1'000'000;
  if (settings.cores == 0) settings.cores = machine::usable_cpus();
  if (settings.cores < 1 || settings.cores > most_cores) {
    return "A runtime of " + std::to_string(settings.cores) + " cores cannot be made: ask for 1 to " +
           std::to_string(most_cores) + ", or for 0 to have one for each usable CPU.";
  }
  if (settings.steal && settings.queue == QueueRule::lock) {
    return "Stealing does not go with one lock per queue: choose the inbox (VIF_SCHED_QUEUE=inbox), or no stealing.";
  }
  if (std::string why; settings.poll == PollRule::io_uring && !probe_ring(why)) {
    return "Descriptors cannot be watched by io_uring here (" + why + "): choose epoll, or leave the choice to Vif.";
  }
  if (settings.turn_ns <= 0) return "A colour's turn must be longer than zero: set turn to 20 microseconds or so.";
  return {};
}

}  // namespace vif::sched
