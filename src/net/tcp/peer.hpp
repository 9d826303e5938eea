// What this process knows of one far process. Zero bytes are a valid, unconnected peer: the table of peers is a reserve
// of zero pages, so that memory grows with the peers really used, and a handler may be the first to use one.
// Owner of the engine only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "net/message.hpp"
#include "net/request.hpp"
#include "net/tcp/slots.hpp"

namespace vif::net::tcp {

inline constexpr uint32_t in_room = 32 * 1024;
inline constexpr uint32_t out_room = 16 * 1024;

struct Peer {
  enum class State : uint8_t { none, connecting, awaiting, connected, lost };
  // Where the bytes behind the last frame go.
  enum class Sink : uint8_t { none, receive, message, transfer };

  State state = State::none;
  bool busy = false;          // listed: something is to be written
  bool pumping = false;       // pump() is at work, further up
  bool blocked = false;       // the kernel takes no more now
  bool watched = false;       // for room, too
  bool left = false;          // it said good-bye
  int socket = 0;             // when connected
  int place = 0;              // when connected: in the list of those
  int broken = 0;             // error number of a write that failed
  const char* why = nullptr;  // when lost

  // Until connected.
  uint32_t next_address = 0;
  uint32_t rounds = 0;
  int64_t deadline = 0;
  int64_t again_at = 0;  // 0: an attempt is under way
  int last_error = 0;
  const char* last_why = nullptr;

  // Limits agreed upon; costs of eager messages (net/packet.hpp).
  uint64_t eager_limit = 0, unexpected_limit = 0;
  uint64_t sent = 0, credited = 0;             // of mine: sent, and known to have left the peer's store
  uint64_t came = 0, delivered = 0, told = 0;  // of its: arrived, out of my store, and told so

  // Receiving.
  uint32_t in_begin = 0, in_end = 0;
  Sink sink = Sink::none;
  uint64_t sink_at = 0, sink_end = 0;
  Request* sink_request = nullptr;
  Message* sink_message = nullptr;
  uint32_t sink_slot = 0;
  uint32_t expected = 0;  // bytes that must be there before the kernel says so; 0: one

  // Sending: first the bytes of `out`, then the payload of `current`.
  uint32_t out_begin = 0, out_end = 0;
  Request* current = nullptr;
  bool current_is_slot = false;
  uint32_t current_slot = 0;
  uint64_t current_at = 0, current_end = 0;
  SlotList accepts, sending, withdrawing;
  Message* withdrawn = nullptr;  // offers taken back by their sender: to be confirmed
  bool say_bye = false;

  std::byte out[out_room];
  std::byte in[in_room];

  uint64_t in_use() const noexcept { return sink == Sink::none ? 0 : sink_end - sink_at; }
};

}  // namespace vif::net::tcp
