#include "net/settings.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/options.hpp"

namespace vif::net {
namespace {

// Measured on a machine with a shared last-level cache: up to here the handshake of an offer costs more than it saves.
// 64 KiB went in 1.7 us eagerly and in 2.1 us or more by offer, 128 KiB alike; and half the ring is what one message
// may fill.
constexpr uint64_t default_eager_limit = 64 * 1024;
constexpr uint64_t default_unexpected_limit = 4 << 20;
// A sleep and its wake-up cost 5 to 60 microseconds here, more when a virtual CPU has to be woken.
constexpr int64_t default_spin_floor_ns = 20'000;
constexpr int64_t default_spin_ceiling_ns = 1'000'000;

uint64_t number(const char* name, uint64_t when_auto) {
  const std::string value = base::option(name);
  return value == "auto" ? when_auto : std::strtoull(value.c_str(), nullptr, 10);
}

// valgrind does not see what another process writes into this one, and would call it uninitialised.
bool under_valgrind() {
  const char* preloaded = std::getenv("LD_PRELOAD");
  return preloaded != nullptr && std::strstr(preloaded, "vgpreload") != nullptr;
}

}  // namespace

bool Settings::read(std::string& error) {
  error = base::check_options();
  if (!error.empty()) return false;
  const std::string wish = base::option("VIF_REACTION");
  reaction = wish == "poll"     ? Reaction::poll
             : wish == "sleep"  ? Reaction::sleep
             : wish == "signal" ? Reaction::signal
             : wish == "uintr"  ? Reaction::user_interrupt
                                : Reaction::automatic;
  user_interrupts = reaction == Reaction::user_interrupt;
  interrupts = reaction == Reaction::automatic || reaction == Reaction::signal || user_interrupts;
  may_sleep = reaction != Reaction::poll;
  adapts = may_sleep && base::option("VIF_SPIN_US") == "auto";
  const std::string strongest = base::option("VIF_LEVER");
  lever = strongest == "none"       ? react::Lever::none
          : strongest == "slice"    ? react::Lever::slice
          : strongest == "realtime" ? react::Lever::realtime
                                    : react::Lever::nudge;
  may_move = base::option("VIF_SPREAD") != "0";
  ring_allowed_first = base::option("VIF_CMA") != "1";
  cross_memory = base::option("VIF_CMA") != "0" && !under_valgrind();
  eager_limit = number("VIF_EAGER_LIMIT", default_eager_limit);
  unexpected_limit = number("VIF_UNEXPECTED_LIMIT", default_unexpected_limit);
  tcp_only = base::option("VIF_LINKS") == "tcp";
  host = base::option("VIF_HOST");
  interfaces = base::option("VIF_TCP_INTERFACES");
  peer_timeout_ns = static_cast<int64_t>(std::clamp<uint64_t>(number("VIF_TCP_TIMEOUT", 60), 1, 3600)) * 1'000'000'000;
  machine::place_of(base::option("VIF_PROGRESS_PLACE"), progress_place);
  print_statistics = base::option("VIF_STATS") == "1";
  spin_floor_ns = default_spin_floor_ns;
  spin_ceiling_ns = default_spin_ceiling_ns;
  if (base::option("VIF_SPIN_US") != "auto") {
    spin_floor_ns = spin_ceiling_ns = static_cast<int64_t>(number("VIF_SPIN_US", 0)) * 1000;
  } else if (reaction == Reaction::sleep) {
    spin_floor_ns = spin_ceiling_ns = 0;
  } else if (reaction == Reaction::signal || reaction == Reaction::user_interrupt) {
    spin_floor_ns = spin_ceiling_ns = 50'000;
  }
  return true;
}

}  // namespace vif::net
