// What is submitted to an engine: tasks, and the requests of users.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/inbox.hpp"
#include "data/copy.hpp"

namespace vif::net {

class Engine;

inline constexpr int32_t any_source = -1;
inline constexpr int32_t any_tag = -1;

// Something to run in the engine's context. Intrusive: whoever submits it keeps it alive until it ran.
struct Task : base::Inbox<>::Record {
  // Runs owning the engine, perhaps in a handler: must not wait, allocate, throw, log or call user code.
  void (*run)(Engine&, Task&) noexcept = nullptr;
};

enum class SendMode : uint8_t { standard, synchronous };

enum class Outcome : uint8_t { success, truncated, cancelled, peer_dead, link_error };

struct Status {
  int32_t source = any_source;  // rank of the sender in the communicator
  int32_t tag = any_tag;
  Outcome outcome = Outcome::success;
  uint64_t bytes = 0;  // received
};

// One send or one receive. The user fills the first block, submits it, and may read `status` once
// complete() is true; the object must live until then. It may be submitted again afterwards.
struct Request : Task {
  // Written by the user before submission.
  uint32_t context = 0;  // communicator's context id: messages match only within one
  int32_t process = -1;  // the peer, as an index in the job; -1 on a receive from any source
  int32_t source = -1;   // send: my rank in the communicator; receive: rank of the sender, or any_source
  int32_t tag = 0;       // receive: may be any_tag
  SendMode mode = SendMode::standard;
  void* buffer = nullptr;
  uint64_t length = 0;  // send: bytes to send; receive: room in the buffer
  // With a layout: the bytes do not lie side by side, and are gathered from `buffer` or scattered to it as they travel.
  // The layout lives as long as the request.
  data::View view;
  // Its bytes are to be moved by the application's thread where another one could, as long as this is set.
  bool by_application = false;
  // Called once in the engine's context when complete (perhaps in a handler), after `done` was set and as the last
  // thing the engine does with the request: it may submit it again. Optional.
  void (*on_complete)(Engine&, Request&) noexcept = nullptr;
  void* owner = nullptr;  // for the user of on_complete

  // Written by the engine.
  Status status;
  std::atomic<uint32_t> done{1};

  bool complete() const noexcept { return done.load(std::memory_order_acquire) != 0; }

  // Engine-private. What a start sets has no value before: clearing it all costs a message as much as its flight.
  Request* queue_next;
  Request** queue_link = nullptr;  // the pointer that points to this one, when queued
  uint64_t order;                  // receive: posting order, then length or time of the match; long send: the latter
  uint64_t moved;                  // bytes moved so far
  int32_t partner;                 // receive: who sends what it has matched
  uint32_t transfer;               // index + 1 of the transfer descriptor in use, 0: none
  bool is_send;
  bool cancel_wanted;
  bool rung;       // offered send: its receiver was interrupted for it, if it computed
  bool announced;  // posted receive: its sender may bind a message to it

  Request() noexcept {}
  // A request that is about to be started.
  void begin(bool sends) noexcept {
    is_send = sends;
    moved = 0;
    transfer = 0;
    cancel_wanted = false;
    rung = false;
    announced = false;
  }
};

// memcpy for messages: an empty one may have no address.
inline void copy_bytes(void* to, const void* from, uint64_t bytes) noexcept {
  if (bytes != 0) std::memcpy(to, from, bytes);
}

// The same, of at most 24 bytes that do not overlap: without a call.
inline void copy_short(std::byte* to, const std::byte* from, uint64_t bytes) noexcept {
  if (bytes >= 8) {
    std::memcpy(to, from, 8);
    if (bytes > 16) std::memcpy(to + 8, from + 8, 8);
    std::memcpy(to + bytes - 8, from + bytes - 8, 8);
  } else if (bytes >= 4) {
    std::memcpy(to, from, 4);
    std::memcpy(to + bytes - 4, from + bytes - 4, 4);
  } else {
    for (uint64_t i = 0; i < bytes; ++i) to[i] = from[i];
  }
}

// Bytes `from` to `from` + `bytes` of the message of a send, and into the memory of a receive.
inline void take_bytes(const Request& send, uint64_t from, void* to, uint64_t bytes) noexcept {
  if (send.view.layout == nullptr) [[likely]] {
    copy_bytes(to, static_cast<const std::byte*>(send.buffer) + from, bytes);
  } else {
    data::gather(send.view, send.buffer, from, to, bytes);
  }
}
inline void put_bytes(const Request& receive, uint64_t to, const void* from, uint64_t bytes) noexcept {
  if (receive.view.layout == nullptr) [[likely]] {
    std::byte* place = static_cast<std::byte*>(receive.buffer) + to;
    if (bytes <= 24) {
      copy_short(place, static_cast<const std::byte*>(from), bytes);
    } else {
      std::memcpy(place, from, bytes);
    }
  } else {
    data::scatter(receive.view, receive.buffer, to, from, bytes);
  }
}
// The first bytes of a send straight into a receive of the same process.
void move_bytes(const Request& send, const Request& receive, uint64_t bytes) noexcept;

}  // namespace vif::net
