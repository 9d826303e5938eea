// What travels between nodes: one short message for each step of a call, and the bodies that do not fit into it.
//
// A message is this record, then the header of the user, then its body if that fits. All fields are in the byte order
// of the machine: the processes of a job have the same. Data from a peer is checked by valid() before it is used.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vif::rpc {

inline constexpr uint32_t wire_mark = 0x31'72'70'63;  // changes with the format
inline constexpr uint32_t message_limit = 4096;       // bytes, with all that travels in it

enum class Kind : uint8_t {
  call,     // a new call
  answer,   // to a call: its reply or its error; exactly one, unless the node leaves
  cancel,   // the caller does not want the answer any more
  hello,    // this node is there (again)
  goodbye,  // this node leaves: it answers nothing any more
};

struct Wire {
  uint32_t mark = wire_mark;
  Kind kind = Kind::call;
  uint8_t error = 0;          // answer: an rpc::Error
  uint16_t header_bytes = 0;  // behind this record; an answer with an error: its text
  uint64_t id = 0;            // of the call, unique in its caller
  uint64_t service = 0;       // call
  uint64_t body_bytes = 0;
  int64_t time_left_ns = 0;  // call: until its deadline; 0: none
  int32_t body_tag = 0;      // of the message that holds the body; 0: it follows the header here
  int32_t code = 0;          // answer: the service's own error
};
static_assert(sizeof(Wire) == 48);

inline constexpr uint32_t largest_tag = 1u << 30;
inline constexpr int64_t longest_deadline_ns = 100LL * 365 * 24 * 3600 * 1'000'000'000;  // a time point still holds it

inline bool valid(const Wire& wire, uint64_t bytes) noexcept {
  if (bytes < sizeof(Wire) || wire.mark != wire_mark || wire.kind > Kind::goodbye) return false;
  if (wire.body_tag < 0 || static_cast<uint32_t>(wire.body_tag) > largest_tag) return false;
  if (wire.time_left_ns < 0 || wire.time_left_ns > longest_deadline_ns) return false;
  const uint64_t rest = bytes - sizeof(Wire);
  if (wire.header_bytes > rest) return false;
  return wire.body_tag != 0 ? wire.header_bytes == rest : wire.body_bytes == rest - wire.header_bytes;
}

}  // namespace vif::rpc
