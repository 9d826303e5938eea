// A message that arrived before its receive (unexpected), or was taken aside by a matched probe.
#pragma once

#include <cstddef>
#include <cstdint>

#include "net/request.hpp"

namespace vif::net {

struct Message {
  static constexpr uint32_t inline_bytes = 128;

  enum class Kind : uint8_t {
    buffered,  // its bytes are (or are arriving) in `data`
    offered,   // its bytes are still at the sender's: `transfer`
    local,     // sent by this process, bytes still in the send request's buffer: `send`
    far,       // its bytes are still at the sender's, behind a link, which knows it as `remote`
  };

  Kind kind = Kind::buffered;
  uint32_t context = 0;
  int32_t source = 0;
  int32_t tag = 0;
  int32_t process = 0;    // who sent it
  uint32_t transfer = 0;  // offered
  uint64_t remote = 0;    // far
  uint64_t length = 0;
  uint64_t arrived = 0;         // buffered: bytes already in `data`
  Request* send = nullptr;      // local
  Request* receiver = nullptr;  // buffered, matched while still arriving
  std::byte* data = nullptr;    // buffered: inline_data, or allocated
  // Links of the table of unexpected messages: by key and in order of arrival.
  Message* next_in_bucket = nullptr;
  Message** link_in_bucket = nullptr;
  Message* next = nullptr;
  Message* previous = nullptr;
  std::byte inline_data[inline_bytes];

  // What the packet, frame or send that brought it says of it.
  template <class Header>
  void describe(Kind what, const Header& header, int from) noexcept {
    kind = what;
    context = header.context;
    source = header.source;
    tag = header.tag;
    process = from;
    length = header.length;
  }
};

}  // namespace vif::net
