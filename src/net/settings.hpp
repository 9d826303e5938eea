// The options that shape an engine, parsed once.
#pragma once

#include <cstdint>
#include <string>

#include "machine/rank_places.hpp"
#include "react/levers.hpp"

namespace vif::net {

enum class Reaction : uint8_t { automatic, poll, sleep, signal, user_interrupt };

struct Settings {
  Reaction reaction = Reaction::automatic;
  bool interrupts = true;                   // computing peers may be interrupted
  bool user_interrupts = false;             // by user interrupts, or not at all
  bool may_sleep = true;                    // waiting may end in a sleep
  bool adapts = true;                       // how long to look depends on what else runs
  react::Lever lever = react::Lever::none;  // the strongest one allowed
  bool may_move = true;                     // to another CPU, away from another process of the job
  bool ring_allowed_first = true;           // between two sides that wait, even where cross-memory copies may be made
  bool cross_memory = true;                 // try process_vm_readv and process_vm_writev
  uint64_t eager_limit = 0;                 // bytes; longer messages are offered
  uint64_t unexpected_limit = 0;            // bytes of unexpected eager messages from one peer
  int64_t spin_floor_ns = 0;
  int64_t spin_ceiling_ns = 0;
  bool print_statistics = false;
  machine::ProgressPlace progress_place = machine::ProgressPlace::numa;
  bool tcp_only = false;        // to all processes that began with this one, of this host too
  std::string host;             // what to call this host; empty: found out
  std::string interfaces;       // by which other hosts may reach this one; empty: all
  int64_t peer_timeout_ns = 0;  // of a host that does not answer

  // False with a sentence in `error`.
  bool read(std::string& error);
};

}  // namespace vif::net
