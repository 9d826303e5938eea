// A connection that is not yet one: it is being made, or the two sides greet each other. Owner of the engine only.
// Context: handler.
#pragma once

#include <cstddef>
#include <cstdint>

#include "net/tcp/wire.hpp"

namespace vif::net::tcp {

struct Visitor {
  enum class State : uint8_t {
    free,
    connecting,  // mine: the kernel makes the connection
    greeted,     // mine: hello is sent
    proved,      // mine: the proof is sent
    guest,       // another's: its hello is awaited
    challenged,  // another's: its proof is awaited
  };

  State state = State::free;
  int socket = -1;
  int process = -1;  // with whom; of a guest: what it says in its hello
  int64_t deadline = 0;
  uint64_t eager_limit = 0, unexpected_limit = 0;  // the other side's
  Transcript transcript;
  uint32_t have = 0;
  std::byte in[greeting_bytes];

  bool mine() const noexcept { return state >= State::connecting && state <= State::proved; }
};

}  // namespace vif::net::tcp
