// What travels in the cells of a ring.
#pragma once

#include <cstdint>

#include "net/shm/segment.hpp"

namespace vif::net {

enum PacketKind : uint8_t {
  packet_eager = 1,     // a message, or the first part of one: envelope, length of the whole, payload
  packet_more = 2,      // the next part of the eager message before it
  packet_offer = 3,     // a message that waits at its sender: envelope, length, transfer descriptor
  packet_fragment = 4,  // a piece of a matched transfer that cannot be copied directly: transfer, offset in `length`
};

// attentive: the sender has asked to be told; bound: the offer is matched with an announced receive already
enum PacketFlag : uint8_t { packet_attentive = 1, packet_bound = 2 };

inline constexpr uint64_t message_cost = 256;  // what an unexpected message costs beside its bytes
inline constexpr uint32_t small_payload_limit = 2048;
inline constexpr uint8_t many_long_messages = 16;
// Pieces of an eager message: the receiver's copy begins early. Of a longer one: fewer hand-overs matter more (1 MB in
// pieces of 16 KiB took 26 us, of 64 KiB 23 us).
inline constexpr uint32_t eager_piece = 16 * 1024;
inline constexpr uint32_t large_payload_limit = 64 * 1024;
static_assert(small_payload_limit * 3 <= shm::small_data_bytes);
static_assert(large_payload_limit * 4 <= shm::large_data_bytes);

}  // namespace vif::net
