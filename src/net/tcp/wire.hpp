// What two processes say to each other over TCP: four greetings, then frames. Little-endian, of fixed sizes, versioned;
// whatever comes from the other side is checked before it is used. docs/decisions/0055 says why it is so.
//
//   who connects                         who accepts
//   hello     nonce, limits         ->
//                                   <-   challenge   nonce, limits
//   proof                           ->
//                                   <-   ready, or the reason why not
//
// Each greeting carries a keyed hash of itself and of the greetings before it, so each side proves that it knows the
// secret of the job after having seen a fresh number of the other.
// Context: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "net/tcp/keyed_hash.hpp"

namespace vif::net::tcp {

inline constexpr uint32_t wire_magic = 0x54464956;  // "VIFT"
inline constexpr uint16_t wire_version = 1;
inline constexpr size_t greeting_bytes = 64;
inline constexpr size_t frame_bytes = 48;

enum class Step : uint16_t { hello = 1, challenge, proof, ready };

// Why a connection is not taken.
enum class Refusal : uint32_t { none = 0, version, crossed, known, failed };

struct Greeting {
  uint16_t version = wire_version;
  Step step = Step::hello;
  uint32_t from = 0, to = 0;  // indices in the job
  Refusal refusal = Refusal::none;
  uint64_t eager_limit = 0, unexpected_limit = 0;
  std::array<uint8_t, 16> nonce{};
};

// The greetings of one connection, as far as they have come.
class Transcript {
 public:
  // Writes the next greeting of this side, with its hash.
  void write(const Greeting& greeting, const Secret& secret, std::byte* out) noexcept;
  // Reads the next one of the other side. Null, or what is wrong with it. A greeting of another version is not looked
  // into further: `greeting.version` says which.
  const char* read(const std::byte* in, const Secret& secret, Greeting& greeting) noexcept;

 private:
  uint64_t hash(const Secret& secret) const noexcept;

  std::array<std::byte, 4 * greeting_bytes> text_;
  size_t used_ = 0;
};

enum class FrameKind : uint8_t {
  eager = 1,      // a message: envelope, length, its bytes behind it
  offer = 2,      // a message that waits at its sender: envelope, length, the sender's number for it
  accept = 3,     // the receiver takes `length` bytes of offer `id`; its own number in `other`
  data = 4,       // `length` bytes, at `other`, of what the receiver numbered `id`
  withdraw = 5,   // the sender wants offer `id` back
  withdrawn = 6,  // it has it back
  credit = 7,     // only the credit
  bye = 8,        // nothing comes after this
};

struct Frame {
  FrameKind kind = FrameKind::credit;
  uint32_t context = 0;
  int32_t source = 0;
  int32_t tag = 0;
  uint64_t length = 0;
  uint64_t id = 0;
  uint64_t other = 0;
  uint64_t credit = 0;  // what eager messages of the receiver of this frame have left the sender's store, in all
};

void write_frame(const Frame& frame, std::byte* out) noexcept;
// Null, or what is wrong with it as far as it can be told without knowing the state of the connection.
const char* read_frame(const std::byte* in, uint64_t eager_limit, Frame& frame) noexcept;

}  // namespace vif::net::tcp
